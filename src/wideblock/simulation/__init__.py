# SPDX-License-Identifier: Apache-2.0
"""Simulation of exported Verilog as compiled models: words on channels and controls, whatever a core does with them."""
