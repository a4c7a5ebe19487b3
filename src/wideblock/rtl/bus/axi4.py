# SPDX-License-Identifier: Apache-2.0
"""AXI4 with bursts: the five channels of a master."""

from amaranth.lib.wiring import In, Out

from wideblock.rtl.stream.interface import Channel, Field

__all__ = ["ADDRESS_BITS", "INCR", "PAGE_BITS", "axi4_channels"]

ADDRESS_BITS = 64
"""Bits of a byte address."""

PAGE_BITS = 12
"""Bits of an address within 4 KiB, beyond which no burst may go. Source: AMBA AXI4, A3.4.1."""

INCR = 0b01
"""Type of a burst with rising addresses."""


def axi4_channels(name: str, data_bits: int) -> tuple[Channel, ...]:
    """The five channels of a master; their names begin with ``name``. Each has one ID, 0."""
    number = Field("id", 1, "0: responses are in order")
    response = Field("resp", 2, "0: done; 2, 3: an error")
    last = Field("last", 1, "last beat of the burst")
    word = Field("data", data_bits, "beat, the byte of the lowest address in bits 7..0")
    address = (
        number,
        Field("addr", ADDRESS_BITS, "byte address of the first beat"),
        Field("len", 8, "beats less 1"),
        Field("size", 3, "bytes of a beat, as an exponent of 2"),
        Field("burst", 2, "1: rising addresses"),
        Field("lock", 1, "0: normal"),
        Field("cache", 4, "as register ATTRIBUTES has it"),
        Field("prot", 3, "as register ATTRIBUTES has it"),
        Field("qos", 4, "0"),
    )
    held = "it stays stable until accepted"
    return (
        Channel(f"{name}_aw", Out, address, f"the address of a burst is valid; {held}", "it is accepted"),
        Channel(
            f"{name}_w",
            Out,
            (word, Field("strb", data_bits // 8, "bytes that are written"), last),
            f"a beat to write is valid; {held}",
            "it is accepted",
            last="last",
        ),
        Channel(f"{name}_b", In, (number, response), "the response to a burst is valid", "always high"),
        Channel(f"{name}_ar", Out, address, f"the address of a burst is valid; {held}", "it is accepted"),
        Channel(
            f"{name}_r", In, (number, word, response, last), "a beat of a read is valid", "always high", last="last"
        ),
    )
