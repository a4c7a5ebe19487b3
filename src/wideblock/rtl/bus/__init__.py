# SPDX-License-Identifier: Apache-2.0
"""Registers as values, and an AXI4-Lite slave in front of registers."""
