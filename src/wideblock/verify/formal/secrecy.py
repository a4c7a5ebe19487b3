# SPDX-License-Identifier: Apache-2.0
"""Proof that no secret is on an output port while no word is valid there, nor from ``zeroize`` on.

Three claims about the exported Verilog. Each claim is about single cycles, for all values of all other registers,
memories and inputs in the cycle, reachable or not.

Writes: in a cycle of clearing each word written to a memory is zero.

Registers: the data of an output port depend on output registers in the same cycle. All output registers keep their
values in the first cycle of clearing, and are zero from the third cycle on. At all other times output registers are
kept until the exit fetches a beat of a finished sector. Then output registers are loaded from the ring of results and
from memories named by the family, at the row of the leaving sector.

Ports: the data of a port depend on output registers alone: on no input, no cipher and no memory. Two kinds of core have
other ports. In single pass the port is the oldest row of the queue of results, row 0 while clearing. A port of messages
is 0 or a word of the result buffer unless a header or a word of a tag is valid.

Zero is proved of registers loaded with zero by clearing, and of memories by the first claim. The first cycle of
clearing writes row 0: a reset and each cycle without clearing set the row number to zero.

Assumed: a finished sector is whole in the ring, as the rule ``order`` and the simulation show; closed parts, ciphers
and multipliers, may give any results. Registers are covered from the first reset on, not at power-up.

Method: values by constant propagation, see :mod:`~wideblock.verify.formal.substitution`.
"""

import time
from collections.abc import Iterable

from amaranth.lib.wiring import Out

from wideblock.export.contract import Contract
from wideblock.verify.formal.flat import Flat, closed_memories, flatten
from wideblock.verify.formal.induction import CLEAR
from wideblock.verify.formal.master_data import prove_master_data
from wideblock.verify.formal.proof import NotProved, Proof
from wideblock.verify.formal.results import prove_results
from wideblock.verify.formal.rules import family
from wideblock.verify.formal.rules.outputs import Given, OutputPlaces, Queue
from wideblock.verify.formal.substitution import Bit, CellNetlist, Values

__all__ = ["prove_secrecy"]


def prove_secrecy(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves that while no word is valid, and from ``zeroize`` on, a data port has zeros or an earlier result.

    For an engine see :func:`~wideblock.verify.formal.results.prove_results`, for a master
    :func:`~wideblock.verify.formal.master_data.prove_master_data`. ``flat`` is proved in place of the core's own
    Verilog. Raises :class:`NotProved`, also for a core without a signal of the argument.
    """
    if core.mastered:
        return prove_master_data(core, flat)
    if core.registers and not core.headed:
        return prove_results(core, flat)
    start = time.monotonic()
    output = family(core).output(core)
    if inside := closed_memories(core, output.closed):
        raise NotProved(f"{core.module}: memories that are written in closed parts: {', '.join(inside)}")
    secrecy = _Secrecy(core, CellNetlist(flat or flatten(core, output.closed)))
    secrecy.writes()
    secrecy.rows(output)
    if isinstance(output, Queue):
        secrecy.queue(output)
        claim = "the port is the oldest row of the queue of results, which is zero from the second cycle after zeroize"
    else:
        secrecy.ports(output)
        claim = "output registers load rows of finished results alone and are zero from the third cycle after zeroize"
    return Proof(
        f"each word that is written to a memory while clearing is zero; {claim} on; "
        f"read: {', '.join(output.places)}; assumed: what the exit takes for finished is whole",
        "constant propagation over single cycles",
        secrecy.net.gates,
        len(secrecy.net.registers),
        time.monotonic() - start,
    )


class _Secrecy:
    """The three claims about one netlist; each method raises :class:`NotProved`."""

    def __init__(self, core: Contract, net: CellNetlist):
        self.core, self.net = core, net
        shell = core.shell
        self.running = {shell.reset: int(shell.active_low)}
        self.clear, self.reset = {CLEAR: 1}, {shell.reset: int(not shell.active_low)}
        (self.stream,) = (stream for stream in shell.streams if stream.channel.flow is Out)
        self.data = [bit for port in self.stream.payload for bit in net.bits(port)]
        in_clear = self._values(self.clear)
        self.forgotten: dict[Bit, Bit] = {q: "0" for q, d in net.registers.items() if in_clear.of(d) == "0"}

    def writes(self) -> None:
        """Each word written in a cycle of clearing is zero."""
        values = self._values(self.clear)
        for write in self.net.writes:
            for data, enable in zip(write.data, write.enable, strict=True):
                self._require(
                    "0" in (values.of(data), values.of(enable)),
                    f"a word that is written to {write.memory} while clearing may not be zero",
                )

    def rows(self, output: OutputPlaces | Queue) -> None:
        """The first cycle of clearing writes row 0 of the places: its number is 0 until clearing has begun."""
        values = self._values(self.clear)
        counted: set[Bit] = set()
        for write in self.net.writes:
            if write.memory.startswith(output.places):
                self._require(
                    set(values.all(write.enable)) == {"1"}, f"{write.memory} may not be written in a cycle of clearing"
                )
                counted |= {bit for bit in values.all(write.address) if bit != "0"}
        running = self.running | {CLEAR: 0}
        for given, event in ((self.reset, "a reset"), (running, "a cycle without clearing")):
            values = self._values(given)
            zero = all(values.of(self.net.registers.get(bit, "x")) == "0" for bit in counted)
            self._require(zero, f"{event} does not set the number of the row that is cleared to 0")
        begins = dict.fromkeys(("zeroize", *output.begins), 0)
        self._require(self._next(CLEAR, running | begins) == ["0"], "clearing begins without zeroize")

    def ports(self, output: OutputPlaces) -> None:
        """The port is made of output registers, which keep their values or are loaded as they may."""
        self._require(
            self._next(output.erase, self.running) == self._roots(CLEAR)
            and self._next(output.erase, self.reset) == ["0"],
            f"{output.erase} is not that the core cleared in the cycle before",
        )
        registers: set[Bit] = set()
        for given in output.port:
            values = self._values(given)
            for bit in self.net.sources(self.data, values):
                self._require(
                    bit in self.net.registers,
                    f"{self.net.name(bit)}, no register, is on {self._port} where {_text(given)}",
                )
                registers.add(bit)
        for given in output.valid:
            values = self._values({**given, CLEAR: 0})
            self._require(
                values.all(self.net.bits(self.stream.valid)) == ["1"], f"no word is valid where {_text(given)}"
            )
        erased = self._values({output.erase: 1}, self.forgotten)
        self._require(
            not output.valid or set(erased.all(self.data)) <= {"0"} | registers, f"{self._port} is not erased"
        )
        self._kept(registers, {CLEAR: 1, output.erase: 0}, "in the first cycle of clearing")
        self._kept(registers, {CLEAR: 0, output.erase: 0, output.fetch: 0}, f"without {output.fetch}")
        nothing = self._values({CLEAR: 0, output.pending: 0}).all(self.net.bits(output.fetch))
        self._require(nothing == ["0"], f"{output.fetch} is high without {output.pending}")
        self._loaded(registers, output)

    def queue(self, output: Queue) -> None:
        """The port is the row at the head of a queue; the head moves with a taken beat, and is cleared."""
        path, (place,) = f"core.{output.name}", output.places
        head = self._roots(f"{path}.head")
        values = self._values({})
        for bit in self.net.sources(self.data, values):
            read = self.net.reads.get(bit)
            self._require(
                read is not None and read.memory == place and values.all(read.address) == head,
                f"{self.net.name(bit)}, no bit of the row at {path}.head, is on {self._port}",
            )
        kept = self._next(f"{path}.head", self.running | {CLEAR: 0, f"{path}.read": 0})
        self._require(kept == head, f"{path}.head moves without a beat that is taken")
        self._require(set(self._next(f"{path}.head", self.clear)) == {"0"}, f"{path}.head is not cleared")
        without = self._values({CLEAR: 0, f"{path}.write": 0})
        for write in self.net.writes:
            if write.memory == place:
                self._require(set(without.all(write.enable)) == {"0"}, f"{place} is written without {path}.write")
        self._require(
            self._values({f"{path}.valid": 0}).all(self.net.bits(f"{path}.read")) == ["0"],
            f"{path} is read while it is empty",
        )

    def _kept(self, registers: Iterable[Bit], given: Given, when: str) -> None:
        values = self._values(given)
        for bit in registers:
            self._require(
                values.of(self.net.registers[bit]) == bit, f"{self.net.name(bit)} on {self._port} changes {when}"
            )

    def _loaded(self, registers: Iterable[Bit], output: OutputPlaces) -> None:
        """While they are erased, output registers are loaded with 0 or row 0; else from the places, at the address."""
        net = self.net
        erased = self._values({output.erase: 1}, self.forgotten)
        fetched = self._values({CLEAR: 0, output.erase: 0, output.fetch: 1})
        address = {bit for name in output.address for bit in self._roots(name)}
        for bit in registers:
            value, name = erased.of(net.registers[bit]), net.name(bit)
            read = net.reads.get(value)
            row = read is not None and read.memory.startswith(output.places) and set(erased.all(read.address)) == {"0"}
            self._require(value == "0" or row, f"{name} on {self._port} is not erased")
            for source in net.sources([net.registers[bit]], fetched):
                read = net.reads.get(source)
                if read is None:
                    right = source in address or source == bit  # a refused sector leaves the register as it is
                else:
                    from_address = set(net.sources(read.address, fetched)) <= address
                    right = read.memory.startswith(output.places) and from_address
                origin = net.name(source) if read is None else f"a row of {read.memory}"
                self._require(right, f"{name} on {self._port} is loaded with {origin}")

    @property
    def _port(self) -> str:
        return next(iter(self.stream.payload))

    def _values(self, given: Given, known: dict[Bit, Bit] | None = None) -> Values:
        """Values where signals are given; what only has the value of a register counts as that register."""
        bits: dict[Bit, Bit] = dict(known or {})
        for name, number in given.items():
            bits |= {bit: str(number >> k & 1) for k, bit in enumerate(self._roots(name))}
        return Values(self.net, bits)

    def _roots(self, name: str) -> list[Bit]:
        return Values(self.net, {}).all(self.net.bits(name))

    def _next(self, name: str, given: Given) -> list[Bit]:
        """Values of a register in the next cycle."""
        return self._values(given).all(self.net.registers.get(bit, "x") for bit in self._roots(name))

    def _require(self, holds: bool, otherwise: str) -> None:
        if not holds:
            raise NotProved(f"{self.core.module}: {otherwise}")


def _text(given: Given) -> str:
    return " and ".join(f"{name} is {value}" for name, value in given.items()) or "any word is"
