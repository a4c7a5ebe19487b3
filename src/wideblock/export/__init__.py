# SPDX-License-Identifier: Apache-2.0
"""A core as a user gets it: Verilog, FuseSoC description, datasheet."""
