# SPDX-License-Identifier: Apache-2.0
"""The ports of the CAESAR Hardware API around a core, and their names."""

from wideblock.rtl.stream.interface import Channel

from .axi_stream import AxiStreamShell
from .shell import Port, Shell, Stream

__all__ = ["CaesarShell", "CaesarStreamShell"]


class CaesarShell(Shell):
    """``core`` behind the ports of the API, with ``clk`` and the active-high reset ``rst``.

    Channels ``pdi``, ``sdi`` and ``do`` have ports such as ``pdi_data``, ``pdi_valid`` and ``pdi_ready``.
    Source: ePrint 2016/626.
    """

    clock, reset, active_low = "clk", "rst", False
    resets = "forgets the key and every message under way"

    @staticmethod
    def stream(channel: Channel) -> Stream:
        name = channel.name
        return Stream(channel, name, f"{name}_valid", f"{name}_ready", {f"{name}_data": channel.fields})

    @staticmethod
    def order(payload: list[Port], handshake: list[Port]) -> list[Port]:
        return [*payload, *handshake]


class CaesarStreamShell(AxiStreamShell):
    """``core``, with packets at the interface, behind AXI4-Stream ports, with ``aclk`` and the active-low ``aresetn``.

    Channels ``pdi``, ``sdi`` and ``do`` are ``s_axis_pdi``, ``s_axis_sdi`` and ``m_axis_do``. The first byte of a word
    is in bits 7..0 of ``tdata``, as usual on the bus; instructions and headers are strings of bytes, too.
    """

    swapped = ("word",)
    resets = CaesarShell.resets
