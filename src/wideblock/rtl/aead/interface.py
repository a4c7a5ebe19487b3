# SPDX-License-Identifier: Apache-2.0
"""The interface of the CAESAR Hardware API: public data and keys in, results out."""

from amaranth.lib.wiring import Flow, In, Out

from wideblock.rtl.stream.interface import Channel, Control, Field, Interface

__all__ = ["caesar_interface"]


def caesar_interface(word_bits: int, packets: bool = False) -> Interface:
    """Ports of a core with words of ``word_bits``, first byte in the high bits; instructions and headers there, too.

    With ``packets`` a field ``last`` marks the last word of each message, activation and key, and each status.
    """

    def channel(name: str, flow: Flow, meaning: str, end: str, valid: str, ready: str) -> Channel:
        last = (Field("last", 1, end),) if packets else ()
        return Channel(
            name, flow, (Field("word", word_bits, meaning), *last), valid, ready, "last" if packets else None
        )

    return Interface(
        (
            channel(
                "pdi",
                In,
                "public data: instructions, segment headers and data",
                "last word of a message, or the instruction to activate a key",
                "a word is valid",
                "a word is accepted",
            ),
            channel(
                "sdi",
                In,
                "secret data: an instruction to load a key, its header and the key",
                "last word of a key",
                "a word is valid",
                "a word is accepted; low until a key is to be activated",
            ),
            channel(
                "do",
                Out,
                "data output: segment headers, data and a status for each message",
                "a status: the last word of a message",
                "a word is valid; it stays stable until accepted",
                "a word is accepted; may stay low for any time",
            ),
        ),
        (
            Control(
                "zeroize",
                In,
                1,
                "clears keys, messages, the result buffer and all values derived from them",
                pulse=True,
            ),
        ),
    )
