# SPDX-License-Identifier: Apache-2.0
"""Disk images, encrypted and decrypted by an engine: native code, the compiled core, or its specification."""
