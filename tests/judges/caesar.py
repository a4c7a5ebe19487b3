# SPDX-License-Identifier: Apache-2.0
"""The specifications of AEZ, SCREAM, POET and Minalpher against their designers' C references.

``python -m tests.judges.caesar SUPERCOP [CASES]`` compiles the references of a clone of SUPERCOP and plays random cases
in both directions, each once more with a bit changed: messages of 0 to 300 bytes, associated data of 0 to 64. It needs
a C compiler, ``$CC`` or gcc.
"""

import ctypes
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from wideblock.spec.aead import AEAD, Rejected
from wideblock.spec.aead.aez import AEZv4, AEZv5
from wideblock.spec.aead.minalpher import Minalpher
from wideblock.spec.aead.poet import POET
from wideblock.spec.aead.scream import SCREAM

# headers that SUPERCOP's own build makes
MADE = {
    "crypto_aead.h": "",
    "crypto_uint8.h": "#include <stdint.h>\ntypedef uint8_t crypto_uint8;\n",
    "crypto_uint16.h": "#include <stdint.h>\ntypedef uint16_t crypto_uint16;\n",
}
ROOM = 128
"""Bytes by which a reference may lengthen a message, and more."""


@dataclass(frozen=True)
class Reference:
    """A cipher, its folder in ``crypto_aead``, and the bytes of its keys and nonces."""

    cipher: Callable[[bytes], AEAD]
    folder: str
    key: int
    nonce: int


REFERENCES = {
    "AEZ v4.1": Reference(AEZv4, "aezv4", 48, 12),
    "AEZ v5": Reference(AEZv5, "aezv5", 48, 12),
    "SCREAM of 10 steps": Reference(SCREAM, "scream10v3", 16, 11),
    "SCREAM of 12 steps": Reference(lambda key: SCREAM(key, steps=12), "scream12v3", 16, 11),
    "POET": Reference(POET, "aes128poetv2aes4", 16, 16),
    "Minalpher": Reference(Minalpher, "minalpherv11", 16, 13),
}


class Library:
    """A reference that was compiled, with SUPERCOP's calls."""

    def __init__(self, sources: Path, work: Path):
        headers = work / "made"
        headers.mkdir()
        for name, text in MADE.items():
            (headers / name).write_text(text)
        command = [
            os.environ.get("CC") or "gcc",
            "-O2",
            "-w",
            "-fPIC",
            "-shared",
            f"-I{headers}",
            "-o",
            work / "judge.so",
        ]
        subprocess.run([*command, *sorted(sources.glob("*.c"))], check=True)
        self._library = ctypes.CDLL(str(work / "judge.so"))

    def encrypt(self, key: bytes, nonce: bytes, ad: bytes, message: bytes) -> bytes:
        out, size = ctypes.create_string_buffer(len(message) + ROOM), ctypes.c_ulonglong()
        failed = self._library.crypto_aead_encrypt(
            out, ctypes.byref(size), message, _long(message), ad, _long(ad), None, nonce, key
        )
        assert not failed
        return out.raw[: size.value]

    def decrypt(self, key: bytes, nonce: bytes, ad: bytes, ciphertext: bytes) -> bytes | None:
        out, size = ctypes.create_string_buffer(len(ciphertext) + ROOM), ctypes.c_ulonglong()
        failed = self._library.crypto_aead_decrypt(
            out, ctypes.byref(size), None, ciphertext, _long(ciphertext), ad, _long(ad), nonce, key
        )
        return None if failed else out.raw[: size.value]


def _long(words: bytes) -> ctypes.c_ulonglong:
    return ctypes.c_ulonglong(len(words))


def decrypted(cipher: AEAD, nonce: bytes, ad: bytes, ciphertext: bytes) -> bytes | None:
    """What the specification gives; None if it rejects."""
    try:
        return cipher.decrypt(nonce, ad, ciphertext)
    except Rejected:
        return None


def compare(reference: Reference, library: Library, cases: int) -> None:
    """Plays ``cases`` cases; AssertionError with the case that differs."""
    rng = random.Random(cases)
    for _ in range(cases):
        key, nonce = rng.randbytes(reference.key), rng.randbytes(reference.nonce)
        ad, message = rng.randbytes(rng.randint(0, 64)), rng.randbytes(rng.randint(0, 300))
        cipher = reference.cipher(key)
        ciphertext = cipher.encrypt(nonce, ad, message)
        told = f"key {key.hex()} nonce {nonce.hex()} ad {ad.hex()} message {message.hex()}"
        assert ciphertext == library.encrypt(key, nonce, ad, message), told
        assert decrypted(cipher, nonce, ad, ciphertext) == message == library.decrypt(key, nonce, ad, ciphertext), told

        changed = bytearray(ciphertext)
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
        both = decrypted(cipher, nonce, ad, bytes(changed)), library.decrypt(key, nonce, ad, bytes(changed))
        assert both == (None, None), f"{told} changed to {changed.hex()}"


def main(supercop: Path, cases: int) -> None:
    for name, reference in REFERENCES.items():
        sources = supercop / "crypto_aead" / reference.folder / "ref"
        if not sources.is_dir():
            sys.exit(f"{sources} is missing; name the folder of a clone of SUPERCOP")
        with tempfile.TemporaryDirectory() as work:
            compare(reference, Library(sources, Path(work)), cases)
        print(f"{cases} random cases and as many changed ones: {name} equals its reference in both directions")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m tests.judges.caesar SUPERCOP [CASES]")
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
