# SPDX-License-Identifier: Apache-2.0
"""A scheme from the family's base class alone: two derived words, another reading of the field, inverse calls."""

import random

import pytest

from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.hash.products import DIGEST, Product, horner_products
from wideblock.rtl.keys.material import Derivation, KeyMaterial, KeyWord
from wideblock.rtl.sector.hash_counter_hash import BACK, FRONT, HashCounterHash, Structure
from wideblock.rtl.sector.parameters import HashedParameters
from wideblock.spec import gf128
from wideblock.spec.aes import AES

from ...simulated import Simulator

pytestmark = pytest.mark.shows("stream-parts")

K, h, L = KeyWord("K", 128, "the AES key"), KeyWord("h", 128, "the hash key"), KeyWord("L", 128, "a word")


class Hctr(HashCounterHash):
    """With H(N) = (N_1 h^m-1 + .. + N_m-1 h + T) h over GCM's reading of the field, h = E(0) and L = E(1):

    R = X_1 + H(X_2, .., X_m);  G = E(R) or D(R);  Y_i = X_i + E(R + G + L + bin(i - 1));  Y_1 = G + H(Y_2, .., Y_m)
    """

    title = "HCTR2 in miniature"
    structure = Structure(specials=1, inverse_call=True)
    reading = WireReading.GCM

    @staticmethod
    def check(p):
        pass

    @staticmethod
    def key_material(p):
        derivations = Derivation(0, K, h), Derivation(1, K, L)
        return KeyMaterial(port=(K,), ciphers=(K,), hash_key=h, derivations=derivations)

    def digest(self, X, into, T):
        products = horner_products(X, DIGEST, decimation=self.parameters.decimation, monic=False)
        return [*products, Product(DIGEST, None, 1, T, None, into)]

    def front(self, X):
        return self.digest(X[1:], FRONT.R, FRONT.T)

    def back(self, Y):
        return self.digest(Y[1:], BACK.h, BACK.T)

    def R(self, X, decrypt, hashed):
        return X[0] ^ hashed

    def Z(self, R, G, B, words):
        return R ^ G ^ self.key_unit.value(L)

    def counter(self, Z, index):
        return Z ^ index

    def inner(self, before, h):
        return before ^ h

    def order(self, decrypt, inner, outer):
        return [inner]


class Specification:
    """The same equations in bytes."""

    def __init__(self, key):
        self.aes = AES(key)
        self.h = gf128.Reading.GCM.element(self.aes.encrypt(bytes(16)))
        self.L = int.from_bytes(self.aes.encrypt(bytes([1, *bytes(15)])), "little")

    def hash(self, N, tweak):
        Y = 0
        for block in [*N, tweak]:
            Y = gf128.mul(Y, self.h) ^ gf128.Reading.GCM.element(block.to_bytes(16, "little"))
        return int.from_bytes(gf128.Reading.GCM.block(gf128.mul(Y, self.h)), "little")

    def call(self, block, *, inverse=False):
        cipher = self.aes.decrypt if inverse else self.aes.encrypt
        return int.from_bytes(cipher(block.to_bytes(16, "little")), "little")

    def crypt(self, X, tweak, *, decrypt):
        R = X[0] ^ self.hash(X[1:], tweak)
        G = self.call(R, inverse=decrypt)
        Y = [x ^ self.call(R ^ G ^ self.L ^ i) for i, x in enumerate(X[1:], 1)]
        return [G ^ self.hash(Y, tweak), *Y]


@pytest.mark.parametrize("overlap", [pytest.param(False, marks=pytest.mark.slow), True])
def test_core(overlap):
    rng, m = random.Random(1), 5
    p = HashedParameters(hash="horner", sector_bytes=16 * m, width=1, lanes=1, mult_stages=2, overlap=overlap)
    core = Hctr(p)
    key = rng.randbytes(16)
    spec = Specification(key)
    requests = [([rng.getrandbits(128) for _ in range(m)], rng.getrandbits(128), decrypt) for decrypt in (0, 1, 1, 0)]
    out = []

    async def source(ctx):
        ctx.set(core.key.payload, int.from_bytes(key, "little"))
        ctx.set(core.key.valid, 1)
        await ctx.tick().until(core.key.ready)
        ctx.set(core.key.valid, 0)
        await ctx.tick().repeat(core.timing.setup - 2)
        assert not ctx.get(core.ready)
        await ctx.tick()
        assert ctx.get(core.ready)
        for X, tweak, decrypt in requests:
            for k, block in enumerate(X):
                word = {"data": block, "tweak": tweak, "decrypt": decrypt, "last": k == m - 1}
                ctx.set(core.i.payload, word)
                ctx.set(core.i.valid, 1)
                await ctx.tick().until(core.i.ready)
        ctx.set(core.i.valid, 0)
        await ctx.tick().repeat(2 * core.timing.latency)

    async def sink(ctx):
        ctx.set(core.o.ready, 1)
        async for _, _, valid, data in ctx.tick().sample(core.o.valid, core.o.payload.data):
            if valid:
                out.append(data)

    simulator = Simulator(core)
    simulator.add_clock(1e-8)
    simulator.add_testbench(source)
    simulator.add_testbench(sink, background=True)
    simulator.run()
    right = [spec.crypt(X, tweak, decrypt=decrypt) for X, tweak, decrypt in requests]
    assert out == [block for Y in right for block in Y]
    assert [spec.crypt(Y, tweak, decrypt=not d) for Y, (_, tweak, d) in zip(right, requests, strict=True)] == [
        X for X, _, _ in requests
    ]


class NoHash(Hctr):
    def back(self, Y):
        return self.digest(Y[1:], FRONT.R, BACK.T)


def test_a_scheme_is_held_to_the_plan():
    with pytest.raises(ValueError, match="^NoHash: the plan has no event R, only h, tauW$"):
        NoHash(HashedParameters(hash="horner", sector_bytes=64, width=1, lanes=1))
