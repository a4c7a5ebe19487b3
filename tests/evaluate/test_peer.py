# SPDX-License-Identifier: Apache-2.0
"""Other people's Verilog: which files and which origin it has, and that it never counts as ours."""

import subprocess
from dataclasses import replace

import pytest
from typer.testing import CliRunner

from tools.results import overview
from wideblock.cli.app import app
from wideblock.errors import UserError
from wideblock.evaluate import peer
from wideblock.evaluate.compare import compare
from wideblock.evaluate.point import Origin, point_of
from wideblock.evaluate.report import entries, page
from wideblock.evaluate.store import load
from wideblock.synth.targets import target
from wideblock.synth.yosys import Source

pytestmark = pytest.mark.shows("evaluation")

ORIGIN = Origin("example.org/owner/cores", "a" * 40, "MIT", "top")
MIT = "MIT License\n\nPermission is hereby granted, free of\ncharge, to any person"


@pytest.fixture
def cores(tmp_path):
    """The files of a core of two modules, a test bench that no tool reads, and a licence."""
    rtl = tmp_path / "cores" / "rtl"
    rtl.mkdir(parents=True)
    (rtl / "top.v").write_text(
        "`default_nettype none\n// tb\n"
        "module top(input wire clk, input wire d, output wire q); part p(clk, d, q); endmodule"
    )
    (rtl / "part.v").write_text(
        "module part(input c, input d, output reg q); always @(posedge c) q <= q ^ d; endmodule\n", "utf-8-sig"
    )
    (rtl / "tb.v").write_text("module tb; top dut(); initial nonsense; endmodule\n")
    (tmp_path / "cores" / "LICENSE.txt").write_text(MIT)
    return rtl


@pytest.fixture
def repository(cores):
    """The same in a repository."""
    git = ["git", "-C", cores.parent, "-c", "user.name=n", "-c", "user.email=e"]
    for command in (
        ("init", "-q"),
        ("remote", "add", "origin", "ssh://me@example.org/owner/cores.git"),
        ("add", "."),
        ("commit", "-q", "-m", "cores"),
    ):
        subprocess.run([*git, *command], check=True)
    return cores


def test_only_the_files_that_the_top_module_needs_are_read(cores):
    source = peer.source(cores, "top")
    assert source.verilog.index("module top") < source.verilog.index("`resetall") < source.verilog.index("module part")
    assert "nonsense" not in source.verilog and peer.clock_of(source) == "clk"


@pytest.mark.parametrize(
    "top, says",
    [("other", "defines module other; they define part, tb, top"), ("a b", "--top is the name of a Verilog module")],
)
def test_a_module_that_is_not_there_is_refused(cores, top, says):
    with pytest.raises(UserError, match=says):
        peer.source(cores, top)


def test_what_is_not_clear_is_refused(cores, tmp_path):
    with pytest.raises(UserError, match="top has inputs c, d; say which is its --clock"):
        peer.clock_of(Source("module top(input c, input d, output q); assign q = c & d; endmodule", "top"))
    (cores / "copy.v").write_text((cores / "part.v").read_text())
    with pytest.raises(UserError, match="part is defined in copy.v and part.v"):
        peer.source(cores, "top")
    with pytest.raises(UserError, match="is no directory"):
        peer.source(tmp_path / "none", "top")


@pytest.mark.wants("git")
def test_the_origin_is_that_of_git_and_the_licence_file(repository):
    found = peer.origin(repository, "top")
    assert (found.repository, found.licence, len(found.commit)) == ("example.org/owner/cores", "MIT", 40)
    (repository / "top.v").write_text("")
    assert peer.origin(repository, "top").commit == f"{found.commit}-dirty"
    given = peer.origin(repository, "top", repository="r", commit="c", licence="l")
    assert given == Origin("r", "c", "l", "top")


@pytest.mark.wants("git")
def test_a_licence_may_be_in_a_folder(repository):
    folder = repository.parent / "LICENSES"
    folder.mkdir()
    (repository.parent / "LICENSE.txt").rename(folder / "MIT.txt")
    assert peer.origin(repository, "top").licence == "MIT"


@pytest.mark.parametrize("name", ["repository", "commit", "licence"])
def test_an_origin_that_is_not_known_has_to_be_given(tmp_path, name):
    known = {"repository": "r", "commit": "c", "licence": "l"}
    with pytest.raises(UserError, match=f"tells its {name}; say --{name}"):
        peer.origin(tmp_path, "top", **(known | {name: None}))


@pytest.mark.parametrize(
    "text, spdx",
    [
        (MIT, "MIT"),
        ("Apache License\n   Version 2.0, January 2004", "Apache-2.0"),
        ("Redistribution and use in source and binary forms, with\nNeither the name of", "BSD-3-Clause"),
        ("Redistribution and use in source and binary\nforms, with or without", "BSD-2-Clause"),
        ("GNU LESSER GENERAL PUBLIC LICENSE\n Version 3, 29 June", "LGPL-3.0-only"),
        ("All rights reserved.", None),
    ],
)
def test_licences_are_known_by_their_text(text, spdx):
    assert peer.licence_of(text) == spdx


def test_a_peer_is_another_point_at_another_commit():
    one = peer.identify(None, ORIGIN, target("xc7"))
    assert one.name == "owner/cores: top" and one.origin == ORIGIN
    assert one.key != peer.identify(None, replace(ORIGIN, commit="b" * 40), target("xc7")).key
    with pytest.raises(UserError, match="fast-brw-2 is the name of one of our cores"):
        peer.identify("fast-brw-2", ORIGIN, target("xc7"))


def test_peers_stand_apart_from_ours(measurement):
    ours, theirs = measurement("aes128-pec"), measurement("owner/cores: top", lcs=777, interval=4, origin=ORIGIN)
    both = [ours, theirs]
    assert [point_of(point.evidence) for point in both] == both
    assert ours.evidence.method["origin"] is None and theirs.evidence.method["origin"]["top"] == ORIGIN.top
    assert entries(both) == entries([ours]) and overview(both) == overview([ours])
    assert compare(["aes128-pec"], both) == compare(["aes128-pec"], [ours])
    html = page(both)
    assert (
        "777" in html[html.index("Other people's Verilog") :] and "owner/cores" not in html[: html.index('id="peers"')]
    )
    assert f"example.org/owner/cores at {'a' * 12}, MIT" in html and 'id="peers"' not in page([ours])


@pytest.mark.wants("git")
def test_the_command_measures_and_stores_a_peer(repository, tmp_path):
    store = tmp_path / "points.jsonl"
    command = ["measure-peer", repository, "--top", "top", "--bytes", "16", "--interval", "4", "--target", "xc7"]
    result = CliRunner().invoke(app, [*map(str, command), "--store", str(store)])
    assert result.exit_code == 0 and "example.org/owner/cores at " in result.output, result.output
    (point,) = load(store)
    assert (point.found.ffs, point.found.bytes, point.found.interval) == (1, 16, 4)
    shown, origin = CliRunner().invoke(app, ["compare", "--store", str(store)]).output, point.identity.origin
    assert origin
    assert f"example.org/owner/cores at {origin.commit}, MIT: top." in shown
    assert "owner/cores" not in CliRunner().invoke(app, ["compare", "aes128-pec", "--store", str(store)]).output
