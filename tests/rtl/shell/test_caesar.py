# SPDX-License-Identifier: Apache-2.0
"""The shell of an authenticated cipher: the names of the CAESAR Hardware API, and a reset that is active high."""

import pytest
from amaranth.hdl import Shape
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aead.aes_gcm import AesGcm
from wideblock.rtl.aead.parameters import AesHashParameters
from wideblock.rtl.shell.caesar import CaesarShell

pytestmark = pytest.mark.shows("caesar")


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_ports(bits):
    """Source: ePrint 2016/626, the interface of an AEAD core."""
    shell = CaesarShell(AesGcm(AesHashParameters(word_bits=bits)))
    ports = {name: (member.flow, Shape.cast(member.shape).width) for name, member in shell.signature.members.items()}
    assert ports == {
        "clk": (In, 1), "rst": (In, 1), "zeroize": (In, 1),
        "pdi_data": (In, bits), "pdi_valid": (In, 1), "pdi_ready": (Out, 1),
        "sdi_data": (In, bits), "sdi_valid": (In, 1), "sdi_ready": (Out, 1),
        "do_data": (Out, bits), "do_valid": (Out, 1), "do_ready": (In, 1),
    }  # fmt: skip
    assert not shell.active_low and shell.ports[1].meaning.startswith("synchronous reset, active high")
