# SPDX-License-Identifier: Apache-2.0
"""AEZ behind the CAESAR Hardware API: a program of one step a cycle, and the datapath for the steps."""
