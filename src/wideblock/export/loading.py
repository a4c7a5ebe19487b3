# SPDX-License-Identifier: Apache-2.0
"""Keys of known answers on the ports of a core: as words of the key channel, or as writes of the key registers."""

from wideblock.export.contract import Contract
from wideblock.export.testbench import Word
from wideblock.rtl.bus.key_map import DONE, KEY_MAP, KeyCommand, started
from wideblock.rtl.bus.registers import REGISTER_BYTES, register_words

__all__ = ["BusLoader", "StreamLoader"]


class StreamLoader:
    """Words of the channel ``key``, and the steps of a play to offer the words, each after the word before was
    accepted.
    """

    def __init__(self, core: Contract):
        self.core = core
        (word,) = (field.width for field in core.interface.channel("key").fields if field.name == "key")
        self.size = core.timing.key_words * word // 8
        self.words: dict[str, list[Word]] = {"key": []}
        self.steps: list[dict[str, int]] = []
        self.rests: dict[int, int] = {}

    def load(self, key: bytes, slot: int) -> None:
        """Loads a key into an empty slot, or as the core's single key."""
        self._offer(key, slot, evict=False)

    def evict(self, slot: int) -> None:
        """Ends the key of a slot."""
        self._offer(bytes(self.size), slot, evict=True)

    def _offer(self, key: bytes, slot: int, *, evict: bool) -> None:
        count = self.core.timing.key_words
        size = len(key) // count
        self.words["key"] += [
            {
                "key": int.from_bytes(key[k * size : (k + 1) * size], "little"),
                "last": k == count - 1,
                "slot": slot,
                "evict": evict,
            }
            for k in range(count)
        ]
        self.steps.append({"key": len(self.words["key"])})


class BusLoader:
    """Writes of the key registers, with their responses; a command has its stated cycles before the next step begins.

    The first step waits for the self-test after reset.
    """

    def __init__(self, core: Contract):
        self.core = core
        self.words: dict[str, list[Word]] = {"key_aw": [], "key_w": [], "key_b": []}
        self.steps: list[dict[str, int]] = []
        self.rests: dict[int, int] = {}
        self._write("CTRL", DONE)
        self._rest(core.timing.selftest)

    def load(self, key: bytes, slot: int) -> None:
        """Loads a key into a slot that has none."""
        self._write("CTRL", DONE)
        for index, word in enumerate(register_words(key)):
            self._write("MEK", word, index)
        self._command("LOAD", slot, self.core.timing.load)

    def evict(self, slot: int) -> None:
        """Ends the key of a slot."""
        self._write("CTRL", DONE)
        self._command("UNLOAD", slot, self.core.timing.unload)

    def _command(self, name: str, slot: int, cycles: int) -> None:
        for register, value in {"METD": slot, "METD_REST": 0, "AUX_OFFSET": 0, "AUX_MODE": 0, "AUX_REST": 0}.items():
            for index in range(KEY_MAP.register(register).count):
                self._write(register, value, index)
        self._write("CTRL", started(KeyCommand[name]))
        self._rest(cycles)

    def _write(self, name: str, value: int, index: int = 0) -> None:
        self.words["key_aw"].append({"addr": KEY_MAP.offset(name, index), "prot": 0})
        self.words["key_w"].append({"data": value, "strb": (1 << REGISTER_BYTES) - 1})
        self.words["key_b"].append({"resp": 0})

    def _rest(self, cycles: int) -> None:
        """Ends a step. A write takes effect a few cycles after it was accepted, and each ends with a response."""
        self.rests[len(self.steps)] = cycles + 4
        self.steps.append({name: len(self.words[name]) for name in ("key_aw", "key_w")})
