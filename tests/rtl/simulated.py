# SPDX-License-Identifier: Apache-2.0
"""A component in Amaranth's simulator."""

from types import SimpleNamespace

from amaranth.hdl import Fragment
from amaranth.hdl._mem import MemoryInstance
from amaranth.sim import Simulator as AmaranthSimulator
from amaranth.sim._pyrtl import _FragmentCompiler
from amaranth.sim.pysim import PySimEngine

__all__ = ["Simulator", "run"]


def run(dut, bench):
    """Runs ``bench``, a test bench of Amaranth, against ``dut`` with a clock."""
    simulator = Simulator(dut)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()


class Simulator(AmaranthSimulator):
    """Amaranth's, with an engine that evaluates an assignment once where its inputs change; it writes no waveforms.

    Amaranth's own evaluates all assignments of a module again for every level of logic in it.
    """

    def __init__(self, toplevel):
        super().__init__(toplevel, engine=_Engine)


class _Engine(PySimEngine):
    """Combinational statements are processes of their own, one for each signal, in the order of their dependences."""

    def __init__(self, design):
        super().__init__(SimpleNamespace(fragment=Fragment()))
        self._design = design
        self._state.signals = _Indices()
        parts = _in_order(_parts(design.fragment))
        compiler = _FragmentCompiler(self._state)
        self._processes = compiler(design.fragment)
        self._ordered = [process for part in parts for process in compiler(part)]

    def reset(self):
        super().reset()
        for process in self._ordered:
            process.reset()

    def step_design(self):
        state, converged = self._state, False
        while not converged:
            for trigger in self._active_triggers:
                trigger.run()
            self._active_triggers.clear()
            for process in self._processes:
                if process.runnable:
                    process.runnable = False
                    process.run()
            converged = state.commit()
            for process in self._ordered:  # what one changes wakes others, which stand behind it but for loops
                if process.runnable:
                    process.runnable = False
                    process.run()
                    if state.pending and not state.commit():
                        converged = False


class _Indices:
    """Numbers of signals, as a dictionary."""

    def __init__(self):
        self.of = {}

    def __getitem__(self, signal):
        return self.of[signal.duid]

    def __setitem__(self, signal, index):
        self.of[signal.duid] = index


def _parts(fragment):
    """The combinational statements, taken out of ``fragment``: fragments, and the numbers of the signals they drive.

    Statements that drive one signal are in one fragment.
    """
    for inner, _name, _src_loc in fragment.subfragments:
        yield from _parts(inner)
    if isinstance(fragment, MemoryInstance):
        return
    groups = {}  # by the number of a signal
    for statement in fragment.statements.pop("comb", ()):
        driven, statements = {signal.duid for signal in statement._lhs_signals()}, [statement]
        for same, others in {id(group): group for number in driven if (group := groups.get(number))}.values():
            driven |= same
            statements[:0] = others
        groups.update(dict.fromkeys(driven, (driven, statements)))
    for driven, statements in {id(group): group for group in groups.values()}.values():
        part = Fragment()
        part.add_statements("comb", *statements)
        yield part, driven


def _in_order(parts):
    """Each part behind those that drive what it reads, but for loops."""
    parts = list(parts)
    writer = {number: part for part, driven in parts for number in driven}
    seen, order = set(), []

    def inputs(part):
        return iter({signal.duid for statement in part.statements["comb"] for signal in statement._rhs_signals()})

    for first, _driven in parts:
        stack = [] if first in seen else [(first, inputs(first))]
        seen.add(first)
        while stack:
            part, left = stack[-1]
            before = next((writer[number] for number in left if number in writer and writer[number] not in seen), None)
            if before is None:
                order.append(part)
                stack.pop()
            else:
                seen.add(before)
                stack.append((before, inputs(before)))
    return order
