# SPDX-License-Identifier: Apache-2.0
"""The interface of sector cores: a sector and its tweak in, the result out, keys, zeroize and status."""

from amaranth.lib.wiring import In, Out

from .behaviour import Cause, Fault
from .interface import Channel, Control, Field, Interface, Read
from .parameters import SIZE_BITS, TWEAK_SIZE_BITS

__all__ = ["SLOT_BITS", "TWEAK_BITS", "WRONG_KEEP"]
__all__ += ["key_channel", "result_channel", "sector_channel", "sector_interface"]

TWEAK_BITS = 128
"""Bits of the tweak of most schemes."""

SLOT_BITS = 16
"""Bits of the number of a slot, for any number of slots."""

_GIVEN_BEHIND = "the sector's integrity check value, read to decrypt, then bytes that are not read"
_MADE_BEHIND = "the integrity check value of an encrypted sector, or zeros of a decrypted one, then zeros"

WRONG_KEEP = Fault(Cause.KEEP, "keep of a beat was not a run from byte 0, or not full before the last beat")
"""The bit of an entrance's ``fault`` for a wrong ``keep``."""


def sector_channel(
    width: int,
    *,
    keep: bool = False,
    tweak_bits: int = TWEAK_BITS,
    sized: bool = False,
    slots: bool = False,
    tag_bits: int = 0,
    icv_bits: int = 0,
    behind: str = "",
) -> Channel:
    """Beats of ``width`` blocks in.

    keep:     messages need not be whole beats
    sized:    the first beat states the bytes of message and tweak
    slots:    a message names the slot of its key
    tag_bits: a message has a tag of whole bytes, shown with the result
    icv_bits: a message to decrypt has an integrity check value
    behind:   meaning of the bytes behind the sector
    Without a tweak, the tweak has 0 bits.
    """
    blocks = "a block" if width == 1 else f"{width} blocks"
    tweak = Field("tweak", tweak_bits, "tweak, byte 0 in bits 7..0", Read.FIRST)
    judged = "integrity check value of the sector, where that is to decrypt, byte 0 in bits 7..0"
    kept = "bytes of the beat that are the sector's: all before the last beat, in that a run from byte 0, or none"
    ends = Field("keep", 16 * width, kept)
    sizes = (
        Field("tweak_size", TWEAK_SIZE_BITS, "number of bytes of the tweak that count", Read.FIRST),
        Field("size", SIZE_BITS, "number of bytes of the sector", Read.FIRST),
    )
    return Channel(
        "i",
        In,
        (
            Field("data", 128 * width, f"beat of the sector, {blocks}: byte n of the beat is bits 8n+7..8n{behind}"),
            *([tweak] if tweak_bits else []),
            *(sizes if sized else ()),
            *([Field("slot", SLOT_BITS, "slot of the key", Read.FIRST)] if slots else []),
            *([Field("tag", tag_bits, "tag of the sector, of any value", Read.FIRST)] if tag_bits else []),
            *([Field("icv", icv_bits, judged, Read.LAST)] if icv_bits else []),
            Field("decrypt", 1, "decrypt", Read.FIRST),
            Field("last", 1, "last beat of the sector"),
            *([ends] if keep else []),
        ),
        "a beat is valid",
        "a beat is accepted; low while the core clears itself"
        if slots
        else "a beat is accepted; low until a key is in place",
        last="last",
    )


def result_channel(
    width: int, *, keep: bool = False, tag_bits: int = 0, icv_bits: int = 0, behind: str = ""
) -> Channel:
    """Beats of ``width`` blocks out, with ``tag_bits`` each with the sector's tag, with ``icv_bits`` with its ICV.

    ``behind``: meaning of the bytes behind the result.
    """
    made = "integrity check value of an encrypted sector, in each of its beats; zeros of a decrypted one"
    ends = Field("keep", 16 * width, "bytes of the beat that are the result's, a run from byte 0; all before the last")
    return Channel(
        "o",
        Out,
        (
            Field("data", 128 * width, f"beat of the result, blocks in natural order{behind}"),
            *([Field("tag", tag_bits, "tag of the sector, in each of its beats")] if tag_bits else []),
            *([Field("icv", icv_bits, made)] if icv_bits else []),
            Field("last", 1, "last beat of the result"),
            *([ends] if keep else []),
        ),
        "a beat of the result is valid; it stays stable until accepted",
        "a beat of the result is accepted; may stay low for any time",
        last="last",
    )


def key_channel(bits: int, parts: str = "", *, width: int = 0, slots: bool = False) -> Channel:
    """Keys of ``bits``; ``parts`` names the parts of a key, in order.

    A word is a whole key; with a ``width``, ``width`` bits of a key, and the last word is marked. ``slots``: a word
    names a slot, and may be the eviction of the slot's key.
    """
    if slots:
        return _slot_channel(bits, parts, width)
    if width:
        meaning = f"word of a key of {bits} bits, byte 0 of the key in bits 7..0 of its first word: {parts}"
        return Channel(
            "key",
            In,
            (Field("key", width, meaning), Field("last", 1, f"last of the {bits // width} words of a key")),
            "a word of a key is valid",
            "a word of a key is accepted, the last one between two sectors; the sectors before it finish under the old "
            "key",
            last="last",
        )
    return Channel(
        "key",
        In,
        (Field("key", bits, f"key, byte 0 in bits 7..0: {parts}"),),
        "a key is valid",
        "a key is accepted, between two sectors; the sectors before it finish under the old key",
    )


def _slot_channel(bits: int, parts: str, width: int) -> Channel:
    """Keys for slots."""
    words = bits // (width or bits)
    of_first = f"word of a key of {bits} bits, byte 0 of the key in bits 7..0 of its first word"
    when = "; read with the last word" if width else ""
    return Channel(
        "key",
        In,
        (
            Field("key", width or bits, f"{of_first if width else 'key, byte 0 in bits 7..0'}: {parts}"),
            Field("slot", SLOT_BITS, f"slot of the key{when}"),
            Field("evict", 1, f"the slot's key ends, and the key here does not matter{when}"),
            *([Field("last", 1, f"last of the {words} words of a key")] if width else []),
        ),
        "a word of a key is valid" if width else "a key is valid",
        f"a {'word of a ' if width else ''}key is accepted{', the last one' if width else ''} as the key is in place; "
        "an eviction as the slot closes; no sector waits for it",
        last="last" if width else None,
    )


def sector_interface(
    width: int,
    key_bits: int,
    faults: tuple[Fault, ...],
    *,
    key_parts: str = "the AES key",
    key_width: int = 0,
    keep: bool = False,
    tweak_bits: int = TWEAK_BITS,
    sized: bool = False,
    slots: bool = False,
    tag_bits: int = 0,
    icv_bits: int = 0,
    behind: int = 0,
) -> Interface:
    """Ports of a sector core: channels ``i``, ``o``, ``key``, and its controls; block 0 of a beat in the low bits.

    ``key_width`` and ``slots`` as in :func:`key_channel`, ``tag_bits`` as in :func:`sector_channel`. ``behind``: bytes
    of a sector whose integrity check value is behind the sector; 0: the value, if any, is beside.
    """
    sealed = icv_bits or behind
    tag = "tag of the sector that fault is about, in the same cycle; else 0"
    forged = "one-cycle pulse: the sector whose computed pulses in this cycle is forged, and does not leave"
    forged_tag = "tag of the sector that forged is about, in the same cycle; else 0"
    ready = "a key is in place and its derived values are computed"
    more = {"slots": slots, "tag_bits": tag_bits, "icv_bits": icv_bits}
    ins, outs = (f"; from byte {behind} on {text}" if behind else "" for text in (_GIVEN_BEHIND, _MADE_BEHIND))
    causes = ", ".join(f"bit {bit}: {fault.meaning}" for bit, fault in enumerate(faults))
    return Interface(
        (
            sector_channel(width, keep=keep, tweak_bits=tweak_bits, sized=sized, behind=ins, **more),
            result_channel(width, keep=keep, tag_bits=tag_bits, icv_bits=icv_bits, behind=outs),
            key_channel(key_bits, key_parts, width=key_width, slots=slots),
        ),
        (
            Control("zeroize", In, 1, "clears keys, derived values, buffers and pipelines", pulse=True),
            Control("ready", Out, 1, "the core has cleared itself" if slots else ready, pulse=False),
            Control(
                "fault", Out, len(faults), f"one-cycle pulse when a message or key is refused; {causes}", pulse=True
            ),
            *([Control("fault_tag", Out, tag_bits, tag, pulse=False)] if tag_bits else []),
            Control("computed", Out, 1, "one-cycle pulse: the last result block of a sector is known", pulse=True),
            *([Control("forged", Out, 1, forged, pulse=True)] if sealed else []),
            *([Control("forged_tag", Out, tag_bits, forged_tag, pulse=False)] if sealed and tag_bits else []),
        ),
    )
