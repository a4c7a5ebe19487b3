# SPDX-License-Identifier: Apache-2.0
"""The family encrypt-mix-encrypt. :class:`.equations.Equations` is what a scheme of the family states."""

from .core import EncryptMixEncrypt
from .equations import Words

__all__ = ["EncryptMixEncrypt", "Words"]
