// SPDX-License-Identifier: Apache-2.0
// Conventions by which the number of a sector becomes its tweak. The library and wideblock.image.numbering read this table.
//
//   name, bits of the largest number
//   bytes 0 to 7 and 8 to 15 of the tweak: parts of the number, little-endian; SWAPPED are big-endian
//   FIRST or LAST: the place of these 16 bytes in a longer tweak, whose other bytes are 0; a shorter one has its part of them
//       and takes the numbers that fit this part
//   bytes that a number counts, 0 for a sector; bytes that a sector must have, 0 for any
//   meaning
//
// Source: Linux dm-crypt (drivers/md/dm-crypt.c) and blk-crypto; SPDK (include/spdk_internal/accel_module.h); IEEE
// 1619-2018, 5.1, for le128.
CONVENTION("le128", 128, LOW, HIGH, FIRST, 0, 0, "number, 16 bytes little-endian, zeros behind")
CONVENTION("be128", 128, HIGH_SWAPPED, LOW_SWAPPED, LAST, 0, 0, "number, big-endian over the whole tweak")
CONVENTION("plain64", 64, LOW, ZERO, FIRST, 0, 0, "number, 8 bytes little-endian, zeros behind (dm-crypt with iv_large_sectors)")
CONVENTION("plain64-512", 64, LOW, ZERO, FIRST, 512, 0, "as plain64 (dm-crypt); counts 512 bytes, as LUKS2 does")
CONVENTION("plain64be", 64, ZERO, LOW_SWAPPED, LAST, 0, 0, "number, 8 bytes big-endian, last; zeros before (dm-crypt)")
CONVENTION("plain64be-512", 64, ZERO, LOW_SWAPPED, LAST, 512, 0, "as plain64be (dm-crypt); counts 512 bytes, as LUKS2 does")
CONVENTION("plain", 64, LOW_32, ZERO, FIRST, 0, 0, "number modulo 2^32, 4 bytes little-endian, zeros behind (dm-crypt); aliases beyond 2^32")
CONVENTION("plain-512", 64, LOW_32, ZERO, FIRST, 512, 0, "as plain (dm-crypt); counts 512 bytes, as LUKS2 does; aliases beyond 2^32")
CONVENTION("blk-crypto", 64, LOW, ZERO, FIRST, 0, 0, "data unit number, as plain64; an inode number is a --tweak-offset of I << 32")
CONVENTION("spdk-simple-lba", 64, LOW, ZERO, FIRST, 0, 0, "as plain64")
CONVENTION("spdk-join-neg-lba-with-lba", 64, LOW, LOW_INVERTED, FIRST, 0, 0, "number, then its complement of 63 bits, little-endian")
CONVENTION("spdk-incr-512-full-lba", 128, LOW, HIGH, FIRST, 0, 512, "as le128, data units of 512 bytes")
CONVENTION("spdk-incr-512-upper-lba", 64, ZERO, LOW, FIRST, 0, 512, "zeros, then the number, 8 bytes little-endian, data units of 512 bytes")
