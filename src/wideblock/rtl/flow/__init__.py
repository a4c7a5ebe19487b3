# SPDX-License-Identifier: Apache-2.0
"""The stages of a core as values: when each step of a message may pass, and the cycles that follow from it."""
