# SPDX-License-Identifier: Apache-2.0
"""Verification of sector cores: requests and keys as words of their channels, records judged by the specification."""
