# SPDX-License-Identifier: Apache-2.0
"""Coverage of a core by its suite of checks: lines and toggles of the Verilog, events crossed with states."""
