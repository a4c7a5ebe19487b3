# SPDX-License-Identifier: Apache-2.0
"""GF(2^128): field axioms, and the readings held against the ciphers that use them."""

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.cmac import CMAC
from hypothesis import given
from hypothesis import strategies as st

from wideblock.spec.aes import AES
from wideblock.spec.gf128 import Reading, double, doubled, inverse, mul, power, square

pytestmark = pytest.mark.shows("spec-algebra")

ELEMENTS = st.integers(0, 2**128 - 1)
BLOCKS = st.binary(min_size=16, max_size=16)
READINGS = st.sampled_from(Reading)


def shift_and_add(a, b):
    """The product by its definition: long multiplication, then long division by the field's polynomial."""
    product = 0
    for i in range(128):
        product ^= (a << i) * (b >> i & 1)
    for i in reversed(range(128, 255)):
        product ^= ((1 << 128 | 0x87) << i - 128) * (product >> i & 1)
    return product


@given(ELEMENTS, ELEMENTS)
def test_mul_is_the_definition(a, b):
    assert mul(a, b) == shift_and_add(a, b)


def test_mul_of_all_powers_of_x():
    """The product is bilinear, so these determine it; every reduction of a single power is among them."""
    for i in range(128):
        for j in (0, 1, 7, 63, 64, 120, 121, 126, 127):
            assert mul(1 << i, 1 << j) == shift_and_add(1 << i, 1 << j)


def test_mul_of_the_fullest_elements():
    full = 2**128 - 1
    assert mul(full, full) == shift_and_add(full, full) == square(full)


@given(ELEMENTS, ELEMENTS, ELEMENTS)
def test_ring_axioms(a, b, c):
    assert mul(a, b) == mul(b, a)
    assert mul(a, mul(b, c)) == mul(mul(a, b), c)
    assert mul(a, b ^ c) == mul(a, b) ^ mul(a, c)
    assert mul(a, 1) == a and mul(a, 0) == 0


@given(ELEMENTS.filter(bool))
def test_every_element_but_zero_has_an_inverse(a):
    assert mul(a, inverse(a)) == 1


def test_zero_has_no_inverse():
    with pytest.raises(ValueError, match="zero has no inverse"):
        inverse(0)


@given(ELEMENTS)
def test_square_double_and_frobenius(a):
    assert square(a) == mul(a, a)
    assert double(a) == mul(a, 2)
    assert power(a, 2**128) == a


def test_doubled():
    assert doubled(3, 4) == [3, 6, 12, 24]
    assert doubled(1 << 127, 2) == [1 << 127, double(1 << 127)] == [1 << 127, 0x87]
    assert doubled(5, 0) == []


@given(ELEMENTS, st.integers(0, 300), st.integers(0, 300))
def test_power(a, m, n):
    assert power(a, m + n) == mul(power(a, m), power(a, n))
    assert power(a, 0) == 1 and power(a, 1) == a


def test_negative_power():
    with pytest.raises(ValueError, match="^exponent must be at least 0, got -1$"):
        power(3, -1)


@given(READINGS, BLOCKS, ELEMENTS)
def test_readings_are_one_to_one(reading, block, element):
    assert reading.block(reading.element(block)) == block
    assert reading.element(reading.block(element)) == element


@given(READINGS, st.lists(BLOCKS, max_size=5))
def test_readings_of_many_blocks(reading, blocks):
    data = b"".join(blocks)
    assert reading.elements(data) == [reading.element(block) for block in blocks]
    assert reading.blocks(reading.elements(data)) == data


@given(BLOCKS)
def test_how_the_readings_relate(block):
    assert Reading.LE.element(block) == Reading.BE.element(block[::-1])
    assert Reading.GCM.element(block) == int(f"{Reading.BE.element(block):0128b}"[::-1], 2)
    assert Reading.POLYVAL.element(block) == Reading.GCM.element(block[::-1])


@pytest.mark.parametrize(
    "reading, one",
    [
        (Reading.LE, "01" + "00" * 15),
        (Reading.BE, "00" * 15 + "01"),
        (Reading.GCM, "80" + "00" * 15),
        (Reading.POLYVAL, "00" * 15 + "80"),
    ],
)
def test_one(reading, one):
    assert reading.block(1) == bytes.fromhex(one)


@given(BLOCKS)
def test_times_x_on_bytes(block):
    little, big = int.from_bytes(block, "little"), int.from_bytes(block, "big")
    le = bytearray((little << 1 & 2**128 - 1).to_bytes(16, "little"))
    le[0] ^= 0x87 * (little >> 127)
    be = bytearray((big << 1 & 2**128 - 1).to_bytes(16, "big"))
    be[15] ^= 0x87 * (big >> 127)
    gcm = bytearray((big >> 1).to_bytes(16, "big"))
    gcm[0] ^= 0xE1 * (big & 1)
    for reading, times_x in ((Reading.LE, le), (Reading.BE, be), (Reading.GCM, gcm)):
        assert reading.block(double(reading.element(block))) == times_x


@given(BLOCKS, BLOCKS.filter(lambda key: key != bytes(16)), BLOCKS, st.integers(1, 6))
def test_le_is_the_reading_of_xts(key, tweak_key, tweak, blocks):
    data = bytes(range(16 * blocks))
    if key == tweak_key:
        key = bytes(16)  # XTS refuses equal halves
    element = Reading.LE.element(AES(tweak_key).encrypt(tweak))
    masks = []
    for _ in range(blocks):
        masks.append(element)
        element = double(element)
    inner = Reading.LE.blocks(p ^ mask for p, mask in zip(Reading.LE.elements(data), masks, strict=True))
    outer = Reading.LE.elements(AES(key).encrypt(inner))
    result = Reading.LE.blocks(c ^ mask for c, mask in zip(outer, masks, strict=True))
    assert result == Cipher(algorithms.AES(key + tweak_key), modes.XTS(tweak)).encryptor().update(data)


@given(BLOCKS, BLOCKS)
def test_be_is_the_reading_of_cmac(key, block):
    K1 = double(Reading.BE.element(AES(key).encrypt(bytes(16))))
    tag = AES(key).encrypt(Reading.BE.block(K1 ^ Reading.BE.element(block)))
    other = CMAC(algorithms.AES(key))
    other.update(block)
    assert tag == other.finalize()


@given(BLOCKS, st.binary(min_size=12, max_size=12), st.lists(BLOCKS, min_size=1, max_size=4))
def test_gcm_is_the_reading_of_ghash(key, nonce, ad):
    """The tag of associated data alone is GHASH plus one encrypted counter block."""
    H = Reading.GCM.element(AES(key).encrypt(bytes(16)))
    lengths = (128 * len(ad)).to_bytes(8, "big") + bytes(8)
    ghash = 0
    for block in (*ad, lengths):
        ghash = mul(ghash ^ Reading.GCM.element(block), H)
    mask = Reading.GCM.element(AES(key).encrypt(nonce + (1).to_bytes(4, "big")))
    assert Reading.GCM.block(ghash ^ mask) == AESGCM(key).encrypt(nonce, b"", b"".join(ad))


def test_ghash_of_the_gcm_paper():
    """McGrew and Viega, "The Galois/Counter Mode of Operation", test case 2."""
    H, X1, result = map(
        Reading.GCM.element,
        map(
            bytes.fromhex,
            (
                "66e94bd4ef8a2c3b884cfa59ca342b2e",
                "5e2ec746917062882c85b0685353deb7",
                "f38cbb1ad69223dcc3457ae5b6b0f885",
            ),
        ),
    )
    C = Reading.GCM.element(bytes.fromhex("0388dace60b6a392f328c2b971b2fe78"))
    lengths = Reading.GCM.element((128).to_bytes(16, "big"))
    assert mul(C, H) == X1 and mul(X1 ^ lengths, H) == result


def dot(a, b):
    """RFC 8452, 3, by its definition: a b x^-128 in the field mod x^128 + x^127 + x^126 + x^121 + 1."""
    modulus = 1 << 128 | 1 << 127 | 1 << 126 | 1 << 121 | 1
    product = 0
    for i in range(128):
        product ^= (a << i) * (b >> i & 1)
    for _ in range(128):  # divide by x 128 times: the modulus has the constant term that makes it possible
        product = (product ^ modulus * (product & 1)) >> 1
    return product


@given(BLOCKS, BLOCKS)
def test_polyval_is_the_reading_of_polyval(a, b):
    product = double(mul(Reading.POLYVAL.element(a), Reading.POLYVAL.element(b)))
    expected = dot(int.from_bytes(a, "little"), int.from_bytes(b, "little"))
    assert Reading.POLYVAL.block(product) == expected.to_bytes(16, "little")


def test_dot_of_the_rfc():
    """RFC 8452, 7: the example of a product."""
    a, b = bytes.fromhex("66e94bd4ef8a2c3b884cfa59ca342b2e"), bytes.fromhex("ff000000000000000000000000000000")
    product = double(mul(Reading.POLYVAL.element(a), Reading.POLYVAL.element(b)))
    assert Reading.POLYVAL.block(product).hex() == "ebe563401e7e91ea3ad6426b8140c394"


@pytest.mark.parametrize("reading", Reading)
def test_wrong_sizes(reading):
    for size in (0, 15, 17):
        with pytest.raises(ValueError, match=f"^block must be 16 bytes, got {size}$"):
            reading.element(bytes(size))
    with pytest.raises(ValueError, match="^block must be 16 bytes, got 1$"):
        reading.elements(bytes(17))
    for element in (-1, 2**128):
        with pytest.raises(ValueError, match="^element must have at most 128 bits and no sign, got "):
            reading.block(element)
