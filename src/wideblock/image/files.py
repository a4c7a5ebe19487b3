# SPDX-License-Identifier: Apache-2.0
"""Kinds of files that an image can come from and go to."""

import os
import stat

__all__ = ["BLOCK_DEVICE", "DIRECTORY", "REGULAR", "kind_of", "same_storage"]

REGULAR, DIRECTORY, BLOCK_DEVICE = "a regular file", "a directory", "a block device"
_KINDS = {
    stat.S_IFREG: REGULAR,
    stat.S_IFDIR: DIRECTORY,
    stat.S_IFBLK: BLOCK_DEVICE,
    stat.S_IFCHR: "a character device",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
}


def kind_of(status: os.stat_result) -> str:
    """The kind of a file with an article, for messages: "a FIFO"."""
    return _KINDS.get(stat.S_IFMT(status.st_mode), "a special file")


def same_storage(a: os.stat_result, b: os.stat_result) -> bool:
    """True for two names of the same regular file or block device; hard links and device nodes may differ in name."""
    kind = kind_of(a)
    if kind != kind_of(b):
        return False
    if kind == BLOCK_DEVICE:
        return os.path.samestat(a, b) or a.st_rdev == b.st_rdev
    return kind == REGULAR and os.path.samestat(a, b)
