# SPDX-License-Identifier: Apache-2.0
"""The suite of authenticated ciphers."""

from contextlib import nullcontext

from wideblock.drive.aead.simulation import AeadSimulation
from wideblock.verify.aead.check import AeadCheck
from wideblock.verify.aead.checks import CHECKS
from wideblock.verify.aead.measure import measure
from wideblock.verify.core.suite import Suite

__all__ = ["MESSAGES"]

NETLIST = ("known answers", "cycle contract", "random messages", "gaps and back-pressure", "wrong tags")
MESSAGES = Suite("message", AeadSimulation, CHECKS, NETLIST, lambda subject, processes: nullcontext(AeadCheck), measure)
