# SPDX-License-Identifier: Apache-2.0
"""The interface of the CAESAR Hardware API: public data and keys in, results out."""

from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.interface import Channel, Control, Field, Interface

__all__ = ["caesar_interface"]


def caesar_interface(word_bits: int) -> Interface:
    """Ports of a core with words of ``word_bits``, first byte in the high bits; instructions and headers there, too."""
    return Interface(
        (
            Channel(
                "pdi",
                In,
                (Field("word", word_bits, "public data: instructions, segment headers and data"),),
                "a word is valid",
                "a word is accepted",
            ),
            Channel(
                "sdi",
                In,
                (Field("word", word_bits, "secret data: an instruction to load a key, its header and the key"),),
                "a word is valid",
                "a word is accepted; low until a key is to be activated",
            ),
            Channel(
                "do",
                Out,
                (Field("word", word_bits, "data output: segment headers, data and a status for each message"),),
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
