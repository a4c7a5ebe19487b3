# SPDX-License-Identifier: Apache-2.0
"""A sector core within its engine, in simulation: its registers by their names, and keys through them."""

from typing import Any

import numpy as np

from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.rtl.bus.key_map import COMMANDS, ERRORS
from wideblock.rtl.bus.registers import REGISTER_BYTES, RegisterMap
from wideblock.simulation.bench import SimulationError
from wideblock.simulation.script import Record, Script, ScriptEvent, Words
from wideblock.simulation.structures import PlayOutcome

__all__ = ["COMMAND", "ERROR", "EngineSimulation"]

COMMAND = {command.name: command.value for command in COMMANDS}
"""Commands of the key registers."""

ERROR = {error.value: error.name for error in ERRORS}
"""Names of their results."""

_PREFIXES = {"KEY": "key_", "ENGINE": ""}
"""Beginning of the names of the channels that reach a map."""

_EXE, _DONE, _CMD = 1, 2, 2  # of CTRL: two masks and a shift


class EngineSimulation(SectorSimulation):
    """An engine in simulation, after a reset; its bus is driven a register at a time, its stream by scripts.

    Sectors go through it as through a core; ``load_key`` is a command.
    """

    @property
    def maps(self) -> dict[str, RegisterMap]:
        """The maps by their names."""
        component: Any = self.core.component  # pyright: ignore[reportAttributeAccessIssue]
        return {each.name: each for each in component.registers}

    def bus(self, script: Script, seed: int = 0) -> Record:
        """The record of one script. Raises :class:`SimulationError` if it is stuck or breaks a rule of streams."""
        record = self.simulation.play(script, seed)
        if record.violation is not None or record.outcome != PlayOutcome.DONE:
            ended = record.violation or record.outcome.name
            raise SimulationError(f"{self.core.module}: {ended}, {record.cycles} cycles")
        return record

    def wait(self, cycles: int) -> Record:
        """The record of ``cycles`` cycles without input."""
        return self.bus(Script(quiet=cycles))

    def pulse(self, control: str, cycles: int = 1) -> None:
        """Holds a control input high for some cycles."""
        self.bus(Script(events=[ScriptEvent(control, 0, cycles, clears=True)], quiet=cycles + 1))

    def writes(self, map_name: str, offset: int, value: int, strobe: int = 15) -> dict[str, Words]:
        """The words of one write, by their channels."""
        prefix = _PREFIXES[map_name]
        aw, w = self.simulation.words(f"{prefix}aw", 1), self.simulation.words(f"{prefix}w", 1)
        _put(aw, "addr", offset)
        _put(w, "data", value)
        _put(w, "strb", strobe)
        return {f"{prefix}aw": aw, f"{prefix}w": w}

    def write(self, map_name: str, offset: int, value: int, strobe: int = 15) -> int:
        """Writes a register; the response."""
        prefix = _PREFIXES[map_name]
        script = Script(
            words=self.writes(map_name, offset, value, strobe), wanted={f"{prefix}b": 1}, quiet=0, capacity=4
        )
        return _number(self.bus(script).words[f"{prefix}b"]["resp"][0])

    def read(self, map_name: str, offset: int) -> tuple[int, int]:
        """Reads a register: its word, and the response."""
        prefix = _PREFIXES[map_name]
        ar = self.simulation.words(f"{prefix}ar", 1)
        _put(ar, "addr", offset)
        record = self.bus(Script(words={f"{prefix}ar": ar}, wanted={f"{prefix}r": 1}, quiet=0, capacity=4))
        (word,) = record.words[f"{prefix}r"]
        return _number(word["data"]), _number(word["resp"])

    def set(self, name: str, value: int, index: int = 0) -> None:
        """Writes the register of that name, of whichever map has it. Raises :class:`SimulationError` if refused."""
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

    # Commands

    def until(self, name: str, field: str, value: int, most: int) -> int:
        """Reads until a field has a value; cycles that it took. Raises :class:`SimulationError` after ``most``."""
        start = self.cycle
        while self.field(name, field) != value:
            if self.cycle - start > most:
                raise SimulationError(f"{self.core.module}: {name}.{field} is not {value} after {most} cycles")
        return self.cycle - start

    def prepare(self, command: str, slot: int = 0, key: bytes = b"", *, aux: int = 0) -> int:
        """Writes the registers of a command in the order of Caliptra's firmware; the word of CTRL that starts it."""
        self.set("CTRL", _DONE)
        if not self.field("CTRL", "RDY"):
            raise SimulationError(f"{self.core.module}: RDY is 0")
        self.set("METD", slot)
        self.set("AUX_MODE", aux)
        for at in range(0, len(key), REGISTER_BYTES):
            self.set("MEK", int.from_bytes(key[at : at + REGISTER_BYTES], "little"), at // REGISTER_BYTES)
        return COMMAND.get(command, 15) << _CMD | _EXE

    def command(self, command: str, slot: int = 0, key: bytes = b"", *, aux: int = 0, most: int = 20_000) -> str:
        """A command from its first write to the clear of DONE; the name of its error. Another name is no command."""
        self.set("CTRL", self.prepare(command, slot, key, aux=aux))
        return self.finish(most)

    def finish(self, most: int = 20_000) -> str:
        """Waits for the command that runs, and clears DONE; the name of its error."""
        self.until("CTRL", "DONE", 1, most)
        error = self.field("CTRL", "ERR")
        self.set("CTRL", _DONE)
        return ERROR[error]

    def load_key(self, key: bytes, slot: int = 0) -> int:
        """Loads a key by a command; cycles until it has ended. Raises :class:`SimulationError` if it is refused."""
        start = self.cycle
        if (error := self.command("LOAD", slot, key)) != "OK":
            raise SimulationError(f"{self.core.module}: LOAD ended with error {error}")
        return self.cycle - start

    def window(
        self, slot: int, data: bytes, tweak: bytes, *, decrypt: bool = False, most: int = 100_000
    ) -> tuple[bytes, int | None]:
        """A message through the window: its result, or the cause for which it was refused."""
        for name, part in (("WINDOW_TWEAK", tweak), ("WINDOW_DATA_IN", data)):
            for at in range(0, len(part), REGISTER_BYTES):
                self.set(name, int.from_bytes(part[at : at + REGISTER_BYTES], "little"), at // REGISTER_BYTES)
        self.set("WINDOW_SIZE", len(data))
        self.set("WINDOW_REQUEST", slot | decrypt << 16 | 1 << 31)
        self.until("WINDOW_STATUS", "DONE", 1, most)
        words = [self.get("WINDOW_DATA_OUT", at) for at in range(-(-len(data) // REGISTER_BYTES))]
        result = b"".join(word.to_bytes(REGISTER_BYTES, "little") for word in words)[: len(data)]
        return result, self.field("WINDOW_STATUS", "CAUSE") if self.field("WINDOW_STATUS", "FAULT") else None


def _put(words: Any, field: str, value: int) -> None:
    if words[field].ndim == 1:
        words[field][0] = value
    else:
        size = words[field].shape[1]
        words[field][0] = np.frombuffer(value.to_bytes(size, "little"), np.uint8)


def _number(value: Any) -> int:
    return int(value) if np.ndim(value) == 0 else int.from_bytes(np.asarray(value, np.uint8).tobytes(), "little")
