# SPDX-License-Identifier: Apache-2.0
"""Words of requests for a core's ports, without a simulation."""

import pytest

from wideblock.drive.sector.encoding import Encoding
from wideblock.drive.sector.shape import shape
from wideblock.export.contract import contract
from wideblock.simulation.ports import Ports

pytestmark = pytest.mark.shows("random-sectors")

SLOTTED = {"sector_bytes": 128, "slots": 4, "tag_bits": 8, "icv_bytes": 16}


@pytest.mark.parametrize("header", [False, True])
@pytest.mark.parametrize("noise", [False, True])
def test_an_integrity_check_value_is_beside_the_last_beat_of_its_sector(header, noise):
    """Where a request is in beats before a sector, too."""
    core = contract("fast-brw-2s-k", {**SLOTTED, "header": header})
    encoding, icvs = Encoding(shape(core), Ports(core.shell)), [bytes([n]) * 16 for n in (1, 2, 3)]
    script = encoding.script([bytes(128)] * 3, [bytes(16)] * 3, True, icvs, noise=noise, patience=99)
    words = script.words["i"]
    ends = words["last"] == 1
    assert [row.tobytes() for row in words["icv"][ends]] == icvs
    assert bool(words["icv"][~ends].any()) == noise
