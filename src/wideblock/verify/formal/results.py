# SPDX-License-Identifier: Apache-2.0
"""The proof of secrecy of an engine: two engines with different data, tweaks and results look alike.

Data and tweaks of the user's stream go to the core. A result goes to the output stream while the stream is valid, or
into the window's memory, for reads of the register bus; the self-test compares a result. Nothing else depends on data,
tweaks or results.
"""

import time

from amaranth.lib.wiring import In

from wideblock.export.contract import Contract
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.proof import NotProved, Proof
from wideblock.verify.formal.rules.engine import INSIDE
from wideblock.verify.formal.two_steps import NEVER, Shared, places, prove_shared

__all__ = ["prove_results"]

_CONTENTS = ("data", "tweak")
_COMPARED = ("core.selftest.wrong", "core.selftest.wrong_first")
_RESULTS, _READABLE, _READ = "core.window.results", "core.window.result_readable", "core.of_result"
_WORD = f"{_RESULTS}.row0"
_DONE, _ERROR = "core.window.done", "core.window.error"


def prove_results(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves of an engine that a result is shown only while the output is valid, or read from the window.

    ``flat`` is proved in place of the core's own Verilog, with the core inside closed. Raises :class:`NotProved`.
    """
    start = time.monotonic()
    payloads = (payload for stream in core.shell.streams for payload in stream.payload.items())
    fields = {port: places(own) for port, own in payloads if len(own) > 1}
    parts: dict[str, Shared] = {}
    for stream in core.shell.streams:
        if stream.channel.name in ("i", "o"):
            valid = "" if stream.channel.flow is In else f"!a.{stream.valid}"
            for port, own in stream.payload.items():
                names = {field.name: f"{port}.{field.name}" if port in fields else port for field in own}
                parts |= {names[name]: Shared(NEVER, valid) for name in _CONTENTS if name in names}
            inner = f"core.core.{stream.channel.name}__payload"
            fields[inner] = places(core.component.core.interface.channel(stream.channel.name).fields)
            parts |= {f"{inner}.{name}": Shared(NEVER, NEVER) for name in _CONTENTS if name in fields[inner]}
    parts |= {name: Shared(after=NEVER) for name in _COMPARED}
    parts |= {_WORD: Shared(NEVER, NEVER), _RESULTS: Shared(before=NEVER), f"{_RESULTS}.written": Shared(after=NEVER)}
    parts |= {name: Shared() for name in (_READABLE, _READ, _DONE, _ERROR)}
    proved, gates = prove_shared(
        flat or flatten(core, INSIDE),
        parts,
        Shared(),
        fields=fields,
        signals={},
        given=[f"!(a.now.{_READABLE} && a.now.{_READ}) || a.now.{_WORD} == b.now.{_WORD}"],
        goals=[f"!one.next.{_READABLE} || one.now.{_DONE} && !one.now.{_ERROR}"],
    )
    if not proved:
        raise NotProved(f"{core.module}: data, tweaks or results reach more than their ports and the window")
    (valid,) = (stream.valid for stream in core.shell.streams if stream.channel.name == "o")
    return Proof(
        f"no output and no register but the window's results depends on data and tweaks of a stream or on a result, "
        f"but for data of the output while {valid}, for WINDOW_DATA_OUT while the window has a result, and for a wrong "
        f"answer of the self-test; the core inside is proved with registers=none",
        "SAT, one step of two engines that differ in data and results",
        gates,
        0,
        time.monotonic() - start,
    )
