# SPDX-License-Identifier: Apache-2.0
"""``python -m tools``: an error is one line, and nothing is written."""

import sys

import pytest

from tools import __main__ as command

pytestmark = pytest.mark.shows("documents")


@pytest.mark.parametrize("name", ["docs", "check"])
def test_a_folder_that_is_no_checkout_is_refused(name, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["tools", name, str(tmp_path)])
    with pytest.raises(SystemExit) as end:
        command.main()
    assert end.value.code == f"tools: {tmp_path} is no checkout of wideblock: it has no {command.STORE.parent}"
    assert [*tmp_path.iterdir()] == []
