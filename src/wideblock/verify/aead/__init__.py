# SPDX-License-Identifier: Apache-2.0
"""Verification of authenticated ciphers behind the CAESAR Hardware API: messages as words, output word by word."""
