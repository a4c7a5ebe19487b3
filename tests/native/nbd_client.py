# SPDX-License-Identifier: Apache-2.0
"""A client of the NBD protocol over a socket, as far as the tests need one: one request at a time.

Source: NetworkBlockDevice/nbd, doc/proto.md: fixed newstyle negotiation with NBD_OPT_EXPORT_NAME, simple replies.
"""

import socket
import struct
from contextlib import suppress

__all__ = ["NbdClient", "NbdError"]

READ, WRITE, DISCONNECT, FLUSH, TRIM, ZERO = 0, 1, 2, 3, 4, 6
FUA = 1
OPTION, REQUEST, REPLY = 0x49484156454F5054, 0x25609513, 0x67446698


class NbdError(Exception):
    """A request that the server refused; ``args`` has the error's number."""


class NbdClient:
    """A connection to the server behind a Unix socket; ``size`` is that of its export, ``flags`` those of it."""

    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        assert self._take(16) == b"NBDMAGIC" + OPTION.to_bytes(8, "big")
        no_zeroes = struct.unpack(">H", self._take(2))[0] & 2
        self._socket.sendall(struct.pack(">IQII", 1 | no_zeroes, OPTION, 1, 0))
        self.size, self.flags = struct.unpack(">QH", self._take(10))
        self._take(0 if no_zeroes else 124)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with self._socket, suppress(OSError):  # the server may be gone
            self._send(DISCONNECT, 0, 0)

    def read(self, at, size):
        return self._ask(READ, at, size, wanted=size)

    def write(self, at, data, *, fua=False):
        self._ask(WRITE, at, len(data), data, flags=FUA if fua else 0)

    def flush(self):
        self._ask(FLUSH, 0, 0)

    def trim(self, at, size):
        self._ask(TRIM, at, size)

    def zero(self, at, size):
        self._ask(ZERO, at, size)

    def _send(self, kind, at, size, data=b"", flags=0):
        self._socket.sendall(struct.pack(">IHHQQI", REQUEST, flags, kind, 7, at, size) + data)

    def _ask(self, kind, at, size, data=b"", *, flags=0, wanted=0):
        self._send(kind, at, size, data, flags)
        magic, error, number = struct.unpack(">IIQ", self._take(16))
        assert magic == REPLY and number == 7
        if error:
            raise NbdError(error)
        return self._take(wanted)

    def _take(self, size):
        data = b""
        while len(data) < size:
            part = self._socket.recv(size - len(data))
            if not part:
                raise ConnectionResetError("the server ended the connection")
            data += part
        return data
