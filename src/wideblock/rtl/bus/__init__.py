# SPDX-License-Identifier: Apache-2.0
"""Registers as values, and AXI4-Lite to reach them."""
