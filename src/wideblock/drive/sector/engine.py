# SPDX-License-Identifier: Apache-2.0
"""A sector core within its engine, in simulation: registers by name, and keys through registers."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from wideblock.drive.sector.shape import SectorCore
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.rtl.bus.key_map import DONE, CommandError, KeyCommand, started
from wideblock.rtl.bus.registers import REGISTER_BYTES, RegisterMap, register_words
from wideblock.simulation.bench import SimulationError
from wideblock.simulation.script import Record, Script, Words
from wideblock.simulation.structures import PlayOutcome

__all__ = ["EngineSimulation", "simulated"]

_ERROR = {error.value: error.name for error in CommandError}


class EngineSimulation(SectorSimulation):
    """An engine in simulation, after a reset; the bus is driven a register at a time, the stream by scripts.

    Sectors go through it as through a core; ``load_key`` is a command.
    """

    @cached_property
    def maps(self) -> dict[str, RegisterMap]:
        """The maps by their names."""
        component: Any = self.core.component  # pyright: ignore[reportAttributeAccessIssue]
        return {each.name: each for each in component.registers}

    def bus(self, script: Script) -> Record:
        """The record of one script. Raises :class:`SimulationError` if it is stuck or breaks a rule of streams."""
        record = self.simulation.play(script)
        if record.violation is not None or record.outcome != PlayOutcome.DONE:
            ended = record.violation or record.outcome.name
            raise SimulationError(f"{self.core.module}: {ended}, {record.cycles} cycles")
        return record

    def wait(self, cycles: int) -> Record:
        """The record of ``cycles`` cycles without input."""
        return self.bus(Script(quiet=cycles))

    def channels(self, map_name: str, *names: str) -> list[str]:
        """Channels of the bus that reaches a map."""
        bus = self.maps[map_name].channel
        return [f"{bus}_{name}" if bus else name for name in names]

    def writes(self, map_name: str, offset: int, value: int, strobe: int = 15) -> dict[str, Words]:
        """The words of one write, by their channels."""
        words = {channel: self.simulation.words(channel, 1) for channel in self.channels(map_name, "aw", "w")}
        aw, w = words.values()
        _put(aw, "addr", offset)
        _put(w, "data", value)
        _put(w, "strb", strobe)
        return words

    def reads(self, map_name: str, offset: int) -> dict[str, Words]:
        """The word of a read, by channel."""
        (ar,) = self.channels(map_name, "ar")
        words = self.simulation.words(ar, 1)
        _put(words, "addr", offset)
        return {ar: words}

    def gathered(
        self, map_name: str, transfers: Sequence[Mapping[str, Words]], *, offer: float, take: float
    ) -> tuple[Script, str]:
        """A script of reads, or of writes, and the channel of their responses; words and responses wait by chance."""
        words = {channel: self.simulation.words(channel, len(transfers)) for channel in transfers[0]}
        for channel, each in words.items():
            each[:] = [transfer[channel][0] for transfer in transfers]
            each["chance"] = offer
        write, b, r = self.channels(map_name, "aw", "b", "r")
        answer = b if write in words else r
        many = len(transfers)
        return Script(words=words, wanted={answer: many}, ready={answer: take}, capacity=many), answer

    def write(self, map_name: str, offset: int, value: int, strobe: int = 15) -> int:
        """Writes a register; the response."""
        (b,) = self.channels(map_name, "b")
        script = Script(words=self.writes(map_name, offset, value, strobe), wanted={b: 1}, quiet=0, capacity=4)
        return _number(self.bus(script).words[b]["resp"][0])

    def read(self, map_name: str, offset: int) -> tuple[int, int]:
        """Reads a register: its word, and the response."""
        (r,) = self.channels(map_name, "r")
        record = self.bus(Script(words=self.reads(map_name, offset), wanted={r: 1}, quiet=0, capacity=4))
        (word,) = record.words[r]
        return _number(word["data"]), _number(word["resp"])

    def set(self, name: str, value: int, index: int = 0) -> None:
        """Writes the named register, of any map. Raises :class:`SimulationError` if refused."""
        map_name, offset = self.place(name, index)
        if response := self.write(map_name, offset, value):
            raise SimulationError(f"{self.core.module}: a write of {name} has the response {response}")

    def get(self, name: str, index: int = 0) -> int:
        """Reads the register of that name. Raises :class:`SimulationError` if refused."""
        map_name, offset = self.place(name, index)
        word, response = self.read(map_name, offset)
        if response:
            raise SimulationError(f"{self.core.module}: a read of {name} has the response {response}")
        return word

    def field(self, name: str, field: str, index: int = 0) -> int:
        """A field of a register."""
        map_name, _ = self.place(name, index)
        place = self.maps[map_name].register(name).field(field)
        return (self.get(name, index) & place.mask) >> place.low

    def place(self, name: str, index: int = 0) -> tuple[str, int]:
        """The map and the offset of a register. Raises KeyError if there is none."""
        for map_name, registers in self.maps.items():
            if any(each.name == name for each in registers.registers):
                return map_name, registers.offset(name, index)
        raise KeyError(f"no register {name}")

    def put(self, name: str, data: bytes) -> None:
        """Writes bytes into a range of registers."""
        for index, word in enumerate(register_words(data)):
            self.set(name, word, index)

    def take(self, name: str, size: int) -> bytes:
        """Reads bytes from a range of registers."""
        words = (self.get(name, index) for index in range(-(-size // REGISTER_BYTES)))
        return b"".join(word.to_bytes(REGISTER_BYTES, "little") for word in words)[:size]

    # Commands

    def until(self, name: str, field: str, value: int, most: int) -> int:
        """Reads until a field has a value; cycles of the command. Raises :class:`SimulationError` after ``most``."""
        start = self.cycle
        while self.field(name, field) != value:
            if self.cycle - start > most:
                raise SimulationError(f"{self.core.module}: {name}.{field} is not {value} after {most} cycles")
        return self.cycle - start

    def prepare(self, command: str, slot: int = 0, key: bytes = b"", *, aux: int = 0) -> int:
        """Writes the registers of a command in the order of Caliptra's firmware; the starting word of CTRL."""
        self.set("CTRL", DONE)
        if not self.field("CTRL", "RDY"):
            raise SimulationError(f"{self.core.module}: RDY is 0")
        self.put("METD", slot.to_bytes(REGISTER_BYTES, "little"))
        self.put("METD_REST", bytes(16))
        self.put("AUX_OFFSET", bytes(16))
        self.set("AUX_MODE", aux)
        self.put("AUX_REST", bytes(12))
        self.put("MEK", key)
        return started(KeyCommand.__members__.get(command, 15))

    def command(self, command: str, slot: int = 0, key: bytes = b"", *, aux: int = 0, most: int = 20_000) -> str:
        """A command from its first write to the clear of DONE; the name of its error. Another name is no command."""
        self.set("CTRL", self.prepare(command, slot, key, aux=aux))
        return self.finish(most)

    def finish(self, most: int = 20_000) -> str:
        """Waits for the command that runs, and clears DONE; the name of its error."""
        self.until("CTRL", "DONE", 1, most)
        error = self.field("CTRL", "ERR")
        self.set("CTRL", DONE)
        return _ERROR[error]

    def load_key(self, key: bytes, slot: int = 0) -> int:
        """Loads a key by a command, after clearing and self-test; cycles until it has ended.

        Raises ValueError for a wrong length, :class:`SimulationError` if it is refused.
        """
        self.expect_key(key)
        start = self.cycle
        timing: Any = self.core.timing
        self.until("STATUS", "READY", 1, 2 * (timing.zeroize + timing.selftest))
        if (error := self.command("LOAD", slot, key)) != "OK":
            raise SimulationError(f"{self.core.module}: LOAD ended with error {error}")
        return self.cycle - start

    def fill_window(self, slot: int, data: bytes, tweak: bytes, *, decrypt: bool = False) -> int:
        """Writes a message into the window; the starting word of WINDOW_REQUEST. Bytes behind the tweak are FFh."""
        room = self.maps["ENGINE"].register("WINDOW_TWEAK").bytes
        self.put("WINDOW_TWEAK", tweak.ljust(room, b"\xff")[:room])
        if self.core.behaviour.length.tweaks:
            self.set("WINDOW_TWEAK_SIZE", len(tweak))
        self.put("WINDOW_DATA_IN", data)
        self.set("WINDOW_SIZE", len(data))
        return slot | decrypt << 16 | 1 << 31

    def window(
        self, slot: int, data: bytes, tweak: bytes, *, decrypt: bool = False, most: int = 100_000
    ) -> tuple[bytes, int | None]:
        """A message through the window: result, or cause of the refusal."""
        self.set("WINDOW_REQUEST", self.fill_window(slot, data, tweak, decrypt=decrypt))
        self.until("WINDOW_STATUS", "DONE", 1, most)
        cause = self.field("WINDOW_STATUS", "CAUSE") if self.field("WINDOW_STATUS", "FAULT") else None
        return self.take("WINDOW_DATA_OUT", len(data)), cause


def simulated(core: SectorCore) -> SectorSimulation:
    """A sector core in simulation, alone or within its engine."""
    return EngineSimulation(core) if core.behaviour.loaded else SectorSimulation(core)


def _put(words: Any, field: str, value: int) -> None:
    given = words[field]
    given[0] = value if given.ndim == 1 else np.frombuffer(value.to_bytes(given.shape[1], "little"), np.uint8)


def _number(value: Any) -> int:
    return int(value) if np.ndim(value) == 0 else int.from_bytes(np.asarray(value, np.uint8).tobytes(), "little")
