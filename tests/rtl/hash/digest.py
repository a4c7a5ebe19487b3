# SPDX-License-Identifier: Apache-2.0
"""Programs of one hash, for the tests of schedules and of the unit that runs them."""

from wideblock.rtl.hash.products import Product, brw_products, horner_products
from wideblock.rtl.hash.program import Arrival, schedule


def digest(n, kind, *, width, latency, multipliers=1, power=(1, 2), event="out", period=None, urgent=("h",)):
    """Schedule of the hash of ``n`` blocks, times ``power`` of tau; product ``h`` raises ``event``."""
    beats = -(-n // width)
    banks = width if kind == "horner" else max(2, width)
    if kind == "brw":
        products, loose = brw_products(range(n), "h", two_block_rule="fast")
    else:
        products, loose = horner_products(range(n), "h", decimation=latency * multipliers, monic=False), None
    return schedule(
        [*products, Product("h", None, power, loose, None, event)],
        [Arrival(b, b // width, b % banks) for b in range(n)],
        latency=latency,
        multipliers=multipliers,
        beats=beats,
        steps=period or beats,
        period=period,
        urgent=urgent if period else (),
    )
