# SPDX-License-Identifier: Apache-2.0
"""The multiplications of a polynomial hash, and the inputs of each.

A hash is a set of :class:`Product`: ``(left + tau^power) * (right + constant + sum of inner products)``, perhaps with
products of a power and a block beside, under a common reduction. Time is left to :mod:`wideblock.rtl.hash.program`,
which schedules each product. A hash and the core meet by :class:`HashEvent`, :class:`Special` and :class:`Tap`: objects
declared by a family in a :class:`HashPlan`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from wideblock.errors import UserError

from .forest import permutation

__all__ = [
    "DIGEST",
    "Block",
    "HashEvent",
    "HashPlan",
    "Label",
    "Product",
    "Special",
    "Tap",
    "brw_products",
    "horner_products",
    "horner_sums",
    "psi_products",
]


@dataclass(frozen=True)
class HashEvent:
    """A result of the hash, raised by the product that goes ``into`` the event.

    optional: schemes need not raise it
    """

    name: str
    meaning: str
    optional: bool = False


@dataclass(frozen=True)
class Special:
    """A block outside of the stream: arrives at a step after the sector's last beat.

    held: the core holds the block from a sector's second step to the last instead: without a step, without a place in
          the window
    """

    name: str
    meaning: str
    held: bool = False


@dataclass(frozen=True)
class Tap:
    """Label of a product with a right operand that is shown to the core, too, as the product is issued."""

    name: str
    meaning: str


Block = int | Special
"""A block of the sector by number, or a special block."""

Label = int | str | Tap
"""Name of a product; a BRW product has the label of a node in the collapsed forest."""

DIGEST = "D"
"""Label of the product of the sum of a hash's other products: the first on the critical path."""

PAPER_STAGES = 3  # of the multiplier whose schedule is the paper's order of blocks


@dataclass(frozen=True)
class Product:
    """A multiplication of the field.

    left:     block added to the left operand, or None
    power:    exponent of tau added to the left operand; a pair: for encryption and for decryption
    right:    block added to the right operand, or None
    constant: exponent of tau added to the right operand, or None
    into:     label of the product that adds the result to the right operand, or the event of the result; an event of
              several products announces the sum
    beside:   exponents of tau and blocks, whose products are added; None for an unused place of a multiplier
    """

    name: Label
    left: Block | None
    power: int | tuple[int, int]
    right: Block | None
    constant: int | None
    into: Label | HashEvent
    beside: tuple[tuple[int, Block] | None, ...] = ()

    @property
    def operands(self) -> dict[str, Block | None]:
        """The block of each operand: ``left``, ``right``, ``beside1``, .."""
        beside = {f"beside{k}": pair and pair[1] for k, pair in enumerate(self.beside, 1)}
        return {"left": self.left, "right": self.right, **beside}

    @property
    def blocks(self) -> list[Block]:
        """The blocks of both operands."""
        return [block for block in self.operands.values() if block is not None]

    @property
    def powers(self) -> set[int]:
        """Exponents of tau of the left operands."""
        own = self.power if isinstance(self.power, tuple) else (self.power,)
        return {*own, *(pair[0] for pair in self.beside if pair)}


@dataclass(frozen=True)
class HashPlan:
    """The events, special blocks and taps of a pass over a sector.

    A family declares the objects as fields of a subclass; products of a scheme refer to the objects.
    """

    def specials(self, products: Sequence[Product]) -> list[Special]:
        """The special blocks in ``products`` with a step, in the order of the plan's fields."""
        used = {block for product in products for block in product.blocks}
        return [part for part in vars(self).values() if isinstance(part, Special) and not part.held and part in used]

    def check(self, products: Sequence[Product], scheme: str) -> None:
        """Raises UserError if ``products`` of a ``scheme`` do not fit the plan.

        Products must raise every event that is not optional, and use no event, special block or tap of another plan.
        """
        known = list(vars(self).values())
        for product in products:
            for part in (product.name, *product.blocks, product.into):
                if isinstance(part, HashEvent | Special | Tap) and part not in known:
                    kind = type(part).__name__.removeprefix("Hash").lower()
                    there = ", ".join(p.name for p in known if type(p) is type(part))
                    raise UserError(f"{scheme}: the plan has no {kind} {part.name}, only {there or 'none'}")
        raised = {product.into for product in products}
        for event in known:
            if isinstance(event, HashEvent) and not event.optional and event not in raised:
                raise UserError(f"{scheme}: no product raises event {event.name}, {event.meaning}")


def brw_products(
    blocks: Sequence[Block], into: Label | HashEvent, *, two_block_rule: str
) -> tuple[list[Product], Block | None]:
    """Products of BRW_tau(X_1, ..., X_n), and the block added to the sum, if any.

    into:           place of the roots of the collapsed forest
    two_block_rule: rule for two single blocks at the end (n = 2 mod 4): ``"first-by-tau"`` X_1*tau + X_2,
                    ``"second-by-tau"`` X_2*tau + X_1

    Source: Chakraborty et al., IEEE TC 62(2), section 2.1; for ``"first-by-tau"``, AMC 2020, section 2.
    """
    if two_block_rule not in ("first-by-tau", "second-by-tau"):
        raise ValueError(f"two_block_rule must be 'first-by-tau' or 'second-by-tau', got {two_block_rule!r}")
    n = len(blocks)
    products = []
    loose = blocks[n - 1] if n % 2 else None
    for node in range(2, n + 1, 2):
        first, second = blocks[node - 2], blocks[node - 1]
        level = node & -node
        parent = node + level
        target = parent if parent <= n else into
        if node == n and level == 2:
            factor, loose = (first, second) if two_block_rule == "first-by-tau" else (second, first)
            products.append(Product(node, None, 1, factor, None, target))
        else:
            products.append(Product(node, second, level, first, 1 if level == 2 else None, target))
    return products, loose


def horner_products(
    blocks: Sequence[Block],
    into: Label | HashEvent,
    *,
    decimation: int,
    monic: bool,
    lift: tuple[int, int] = (0, 0),
    name: str = "X",
) -> list[Product]:
    """Products ``<name>1`` to ``<name>n`` of X_1*tau^n + ... + X_n*tau, with tau^(n+1) in front if ``monic``, times
    tau^lift; a pair of lifts: for encryption and for decryption.

    ``decimation`` independent chains step by tau^decimation; the last product of a chain has the exponent of the
    chain's last block, so the sum of the chains is the hash.

    Source: "Fast Low Level Disk Encryption Using FPGAs", section 3, d-decimated Horner. Raises ValueError if a monic
    hash has fewer blocks than chains: no chain could absorb the leading 1.
    """
    n = len(blocks)
    if monic and n < decimation:
        raise ValueError(
            f"{decimation}-decimated Horner with a leading one needs at least {decimation} blocks, got {n}"
        )
    products = []
    for j, block in enumerate(blocks, 1):
        last = j + decimation > n
        ends = n + 1 - j + lift[0], n + 1 - j + lift[1]
        power = decimation if not last else ends if ends[0] != ends[1] else ends[0]
        target = into if last else f"{name}{j + decimation}"
        leading = decimation if monic and j == decimation else None
        products.append(Product(f"{name}{j}", None, power, block, leading, target))
    return products


def horner_sums(
    beats: Sequence[Sequence[Block | None]], into: Label | HashEvent, *, decimation: int, lift: int = 0, name: str = "X"
) -> list[Product]:
    """Products of tau^lift (X_1*tau^n + ... + X_n*tau), a sum of products for all blocks of a beat.

    ``beats`` have equal widths; the last beat may be shorter, the first may begin with None for columns without a
    block. ``decimation`` independent chains of beats go ``into`` a common sum.
    """
    width = len(beats[0])
    products = []
    for g, beat in enumerate(beats):
        last = g + decimation >= len(beats)
        top = lift + (len(beats) - 1 - g) * width + len(beats[-1]) if last else decimation * width
        beside = tuple(None if block is None else (top - k, block) for k, block in enumerate(beat[1:], 1))
        target = into if last else f"{name}{g + decimation}"
        products.append(Product(f"{name}{g}", None, top, beat[0], None, target, beside))
    return products


def psi_products(
    X: Sequence[Block], into: HashEvent, *, hash: str, order: str, decimation: int, late: bool = False
) -> list[Product]:
    """Products of psi(X_1, .., X_n): the last product, by h, has the sum of all others and the block without a product.

    late: X_1 comes behind the last block; few products wait for X_1

    Source: IEEE TC 62(2), 2013, sections 3, 4.2 and 4.5.
    """
    if hash == "horner":
        alone = [Product("late", None, len(X) - 1, X[0], None, DIGEST)] if late else []
        products, loose = horner_products(X[len(alone) : -1], DIGEST, decimation=decimation, monic=False), X[-1]
        products = [*alone, *products]
    else:
        permuted = [X[j - 1] for j in permutation(len(X), PAPER_STAGES)] if order == "paper" else X
        products, loose = brw_products(permuted, DIGEST, two_block_rule="second-by-tau")
        products = _with_late(products, X[0]) if late else products
    return [*products, Product(DIGEST, None, 1, loose, None, into)]


def _with_late(products: list[Product], block: Block) -> list[Product]:
    """The products of a BRW hash with a late first ``block``: two of three factors are multiplied before.

    ((X_1 + tau) (X_2 + tau^2) + X_3) (X_4 + tau^4) = (X_1 + tau) [(X_2 + tau^2) (X_4 + tau^4)] + X_3 (X_4 + tau^4)

    Unchanged if the block is in no such place.
    """
    first = next((p for p in products if block in p.blocks), None)
    second = next((p for p in products if first and p.name == first.into), None)
    if first is None or second is None or first.right != block:
        return products
    ahead = Product("ahead", second.left, second.power, first.left, first.power, "late")
    late = Product("late", block, first.constant or 0, None, None, second.into)
    return [ahead, late, *(p for p in products if p is not first)]
