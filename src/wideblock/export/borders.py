# SPDX-License-Identifier: Apache-2.0
"""Signals of an Amaranth design that stay whole in the RTLIL, and the names.

Amaranth takes a signal with a single assignment for a further name of the assigned bits. Across the border of a
module each piece of such a signal would become a port, ``port$551$0``.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from amaranth.hdl import Const, Fragment, Signal, Value
from amaranth.hdl._ast import Assign, Concat, SignalDict, Statement, Switch  # no public name
from amaranth.hdl._ir import Design, DesignFragmentInfo
from amaranth.lib import wiring
from amaranth.lib.memory import Memory

from wideblock.export.enclosed import enclose

__all__ = ["prepared"]

_MANY = 3
"""Values side by side from which on they are written once, for their name."""

_UNNAMED = ("port__", "$")
"""Beginnings of names that say nothing: Amaranth's, of a memory's port in a variable ``port`` or in none."""


def prepared(component: wiring.Component, ports: Mapping[str, tuple[Value, None]], module: str) -> Design:
    """The design, ready for ``rtlil.convert_fragment``, with a driving cell for each of the following signals:

    - signals of several modules, for example ports of parts: a port each, of the whole signal;
    - signals that are assigned several values side by side.

    The cell is the process of an assignment under a condition that always holds. The function stays the same.
    """
    fragment = Fragment.get(component, None)
    enclose(fragment)
    design = fragment.prepare(ports, hierarchy=(module,))
    users = SignalDict()
    for fragment, info in design.fragments.items():
        _name(fragment, info, design)
        for signal in info.used_signals:
            users[signal] = users.get(signal, 0) + 1
    for fragment in design.fragments:
        if "comb" in fragment.statements:
            _keep(fragment, users)
    return design


def _keep(fragment: Fragment, users: SignalDict) -> None:
    statements = fragment.statements["comb"]
    fragment.statements["comb"] = type(statements)(
        Switch(Const(1), [("1", [each], each.src_loc)]) if _stays(each, users) else each for each in statements
    )


def _stays(statement: Statement, users: SignalDict) -> bool:
    if not isinstance(statement, Assign) or isinstance(statement.rhs, Const):
        return False
    return isinstance(statement.lhs, Signal) and (users[statement.lhs] > 1 or _pieces(statement.rhs) >= _MANY)


def _pieces(value: Value) -> int:
    """Number of values side by side that a value is made of."""
    return sum(map(_pieces, value.parts)) if isinstance(value, Concat) else 1


def _name(fragment: Fragment, info: DesignFragmentInfo, design: Design) -> None:
    """Names the signals of a module: the module's ports by name, then all other ports.

    Of several with a common name the first keeps the name; a port of a part has the part's name in front, any other a
    number behind.
    """
    memory = any(isinstance(origin, Memory) for origin in fragment.origins or ())
    own = SignalDict((signal, member if memory else signal.name) for signal, member in _members(fragment))
    if memory:  # its domain has a reset, which no memory has
        for signal in [signal for signal, name in info.signal_names.items() if name == "rst"]:
            del info.signal_names[signal]
    names = [design.fragments[part].name[-1] for part, *_ in fragment.subfragments]
    parts = SignalDict()
    for name, (part, *_) in zip(names, fragment.subfragments, strict=True):
        for signal, member in _members(part):
            parts[signal] = f"{name}__{member}"
    outside = {name for name, *_ in design.ports} if fragment is design.fragment else set()
    taken = outside | set(names)
    for signal in sorted(info.signal_names, key=lambda signal: signal not in own):
        if info.signal_names[signal] in outside:
            continue
        name, number = own.get(signal, signal.name), 1
        if signal in parts and signal not in own and (name in taken or name.startswith(_UNNAMED)):
            name = parts[signal]
        while (unique := name if number == 1 else f"{name}_{number}") in taken:
            number += 1
        taken.add(unique)
        info.signal_names[signal] = unique


def _members(fragment: Fragment) -> Iterator[tuple[Signal, str]]:
    """The port signals of the components of a module, and names as ports of a part."""
    components: Iterable[object] = fragment.origins or ()
    for component in components:
        if isinstance(component, Memory):
            for way, of in (("read", component.read_ports), ("write", component.write_ports)):
                for number, port in enumerate(of):
                    for field in ("addr", "data", "en"):
                        yield from _signal(getattr(port, field), f"{way}{number if len(of) > 1 else ''}_{field}")
        elif isinstance(component, wiring.Component):
            signature: Any = component.signature
            for path, _, member in signature.flatten(component):
                yield from _signal(member, "__".join(map(str, path)))


def _signal(member: Value, name: str) -> Iterator[tuple[Signal, str]]:
    value = Value.cast(member)
    if isinstance(value, Signal):
        yield value, name
