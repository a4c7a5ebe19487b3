# SPDX-License-Identifier: Apache-2.0
"""Sealed sectors: a wide-block scheme over a block of zeros and the sector gives an integrity check value (ICV).

    seal:    ICV || V = E(T, 0^128 || P)
    unseal:  Z || P = D(T, ICV || V),  right if and only if Z = 0^128

E and D are the two directions of a scheme of which every bit of a result depends on every bit of its input. The zeros
stand in front: behind the sector they would commit to a key less well (see ``docs/authenticated-sectors.md``).

Source: Bellare, Rogaway, "Encode-then-encipher encryption", ASIACRYPT 2000; the ICV is the first block of the result.
"""

from typing import Protocol

from wideblock.spec.aes import BLOCK
from wideblock.spec.blocks import check_size
from wideblock.spec.values import Values

__all__ = ["ICV", "Behind", "Forged", "Sealed", "WideBlock"]

ICV = BLOCK
"""Bytes of an ICV. It is a block of ciphertext, not a code: it cannot be cut."""


class Forged(Exception):
    """A sector that ``seal`` does not give under this key and tweak. Nothing of it is returned or stated."""

    def __init__(self) -> None:
        super().__init__("sector forged: not sealed under this key and tweak")


class WideBlock(Protocol):
    """A scheme under one key.

    no_icv: the reason for which it seals no sectors; empty if it does
    """

    no_icv: str

    def encrypt(self, tweak: bytes, sector: bytes, /) -> bytes: ...
    def decrypt(self, tweak: bytes, sector: bytes, /) -> bytes: ...
    def key_values(self, blocks: int) -> Values: ...
    def tweak_values(self, tweak: bytes, blocks: int) -> Values: ...


class Sealed:
    """Sectors sealed by a scheme under a key; the scheme takes sectors 16 bytes longer.

    Bytes:    tweaks of the scheme; sectors of 16 bytes less than the scheme's; an ICV of 16.
    Source:   see the module.
    Security: see :attr:`security`.
    """

    security = (
        "Sealed, each sector has an integrity check value of 16 bytes, and does authenticate: one that was not sealed "
        "under its key and tweak passes with 2^-128, beside the scheme's own advantage (encode-then-encipher, Bellare "
        "and Rogaway, ASIACRYPT 2000). An old sector that is put back with its old value is accepted."
    )

    def __init__(self, scheme: WideBlock):
        unstated = "it does not state that every bit of a result depends on every bit of a sector"
        if reason := getattr(scheme, "no_icv", unstated):
            raise ValueError(f"{type(scheme).__name__} seals no sectors: {reason}")
        self.scheme = scheme

    def key_values(self, blocks: int) -> Values:
        """Those of the scheme."""
        return self.scheme.key_values(blocks + 1)

    def tweak_values(self, tweak: bytes, blocks: int) -> Values:
        """Those of the scheme."""
        return self.scheme.tweak_values(tweak, blocks + 1)

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The sector enciphered, and its ICV behind it."""
        icv, result = self.seal(tweak, sector)
        return result + icv

    def decrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The plain sector of a sealed sector with the ICV behind; :class:`Forged` as :meth:`unseal`."""
        return self.unseal(tweak, sector[-ICV:], sector[:-ICV])

    def seal(self, tweak: bytes, sector: bytes) -> tuple[bytes, bytes]:
        """The ICV, and the sector enciphered."""
        result = self.scheme.encrypt(tweak, bytes(ICV) + sector)
        return result[:ICV], result[ICV:]

    def unseal(self, tweak: bytes, icv: bytes, sector: bytes) -> bytes:
        """The plain sector; :class:`Forged` if it was not sealed under this key and tweak."""
        check_size("ICV", icv, ICV)
        result = self.scheme.decrypt(tweak, icv + sector)
        if any(result[:ICV]):
            raise Forged
        return result[ICV:]


class Behind(Sealed):
    """Sealed sectors of ``sector_bytes`` in units of ``stride`` bytes: a unit has the ICV behind the sector.

    Bytes: a unit enciphered is V || ICV || zeros, a unit deciphered P || zeros. Of a unit to encipher, P counts alone;
           of a unit to decipher, V and ICV.
    """

    def __init__(self, scheme: WideBlock, sector_bytes: int, stride: int):
        super().__init__(scheme)
        self.sector_bytes, self.stride = sector_bytes, stride

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The unit enciphered."""
        check_size("unit", sector, self.stride)
        return super().encrypt(tweak, sector[: self.sector_bytes]).ljust(self.stride, b"\0")

    def decrypt(self, tweak: bytes, sector: bytes) -> bytes:
        """The unit deciphered; :class:`Forged` as :meth:`unseal`."""
        check_size("unit", sector, self.stride)
        return super().decrypt(tweak, sector[: self.sector_bytes + ICV]).ljust(self.stride, b"\0")
