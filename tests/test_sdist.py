# SPDX-License-Identifier: Apache-2.0
"""The source distribution has all that a checkout has for readers, users and tests."""

import tarfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder

pytestmark = pytest.mark.shows("documents")

ROOT = Path(__file__).parents[1]


def test_the_source_distribution_has_every_page_and_lock(tmp_path):
    (path,) = SdistBuilder(str(ROOT)).build(directory=str(tmp_path))
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    patterns = ("*.md", "*.lock", "*.cff", "LICENSE", "Makefile")
    wanted = {file.name for pattern in patterns for file in ROOT.glob(pattern)}
    wanted |= {file.relative_to(ROOT).as_posix() for room in ("docs", "drivers") for file in ROOT.glob(f"{room}/*.*")}
    assert wanted - names == set()
