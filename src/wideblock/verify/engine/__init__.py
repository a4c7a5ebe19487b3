# SPDX-License-Identifier: Apache-2.0
"""Checks of a core within its engine: what registers, commands and slots add to the core, which has its own suite."""
