# SPDX-License-Identifier: Apache-2.0
"""Generates, verifies and measures hardware cores for wide-block storage encryption."""

__version__ = "0.1.0"
