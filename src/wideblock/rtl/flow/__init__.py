# SPDX-License-Identifier: Apache-2.0
"""The stages of a core as values: earliest cycle of each step of a message, and the cycles of a core."""
