# SPDX-License-Identifier: Apache-2.0
"""The proof that nobody can read a key through registers: two engines with different keys look alike.

The core inside is closed: outputs are shared, inputs are compared, the key left out. Rules of the core prove that data
and handshakes show no key.
"""

import time

from wideblock.export.contract import Contract
from wideblock.export.enclosed import ROWS
from wideblock.rtl.bus.key_map import KEY_MAP
from wideblock.rtl.bus.registers import REGISTER_BYTES
from wideblock.verify.formal.flat import Flat, flatten
from wideblock.verify.formal.proof import NotApplicable, NotProved, Proof
from wideblock.verify.formal.rules.engine import INSIDE
from wideblock.verify.formal.two_steps import NEVER, Shared, places, prove_shared

__all__ = ["prove_keys"]

STATEMENT = "no output and no register but those for words of a key depends on such a word"
COMPARED = f"{STATEMENT}, but by the comparison of its halves"

_WORD = "core.key_bus.word"
_GO, _ADDRESS = "core.key_bus.write_go", "core.key_bus.write_held_address"
_GIVEN = "core.core.key__payload"
"""Input of the core with key and slot."""


def prove_keys(core: Contract, flat: Flat | None = None) -> Proof:
    """Proves of an engine that no word of a key can be read, by buses, streams or controls.

    Words of a key are written to MEK alone. ``flat`` is proved in place of the core's own Verilog, with the core inside
    closed. Raises :class:`NotApplicable` for a core without registers.
    """
    if not core.registers:
        raise NotApplicable("no registers: keys come through a stream, and nothing can be read")
    if core.headed:
        raise NotApplicable("the rule is about an engine alone: header=false")
    start = time.monotonic()
    (written,) = (stream for stream in core.shell.streams if stream.channel.name == "key_w")
    mek, bits = KEY_MAP.register("MEK"), KEY_MAP.address_bits
    elsewhere = f"a.now.{_GO} && a.now.{_ADDRESS}[{bits - 1}:2] >= {mek.end // REGISTER_BYTES}"
    secret = [f"core.commands.memory.words.{ROWS}[{row}]" for row in range(mek.count)]
    secret += [written.port("data"), "core.commands.key", f"{_GIVEN}.key"]
    parts = dict.fromkeys(secret, Shared(NEVER, NEVER)) | {_WORD: Shared(elsewhere, NEVER)}
    parts |= {name: Shared() for name in (_GO, _ADDRESS)}
    if core.component.commands.differ:
        parts |= {f"core.commands.{compared}": Shared(after=NEVER) for compared in ("differs", "differs_near")}
    proved, gates = prove_shared(
        flat or flatten(core, INSIDE),
        parts,
        Shared(),
        fields={_GIVEN: places(core.component.core.interface.channel("key").fields)},
        signals={},
        rows=True,
    )
    if not proved:
        raise NotProved(f"{core.module}: a word of a key reaches more than its own registers")
    statement = COMPARED if core.component.commands.differ else STATEMENT
    return Proof(statement, "SAT, one step of two engines that differ in keys", gates, 0, time.monotonic() - start)
