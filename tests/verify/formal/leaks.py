# SPDX-License-Identifier: Apache-2.0
"""Leaks put into flat cores: control that depends on data, on a tweak or on a key, as plausible mistakes would have it.

Each is a :class:`~.faults.Fault`, with a part of the message that must name the place.
"""

from .faults import Fault

__all__ = ["ENGINE_LEAKS", "LEAKS"]

CLOCK = {"clk": "aclk"}


def gated(name: str, signal: str, by: str, bits: str = "s[0]") -> Fault:
    """``signal`` is low, too, where ``bits`` of signal ``by``, which is ``s``, are high."""
    return Fault(name, signal, f"was && !({bits})", {"s": by})


SINGLE_PASS = (
    gated("ready gated by a bit of data", "core.entrance.i__ready", "s_axis_tdata", "s[77]"),
    gated("a stall that depends on the key", "core.control.go", "core.key_unit.round_keys", "s[5]"),
    Fault("a fault that depends on the tweak", "core.entrance.fault", "was | s[9]", {"s": "s_axis_tuser"}),
    Fault(
        "a comparison of key halves that tells a byte of the key",
        "core.key_unit.refused",
        "found",
        {"key": "s_axis_key_tdata", **CLOCK},
        "reg found; always @(posedge clk) found <= was || key[7:0] == 0;",
    ),
    Fault(
        "a flag memory addressed by data",
        "core.control.room",
        "was && !flag[0]",
        {"s": "core.entrance.x.data", **CLOCK},
        "reg flag [0:7]; always @(posedge clk) flag[s[2:0]] <= 1;",
    ),
    gated("a stall on a doubled tweak", "core.control.go", "core.T", "s[127]"),
)
HASH_COUNTER_HASH = (
    gated("an early exit on a zero block", "core.entrance.room", "core.entrance.x.data", "s[127:0] == 0"),
    gated(
        "a step of the hash skipped on a zero coefficient",
        "core.front_hash.front_ready",
        "core.entrance.x.data",
        "s == 0",
    ),
    gated("a hash key that is slow when even", "core.key_unit.derived", "core.key_unit.round_keys", "s[0]"),
)
HASH_ECB_HASH = (gated("tvalid delayed by the parity of a block", "core.exit.o__valid", "m_axis_tdata", "^s"),)
ENCRYPT_MIX_ENCRYPT = (
    Fault(
        "a result that leaves a cycle later where a bit of it is set",
        "core.exit.pending",
        "was && !late",
        {"s": "core.exit.data", **CLOCK},
        "reg late; always @(posedge clk) late <= s[3];",
    ),
    gated("a layer that waits on a mask", "core.go", "core.held_result_offset", "s[0]"),
)
FEISTEL_MIX_FEISTEL = (gated("a call skipped by a bit of the tweak", "core.YZ_goes", "core.YZ_number", "s[1]"),)
ANY_LENGTH = (
    Fault(
        "a bit of the tweak taken for its size",
        "core.entrance.dropping",
        "was | s[255]",
        {"s": "core.entrance.beat.tweak"},
    ),
)
XCB = (gated("a sector admitted late behind a zero block", "core.admission.free", "core.encryption.keyed", "s == 0"),)
AES_GCM = (
    Fault(
        "a segment that ends at a zero word",
        "core.pre.framing.o__payload.end",
        "was || s == 0",
        {"s": "pdi_data"},
    ),
    gated("a cipher that is valid late for some blocks", "core.cipher.aes.o__valid", "core.cipher.aes.o__payload"),
    gated("a key offered late", "core.loader.key__valid", "core.loader.key", "s[7]"),
    gated("a multiplication skipped on a zero block", "core.cipher.known", "core.pre.assembler.block", "s == 0"),
    Fault(
        "the first byte of a tag compared as it comes",
        "core.verdict._equal",
        "was | s[7:0] == 0",
        {"s": "core.pre.assembler.block"},
    ),
)
SCREAM = (
    gated("ready gated by a word of data", "core.pre.framing.i__ready", "pdi_data", "s[3]"),
    gated("a round more for some keys", "core.cipher.core.done", "core.cipher.core.key", "s[100]"),
    gated("a tag that is late when even", "core.verdict.tag__valid", "core.verdict.tag__payload", "!s[0]"),
)
MINALPHER = (gated("a permutation that waits on data", "core.cipher.P.done", "core.cipher.P.state", "s[64]"),)

LEAKS: dict[str, tuple[Fault, ...]] = {
    "xts-enc": SINGLE_PASS,
    "hctr2-1": HASH_COUNTER_HASH,
    "heh-poly": HASH_ECB_HASH,
    "eme2-1s": ENCRYPT_MIX_ENCRYPT,
    "aez-2ts": FEISTEL_MIX_FEISTEL,
    "hctr2-any": ANY_LENGTH,
    "xcb-1s": XCB,
    "aes-gcm": AES_GCM,
    "scream": SCREAM,
    "minalpher": MINALPHER,
}
"""Leaks of small cores of each family, and of three authenticated ciphers."""

ENGINE_LEAKS = (
    gated("ready gated by a bit of data", "core.core.entrance.i__ready", "s_axis_tdata", "s[77]"),
    gated("a load that waits on the key", "core.commands.key__valid", "core.commands.key", "s[5]"),
    gated("a window that stalls on its data", "core.passage.access__i__valid", "core.passage.beat", "s[3]"),
    gated("a window that stalls on its tweak", "core.passage.access__i__valid", "core.window.messages__tweak", "s[3]"),
)
