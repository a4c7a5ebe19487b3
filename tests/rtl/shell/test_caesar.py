# SPDX-License-Identifier: Apache-2.0
"""The shells of an authenticated cipher: the names of the CAESAR Hardware API, and of AXI4-Stream."""

import pytest
from amaranth.hdl import Shape
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aead.aes_gcm import AesGcm
from wideblock.rtl.aead.parameters import AesHashParameters
from wideblock.rtl.shell.caesar import CaesarShell, CaesarStreamShell

pytestmark = pytest.mark.shows("caesar")


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_ports(bits):
    """Source: ePrint 2016/626, the interface of an AEAD core."""
    shell = CaesarShell(AesGcm(AesHashParameters(word_bits=bits)))
    ports = {name: (member.flow, Shape.cast(member.shape).width) for name, member in shell.signature.members.items()}
    assert ports == {
        "clk": (In, 1),
        "rst": (In, 1),
        "zeroize": (In, 1),
        "pdi_data": (In, bits),
        "pdi_valid": (In, 1),
        "pdi_ready": (Out, 1),
        "sdi_data": (In, bits),
        "sdi_valid": (In, 1),
        "sdi_ready": (Out, 1),
        "do_data": (Out, bits),
        "do_valid": (Out, 1),
        "do_ready": (In, 1),
    }
    assert not shell.active_low and shell.ports[1].meaning.startswith("synchronous reset, active high")


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_ports_of_axi4_stream(bits):
    """Source: AMBA AXI4-Stream; a packet is a message, and words are whole, so that there is no tkeep."""
    shell = CaesarStreamShell(AesGcm(AesHashParameters(word_bits=bits, ports="axi4-stream")))
    ports = {name: (member.flow, Shape.cast(member.shape).width) for name, member in shell.signature.members.items()}
    assert ports == {
        "aclk": (In, 1),
        "aresetn": (In, 1),
        "zeroize": (In, 1),
        "s_axis_pdi_tdata": (In, bits),
        "s_axis_pdi_tvalid": (In, 1),
        "s_axis_pdi_tready": (Out, 1),
        "s_axis_sdi_tdata": (In, bits),
        "s_axis_sdi_tvalid": (In, 1),
        "s_axis_sdi_tready": (Out, 1),
        "m_axis_do_tdata": (Out, bits),
        "m_axis_do_tvalid": (Out, 1),
        "m_axis_do_tready": (In, 1),
        "s_axis_pdi_tlast": (In, 1),
        "s_axis_sdi_tlast": (In, 1),
        "m_axis_do_tlast": (Out, 1),
    }
    assert shell.ports[1].meaning == "synchronous reset, active low: forgets the key and every message under way"
