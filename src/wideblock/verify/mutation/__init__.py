# SPDX-License-Identifier: Apache-2.0
"""Broken copies of a core's Verilog: checks with a surviving mutant have a hole."""
