# SPDX-License-Identifier: Apache-2.0
"""Reads and writes of an engine's registers: the word, the response and the effect that the contract states."""

from wideblock.rtl.bus.axi_lite import OKAY, SLVERR
from wideblock.rtl.bus.engine_facts import GONE
from wideblock.rtl.bus.key_map import CommandError, KeyCommand
from wideblock.rtl.bus.registers import REGISTER_BYTES, Access, Register, RegisterMap
from wideblock.verify.engine.model import BITS, Expected, Model
from wideblock.verify.engine.state import AUX, METD, Sending, State

__all__ = ["Registers"]

ANY: Expected = (0, 0)
FREEZABLE = ("LIMIT_LO", "LIMIT_HI", "WARN_LO", "WARN_HI")
OF_ENGINE_WINDOW = ("WINDOW_DATA_IN", "WINDOW_TWEAK")


class Registers:
    """The registers of both maps over the states of a model."""

    def __init__(self, model: Model, maps: dict[str, RegisterMap], settles: int = 8):
        self.model, self.maps, self.settles = model, maps, settles
        self.places = {
            (name, register.offset + REGISTER_BYTES * index): (register, index)
            for name, each in maps.items()
            for register in each.registers
            for index in range(register.count)
        }
        self.selected = 0  # cycle in which SLOT_SELECT was written

    def reset(self, cycle: int) -> None:
        """The registers after a reset."""
        self.model.registers = {each.name: each.reset for each in self.maps["ENGINE"].registers}
        self.selected = cycle

    def place(self, space: str, offset: int) -> tuple[Register, int] | None:
        """Register and number at an address, whose two low bits do not count."""
        return self.places.get((space, offset & -REGISTER_BYTES))

    # Reads

    def read(self, state: State, cycle: int, space: str, offset: int) -> Expected:
        """The word of a read that samples now."""
        found = self.place(space, offset)
        if found is None:
            return 0, 0xFFFFFFFF
        register, index = found
        if space == "KEY":
            return self._read_key(state, cycle, register, offset & -REGISTER_BYTES)
        show = getattr(self, f"_read_{register.name.lower()}", None)
        if show:
            return show(state, cycle, index)
        return self.model.registers[register.name] & register.readable, 0xFFFFFFFF

    def _read_key(self, state: State, cycle: int, register: Register, offset: int) -> Expected:
        if register.name == "MEK":
            return 0, 0xFFFFFFFF
        if register.name != "CTRL":
            return int.from_bytes(state.words[offset : offset + 4], "little"), 0xFFFFFFFF
        ready = cycle >= state.clear and not state.power
        flags = (state.run is not None) | state.done << 1 | ready << 31
        return flags | state.shown << 2 | state.error << 16, 0xFFFFFFFF

    def _read_status(self, state: State, cycle: int, _: int) -> Expected:
        clearing = cycle < state.clear
        kat = any(held.kat for _, held in state.slots)
        bits = (not clearing and not state.power, clearing, state.run is not None, state.window.phase != "none")
        bits = (*bits, state.test != "idle", bool(state.tested[1]) and not kat)
        return sum(bit << n for n, bit in enumerate(bits)), 0x7F if not clearing else 0x5F

    def _read_irq_status(self, state: State, cycle: int, _: int) -> Expected:
        return state.irq, 0xFFFFFFFF

    def _read_first_fault(self, state: State, cycle: int, _: int) -> Expected:
        return state.log.first, 0xFFFFFFFF

    def _read_fault_count(self, state: State, cycle: int, index: int) -> Expected:
        return state.log.counts[index], 0xFFFFFFFF

    def _read_slot_state(self, state: State, cycle: int, _: int) -> Expected:
        slot = self.model.registers["SLOT_SELECT"]
        run, held = state.run, state.held(slot)
        closing = run is not None and run.slot == slot and run.phase in ("closes", "closed", "freed")
        bits = 1 | held.kat << 1 | (held.aux & 4) | (held.aux & 3) << 4 | held.marks << 6 if held else 0
        mask = 0xFFFFFFFF if cycle >= state.clear else 0xFFFFFF00
        if slot == self.model.slots - 1 and state.test == "holds":
            mask &= ~0xF
        return bits | closing << 3, mask & ~8 if run is not None and run.phase in ("closes", "freed", "noted") else mask

    def _read_slot_blocks_lo(self, state: State, cycle: int, _: int) -> Expected:
        slot = self.model.registers["SLOT_SELECT"]
        held, settled = state.held(slot), cycle - self.settles
        busy = any(abs(unit.last + 2 - cycle) <= self.settles for unit in self.model.units)
        since = max(self.selected, state.clear, self.model.ran_until, self.model.held_until)
        if busy or settled < since or state.window.phase != "none":
            return ANY
        return held.blocks if held else 0, 0xFFFFFFFF

    def _read_slot_blocks_hi(self, state: State, cycle: int, _: int) -> Expected:
        return 0, 0xFFFFFFFF  # no play has 2^32 blocks

    def _read_selftest(self, state: State, cycle: int, _: int) -> Expected:
        done, passed, number = state.tested
        return (state.test != "idle") << 1 | done << 2 | passed << 3 | number << 8, 0xFFFFFFFF

    def _read_window_status(self, state: State, cycle: int, _: int) -> Expected:
        sent = state.window
        if cycle == self.model.cleared_at + 1:  # FAULT follows in the next cycle
            return ANY
        if sent.phase != "none" or not sent.done:
            return int(sent.phase != "none"), 0xFFFFFFFF
        wrong = sent.wrong is not None
        return 2 | wrong << 2 | (sent.wrong or 0) << 8, 0xFFFFE0FF if sent.vague else 0xFFFFFFFF

    def _read_window_tweak(self, state: State, cycle: int, index: int) -> Expected:
        at = REGISTER_BYTES * index
        return int.from_bytes(state.tweak[at : at + 4], "little"), 0xFFFFFFFF

    def _read_window_data_in(self, state: State, cycle: int, index: int) -> Expected:
        return 0, 0xFFFFFFFF

    def _read_window_data_out(self, state: State, cycle: int, index: int) -> Expected:
        sent, at = state.window, REGISTER_BYTES * index
        if cycle == self.model.cleared_at + 1:
            return ANY
        if sent.phase != "none" or not sent.done or sent.wrong is not None:
            return 0, 0xFFFFFFFF
        return int.from_bytes(sent.result[at : at + 4], "little"), 0xFFFFFFFF

    # Writes

    def response(self, state: State, cycle: int, space: str, offset: int, value: int, strobe: int) -> Expected:
        """The response of a write that takes effect now."""
        found = self.place(space, offset)
        if found is None or all(field.access is Access.RO for field in found[0].fields):
            return SLVERR, 3
        refused = self._refused_key if space == "KEY" else self._refused
        return (SLVERR if refused(state, cycle, found[0].name, value, strobe) else OKAY), 3

    def aborts(self, space: str, offset: int, value: int, strobe: int) -> bool:
        """Whether a write gives up the running command."""
        found = self.place(space, offset)
        return found is not None and space == "KEY" and found[0].name == "CTRL" and bool(strobe & 1) and _aborts(value)

    @staticmethod
    def _refused_key(state: State, cycle: int, name: str, value: int, strobe: int) -> bool:
        if name != "CTRL":
            return state.run is not None or cycle < state.clear
        if not strobe & 1:
            return False
        if state.run:
            return not _aborts(value)
        return bool(state.done and not value & 2)

    def _refused(self, state: State, cycle: int, name: str, value: int, strobe: int) -> bool:
        if name in FREEZABLE:
            return bool(self.model.registers["POLICY"] & 8)
        if name in OF_ENGINE_WINDOW:
            return state.window.phase != "none" or cycle < state.clear
        if name == "WINDOW_REQUEST":
            return bool(value >> 31 and strobe & 8) and state.window.phase != "none"
        return name == "SELFTEST" and bool(value & strobe & 1) and state.test != "idle"

    def write(self, cycle: int, space: str, offset: int, value: int, strobe: int) -> None:
        """The effect of a write that was accepted."""
        found = self.place(space, offset)
        assert found is not None
        register, index = found
        if space == "KEY":
            self._write_key(cycle, register, offset & -REGISTER_BYTES, value, strobe)
            return
        mask = sum(0xFF << 8 * lane for lane in range(4) if strobe >> lane & 1)
        kept = sum(field.mask for field in register.fields if field.access is Access.RW)
        sets = sum(field.mask for field in register.fields if field.access is Access.W1S)
        old = self.model.registers[register.name]
        self.model.registers[register.name] = old & ~(mask & kept) | value & mask & (kept | sets)
        given = value & mask
        act = getattr(self, f"_write_{register.name.lower()}", None)
        if act:
            act(cycle, index, given, mask)

    def _write_key(self, cycle: int, register: Register, at: int, value: int, strobe: int) -> None:
        model = self.model
        if register.name != "CTRL":

            def stored(state: State) -> State:
                words, marks = bytearray(state.words), bytearray(state.marks)
                for lane in range(REGISTER_BYTES):
                    if strobe >> lane & 1:
                        words[at + lane], marks[at + lane] = value >> 8 * lane & 0xFF, 1
                return state._replace(words=bytes(words), marks=bytes(marks))

            model.change(stored)
        elif strobe & 1:
            change = model.change
            if _aborts(value):
                model.spread(cycle + 1, command=False)
                model.cleared_at = cycle
                change = model.clear_by
            change(lambda state: self._control(state, cycle, value))

    def _control(self, state: State, cycle: int, value: int) -> State:
        """The state after a write of CTRL."""
        execute, finish, command = value & 1, value & 2, value >> 2 & 15
        model, end = self.model, cycle + self.model.bounds.zeroize
        if state.run:  # ZEROIZE
            run = state.run._replace(command=command, phase="zeroize")
            return model.zeroize(state._replace(run=run, shown=command), end)
        if finish:
            if not state.done:
                return state._replace(error=0, shown=0)
            kept = METD.start
            words = {name: getattr(state, name)[:kept] + bytes(AUX.stop - kept) for name in ("words", "marks")}
            return state._replace(done=0, error=0, shown=0, **words)
        if not execute:
            return state._replace(shown=command)
        if cycle < state.clear or state.power:
            return state._replace(done=1, error=CommandError.BUSY, shown=command, irq=state.irq | BITS["COMMAND"])
        started = model.execute(state, command, cycle)
        return model.zeroize(started, end) if command == KeyCommand.ZEROIZE else started

    def _write_irq_status(self, cycle: int, index: int, given: int, mask: int) -> None:
        self.model.change(lambda state: state._replace(irq=state.irq & ~given))

    def _write_fault_clear(self, cycle: int, index: int, given: int, mask: int) -> None:
        if given & 1:
            self.model.change(lambda state: state._replace(log=self.model.no_log()))

    def _write_slot_select(self, cycle: int, index: int, given: int, mask: int) -> None:
        self.selected = cycle

    def _write_zeroize(self, cycle: int, index: int, given: int, mask: int) -> None:
        if given & 1:
            self.model.clear(cycle, cycle)

    def _write_selftest(self, cycle: int, index: int, given: int, mask: int) -> None:
        if given & 1:
            self.model.change(lambda state: state._replace(test="waits", tested=(0, 0, 0)))

    def _write_window_tweak(self, cycle: int, index: int, given: int, mask: int) -> None:
        at = REGISTER_BYTES * index
        self.model.change(lambda state: state._replace(tweak=_merged(state.tweak, at, given, mask)))

    def _write_window_data_in(self, cycle: int, index: int, given: int, mask: int) -> None:
        at = REGISTER_BYTES * index
        self.model.change(lambda state: state._replace(data=_merged(state.data, at, given, mask)))

    def start_window(self, cycle: int) -> None:
        """START of the window takes effect, a cycle after its write."""
        self.model.change(lambda state: self._started(state, cycle))

    def _started(self, state: State, cycle: int) -> State:
        """The state with a request of the window."""
        registers, most = self.model.registers, len(state.data)
        request, size, closed = registers["WINDOW_REQUEST"], registers["WINDOW_SIZE"], registers["POLICY"] & 16
        tweak_size = registers.get("WINDOW_TWEAK_SIZE", len(state.tweak))
        wrong, bad = None, not self.model.window_least <= size <= most
        vague = bad and not closed and abs(cycle - self.model.cleared_at) <= 1
        if closed or cycle < state.clear:
            wrong = GONE
        elif bad:
            wrong = self.model.bit[next(c for c in self.model.bit if c.name == ("LONG" if size > most else "SHORT"))]
        tweak = state.tweak.ljust(tweak_size, b"\0")[:tweak_size]
        sent = Sending("waits", request & 0xFFFF, bool(request >> 16 & 1), tweak, state.data[:size], wrong, vague)
        return state._replace(window=sent)


def _aborts(control: int) -> bool:
    """Whether a word of CTRL is EXE with ZEROIZE."""
    return control & 3 == 1 and control >> 2 & 15 == KeyCommand.ZEROIZE


def _merged(data: bytes, at: int, given: int, mask: int) -> bytes:
    """Data with the bytes of a word at ``at`` that ``mask`` selects."""
    old = int.from_bytes(data[at : at + 4], "little")
    return data[:at] + (old & ~mask | given).to_bytes(4, "little") + data[at + 4 :]
