# SPDX-License-Identifier: Apache-2.0
"""Executable specifications, bytes in and bytes out: what every circuit is held against. No hardware here."""
