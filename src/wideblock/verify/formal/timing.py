# SPDX-License-Identifier: Apache-2.0
"""Proof that the cycles of a core depend on no bit of data, tweak or key, by the cone of its control outputs.

Control outputs are handshakes, marks of ends and lengths, and status. An input bit outside of the cone cannot influence
a control output in any run, from any state. The ciphers, the multipliers and the memories are in the netlist. The core
declares, as influences in the behaviour, inputs allowed in the cone, and public values made of data. The search ends at
declared influences:

FieldInfluence: bits of the ports
HeaderWords:    a bit of a word in the cone must not matter to any register or output of the cone while the word is no
                header. Proved by SAT for one cycle, in any state in which headers are read in the right place; the
                state is proved by induction
EqualHalves:    the register's next value must be equal for any two keys with equal halves, and for any two keys with
                different halves; by SAT
Outcome:        assumed to be equal in both runs
"""

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from amaranth.lib.wiring import In

from wideblock.export.contract import Contract
from wideblock.rtl.stream.influence import EqualHalves, FieldInfluence, HeaderWords, Influence, OutcomeInfluence
from wideblock.synth.targets import Fpga
from wideblock.synth.yosys import Source, netlist
from wideblock.verify.formal.cone import Cone, Graph, is_state
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.induction import CLEAR, prove
from wideblock.verify.formal.proof import NotApplicable, NotProved, Proof
from wideblock.verify.formal.rules import family
from wideblock.verify.formal.step import NextState, Unequal

__all__ = ["prove_timing", "prove_timing_of_netlist", "timing_of"]

DATA = ("data", "word", "key", "icv")
"""Fields with contents. All other fields of an output are marks of ends and lengths."""

_COLLECTED = ("commands.key", "passage.beat", "window.messages__tweak")
"""Registers of an engine for key, data and tweak from the buses."""


def prove_timing(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves that the control outputs of a core depend only on declared influences.

    flat: the whole core; default: flattened from the exported Verilog
    In an engine, registers with a key, data and a tweak from the buses are inputs, too. Raises :class:`NotProved` with
    an output, the inputs in the cone and the signals on a path; :class:`NotApplicable` for a core with a header, as
    requests come with the data.
    """
    if core.headed:
        raise NotApplicable("the rule is about a core or an engine alone: header=false")
    start = time.monotonic()
    graph = Graph((flat or flatten(core, ())).netlist("memory_collect"))
    if _declared(core, HeaderWords):
        prove(core, family(core).places(core), flat)
    return _Search(core, graph, ()).proof(start)


def prove_timing_of_netlist(core: Contract, target: Fpga) -> Proof:
    """The same for the netlist of the core's Verilog, synthesised for ``target``.

    Raises :class:`NotApplicable` for a core with headers: synthesis encodes the registers anew that tell headers from
    other words. Raises :class:`NotApplicable` for an engine, too.
    """
    start = time.monotonic()
    if core.enclosed:
        raise NotApplicable("the rule is about netlists of a core alone: registers=none, header=false")
    if headers := _declared(core, HeaderWords):
        raise NotApplicable(f"synthesis encodes {headers[0].role} anew, which tells headers from other words")
    with tempfile.TemporaryDirectory() as directory:
        _, files = netlist(Source(core.verilog, core.module), target, Path(directory))
        return timing_of(core, json.loads(files.json.read_text()), models=files.models, start=start)


def timing_of(core: Contract, netlist: dict, *, models: Sequence[Path], start: float | None = None) -> Proof:
    """The proof for a netlist of the core in Yosys' JSON, and the models of the cells."""
    start = time.monotonic() if start is None else start
    return _Search(core, Graph(netlist["modules"][core.module]), models).proof(start)


def _declared(core: Contract, kind: type) -> list:
    return [influence for influence in core.behaviour.influences if isinstance(influence, kind)]


@dataclass(frozen=True)
class _Search:
    """A search; ``models``: models of cells of ``graph`` that are not Yosys' own."""

    core: Contract
    graph: Graph
    models: Sequence[Path]

    def proof(self, start: float) -> Proof:
        core, graph = self.core, self.graph
        cut = {
            bit
            for each in _declared(core, EqualHalves) + _declared(core, OutcomeInfluence)
            for bit in self._result(each)
        }
        ends = dict(self._outputs())
        for each in _declared(core, EqualHalves):
            ends |= dict.fromkeys(self._compared(each), str(each))
        cone = Cone(graph, ends, cut)
        for each in _declared(core, HeaderWords):
            self._headers(each, cone, cut, ends)
        allowed = {bit for each in core.behaviour.influences for bit in self._free(each)}
        if found := [(name, bit) for name, bit in self._contents() if bit in cone and bit not in allowed]:
            path = min((cone.path(bit) for _, bit in found), key=len)
            raise NotProved(self._leak([name for name, _ in found], path))
        used = [each for each in core.behaviour.influences if any(bit in cone for bit in self._bits(each))]
        return Proof(
            f"no bit of data, tweak or key influences {self._names()}; declared: "
            + ("; ".join(f"{each}: {each.reason}" for each in used) or "none"),
            "backward cone of the netlist",
            sum(not is_state(cell["type"]) for cell in graph.cells),
            graph.registers,
            time.monotonic() - start,
        )

    # The ports

    def _outputs(self) -> Iterator[tuple[int, str]]:
        """Each bit of a control output, and the name of the output."""
        for stream in self.core.shell.streams:
            inward = stream.channel.flow is In
            yield from self._port(stream.ready if inward else stream.valid)
            for port, fields in stream.payload.items():
                if not inward and not any(field.name in DATA for field in fields):
                    yield from self._port(port)
        for control in self.core.shell.controls:
            if control.flow is not In:
                yield from self._port(control.name)

    def _port(self, name: str) -> Iterator[tuple[int, str]]:
        return ((bit, name) for bit in self.graph.ports[name] if isinstance(bit, int))

    def _names(self) -> str:
        return ", ".join(dict.fromkeys(name for _, name in self._outputs()))

    def _contents(self) -> Iterator[tuple[str, int]]:
        """Each bit of an input word, and of an engine's registers of input words, with a name."""
        for signal in _COLLECTED if self.core.registers else ():
            yield from ((f"{signal}[{place}]", bit) for place, bit in enumerate(self._named(signal)))
        for stream in self.core.shell.streams:
            if stream.channel.flow is In:
                for port in stream.payload:
                    for place, (bit, _) in enumerate(self._port(port)):
                        yield f"{port}[{place}]", bit

    def _field(self, channel: str, name: str) -> list[int]:
        """The bits of a field of an input channel."""
        stream = self.core.shell.named(channel)
        port, low = stream.port(name), 0
        for field in stream.payload[port]:
            if field.name == name:
                return [bit for bit, _ in self._port(port)][low : low + field.width]
            low += field.width
        raise ValueError(f"channel {channel} has no field {name}")

    # The influences

    def _named(self, signal: str) -> list[int]:
        return [bit for bit in self.graph.signal(f"core.{signal}") if isinstance(bit, int)]

    def _result(self, influence: EqualHalves | OutcomeInfluence) -> list[int]:
        return self._named(influence.register if isinstance(influence, EqualHalves) else influence.signal)

    def _free(self, influence: Influence) -> list[int]:
        """Input bits that may be in the cone."""
        if isinstance(influence, FieldInfluence | HeaderWords):
            return self._field(influence.channel, influence.field)
        return []

    def _bits(self, influence: Influence) -> list[int]:
        """Bits in the cone by the influence."""
        return (
            self._result(influence) if isinstance(influence, EqualHalves | OutcomeInfluence) else self._free(influence)
        )

    def _compared(self, halves: EqualHalves) -> list[int]:
        """Proves that the register keeps the comparison; returns all other dependences."""
        key = self._named(halves.key)
        (bit,) = self._result(halves)
        register = self.graph.driver(bit)
        if register is None or not is_state(register["type"]):
            raise NotProved(f"{self.core.module}: {halves.register} is no register")
        ends = self.graph.inputs(register)
        step, half = NextState(self.graph, ends, key), len(key) // 2
        try:
            same = f"first[{half - 1}:0] == first[{len(key) - 1}:{half}]"
            step.prove("1", f"{{{len(key) - 1}'d0, !({same})}}", {}, self.models)
        except Unequal:
            raise NotProved(f"{self.core.module}: {halves.register} tells more than {halves}") from None
        return [*step.others, *ends - set(step.ends)]

    def _headers(self, words: HeaderWords, cone: Cone, cut: set[int], outputs: dict[int, str]) -> None:
        """Proves that words without headers do not matter to the cone in the next cycle."""
        inputs, graph, core = self._field(words.channel, words.field), self.graph, self.core
        ends = set(outputs)
        for node in cone:
            cell = graph.driver(node) if node > 0 and node not in cut else None
            if cell and is_state(cell["type"]):
                ends |= {source for source in graph.sources(node) if source > 0}
            elif node < 0 and is_state(graph.cells[-node - 1]["type"]):
                ends |= graph.inputs(graph.cells[-node - 1])
        signals = {
            "role": graph.signal(f"core.{words.role}"),
            "state": graph.signal(f"core.{words.state}"),
            "clear": graph.signal(CLEAR),
            "valid": graph.ports[core.shell.named(words.channel).valid],
        }
        places = " && ".join(f"(state != {state} || role == {role})" for state, role in words.states)
        header = " || ".join(f"role == {role}" for role in words.values)
        step = NextState(graph, ends, inputs)
        try:
            step.prove(f"(clear || {places}) && !(valid && ({header}))", "free", signals, self.models)
        except Unequal as unequal:
            bits = set(step.given(unequal.end))
            names = [name for name, bit in self._contents() if bit in bits]
            raise NotProved(self._leak(names, cone.path(unequal.end), " of words that are no headers")) from None

    def _leak(self, inputs: list[str], path: list[str], which: str = "") -> str:
        """The message for forbidden ``inputs`` in the cone; ``path``: from an input to an output."""
        more = f" and {len(inputs) - 4} more" if len(inputs) > 4 else ""
        shown = path if len(path) < 9 else [*path[:4], "..", *path[-4:]]
        return f"{self.core.module}: {path[-1]} depends on {', '.join(inputs[:4])}{more}{which}: {' -> '.join(shown)}"
