# SPDX-License-Identifier: Apache-2.0
"""The exported Verilog beside its specification: what simulation runs and holds together."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from wideblock import catalog
from wideblock.export.contract import Contract
from wideblock.export.verilog import verilog
from wideblock.rtl.sector.single_pass import SinglePass
from wideblock.verify.subject import KnownAnswer, Units

__all__ = ["Exported", "known_answers"]


@dataclass(frozen=True)
class Exported:
    """A core as :mod:`wideblock.verify` knows it: Verilog text, name of the module, shape, cycles, specification."""

    contract: Contract

    @property
    def verilog(self) -> str:
        """The file that a user gets, generated when it is first asked for."""
        return self._verilog

    @cached_property
    def _verilog(self) -> str:
        return verilog(self.contract)

    @property
    def top(self) -> str:
        return self.contract.module

    @property
    def width(self) -> int:
        return self.contract.parameters.width

    @property
    def key_bits(self) -> int:
        """Width of the key port: all the words of a key."""
        return self.contract.key_bits

    @property
    def sector_bytes(self) -> int:
        return self.contract.parameters.sector_bytes

    @property
    def units(self) -> Units | None:
        """Lengths and directions of a core that takes units of any length."""
        core = self.contract.core
        return Units(16, 16 * core.max_blocks, core.directions) if isinstance(core, SinglePass) else None

    @property
    def timing(self) -> Any:
        return self.contract.timing

    @property
    def specification(self) -> Callable[[bytes], Any]:
        """What gives the scheme under a key, with ``encrypt(tweak, sector)`` and ``decrypt(tweak, sector)``."""
        return partial(catalog.specification, self.contract.parameters)


def known_answers(core: Contract) -> list[KnownAnswer]:
    """Returns every known answer of the core's scheme, parameters; there may be none."""
    return [KnownAnswer(*answer) for answer in catalog.known_answers(core.parameters)]
