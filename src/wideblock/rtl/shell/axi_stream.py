# SPDX-License-Identifier: Apache-2.0
"""AXI4-Stream ports around a core, AXI4-Lite ports for registers, and the names of all."""

from wideblock.rtl.bus.axi_lite import AXI_LITE
from wideblock.rtl.stream.interface import Channel

from .shell import Port, Shell, Stream

__all__ = ["AxiStreamShell"]

PREFIX = {"i": "s_axis", "o": "m_axis", "key": "s_axis_key"}
PREFIX |= {"pdi": "s_axis_pdi", "sdi": "s_axis_sdi", "do": "m_axis_do"}
SUFFIX = {"data": "tdata", "word": "tdata", "key": "tdata", "last": "tlast", "keep": "tkeep"}
SUFFIX |= dict.fromkeys(("tweak", "tweak_size", "size", "slot", "tag", "icv", "evict", "decrypt", "error"), "tuser")
BUS = {"": "s_axi", "key": "s_axi_key", "dma": "s_axi_dma", "m": "m_axi"}  # of five channels


class AxiStreamShell(Shell):
    """``core`` behind the usual ports of Verilog, with ``aclk`` and the active-low reset ``aresetn``.

    Channels ``i``, ``o`` and ``key`` of the core's interface are ``s_axis``, ``m_axis`` and ``s_axis_key``; the tweak
    is in the low bits of ``s_axis_tuser``, with sizes, if the core has sizes, and decrypt above. The five channels of a
    bus of registers are ``s_axi`` or ``s_axi_key``, as AXI4-Lite names signals.
    """

    clock, reset, active_low = "aclk", "aresetn", True
    clocks = {"bus": "s_axi_aclk"}
    resets = "forgets the key and every sector under way"

    @staticmethod
    def stream(channel: Channel) -> Stream:
        bus, _, lite = channel.name.rpartition("_")
        if lite in AXI_LITE:
            prefix, start = BUS[bus], f"{BUS[bus]}_{lite}"
            fields = {f"{start}{field.name}": (field,) for field in channel.fields}
            return Stream(channel, prefix, f"{start}valid", f"{start}ready", fields, "aximm")
        prefix, payload = PREFIX[channel.name], {}
        for field in channel.fields:
            port = f"{prefix}_{SUFFIX[field.name]}"
            payload[port] = (*payload.get(port, ()), field)
        return Stream(channel, prefix, f"{prefix}_tvalid", f"{prefix}_tready", payload, "axis")

    @staticmethod
    def order(payload: list[Port], handshake: list[Port]) -> list[Port]:
        """Data, user, valid, ready, last, keep. Of AXI4-Lite the handshake comes last."""
        before = [port for port in payload if not port.name.endswith(("tlast", "tkeep"))]
        return [*before, *handshake, *(port for port in payload if port not in before)]
