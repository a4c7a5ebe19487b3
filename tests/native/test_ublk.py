# SPDX-License-Identifier: Apache-2.0
"""The server of ublk, in a virtual machine."""

from dataclasses import dataclass

import pytest

from ..judges import ublk
from ..judges.linux import PROGRAMS
from ..wants import refused

pytestmark = [
    pytest.mark.shows("block-device"),
    pytest.mark.slow,
    pytest.mark.wants(*PROGRAMS, "linux modules", "x86-64", "ublk_cmd.h"),
]


@dataclass(frozen=True)
class Shifted(ublk.Case):
    """A device whose server counts sectors from another number than the image."""

    @property
    def words(self):
        return super().words.replace("first=0", "first=1")


def wrong(*cases):
    try:
        return ublk.wrong(cases)
    except ublk.Absent as error:
        refused("ublk driver", str(error))


def test_devices_are_images_and_servers_end_as_they_should():
    assert wrong(*ublk.CASES) == {case.name: {} for case in (*ublk.CASES, ublk.SEALED)}


def test_a_wrong_number_is_found():
    case = Shifted("shifted", "xts-both", 512)
    found = wrong(case)["shifted"]
    assert {"opened", "written", "ours", "ours, files"} <= found.keys()
