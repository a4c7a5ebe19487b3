# SPDX-License-Identifier: Apache-2.0
"""Programs of one hash, for the tests of schedules and of the unit that runs them."""

from wideblock.rtl.hash.products import HashEvent, Product, Tap, brw_products, horner_products
from wideblock.rtl.hash.program import Arrival, schedule

OUT = HashEvent("out", "the hash")
H = Tap("h", "the product that gives the hash")


def digest(n, kind, *, width, latency, multipliers=1, power=(1, 2), event=OUT, period=None, urgent=(H,)):
    """Schedule of the hash of ``n`` blocks, times ``power`` of tau; product ``H`` raises ``event``."""
    beats = -(-n // width)
    banks = width if kind == "horner" else max(2, width)
    if kind == "brw":
        products, loose = brw_products(range(n), H, two_block_rule="first-by-tau")
    else:
        products, loose = horner_products(range(n), H, decimation=latency * multipliers, monic=False), None
    return schedule(
        [*products, Product(H, None, power, loose, None, event)],
        [Arrival(b, b // width, b % banks) for b in range(n)],
        latency=latency,
        multipliers=multipliers,
        beats=beats,
        steps=period or beats,
        period=period,
        urgent=urgent if period else (),
    )
