# SPDX-License-Identifier: Apache-2.0
"""Broken copies of a core's Verilog: checks that let one pass have a hole."""
