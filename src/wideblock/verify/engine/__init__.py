# SPDX-License-Identifier: Apache-2.0
"""Checks of a core within its engine: registers, commands and slots around the core; the core has a separate suite."""
