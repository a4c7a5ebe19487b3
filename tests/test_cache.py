# SPDX-License-Identifier: Apache-2.0
"""Folders that are whole or absent, found again, and made again when they are damaged."""

import os
import stat
import subprocess
import sys

import pytest

from wideblock import cache as module
from wideblock.cache import cache_directory, cached, installed, name_of

pytestmark = pytest.mark.shows("bench-generality")


def test_made_once(tmp_path):
    made = []

    def make(folder):
        made.append(folder)
        (folder / "file").write_text("whole")

    for _ in range(3):
        assert (cached(tmp_path / "a", make) / "file").read_text() == "whole"
    assert len(made) == 1 and os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("damage", ["truncated", "changed", "missing", "added", "no digests"])
def test_damaged_folders_are_made_again(tmp_path, damage):
    def make(folder):
        (folder / "file").write_bytes(bytes(range(100)))

    file = cached(tmp_path / "a", make) / "file"
    if damage == "truncated":
        file.write_bytes(bytes(range(50)))
    elif damage == "changed":
        file.write_bytes(bytes(range(99)) + b"x")
    elif damage == "missing":
        file.unlink()
    elif damage == "added":
        file.with_name("more").write_text("")
    else:
        file.with_name("sha256").unlink()
    assert (cached(tmp_path / "a", make) / "file").read_bytes() == bytes(range(100))
    assert sorted(os.listdir(tmp_path / "a")) == ["file", "sha256"]


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_nothing(tmp_path, error):
    def make(folder):
        (folder / "file").write_text("half")
        raise error

    with pytest.raises(type(error)):
        cached(tmp_path / "a", make)
    assert not os.listdir(tmp_path)


CODE = "import os, sys; from pathlib import Path; from wideblock.cache import cached\n"
WAIT = CODE + "cached(Path(sys.argv[1]) / 'a', lambda made: (print('making', flush=True), sys.stdin.read()))"


def start(code, folder):
    return subprocess.Popen(
        [sys.executable, "-c", code, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_processes_that_need_the_same_folder_wait_for_the_first(tmp_path):
    with start(WAIT, tmp_path) as first:
        assert first.stdout and first.stdout.readline() == "making\n"
        with start(WAIT, tmp_path) as second:
            with pytest.raises(subprocess.TimeoutExpired):
                second.wait(1)
            first.communicate("")
            assert first.returncode == 0
            assert second.communicate("") == ("", None) and second.returncode == 0
    assert os.listdir(tmp_path) == ["a"]


def test_who_waits_for_a_process_that_is_killed_makes_the_folder(tmp_path):
    with start(WAIT, tmp_path) as first:
        assert first.stdout and first.stdout.readline() == "making\n"
        with start(WAIT, tmp_path) as second:
            first.kill()
            assert second.communicate("") == ("making\n", None) and second.returncode == 0
    assert os.listdir(tmp_path) == ["a"]


def test_folders_of_killed_processes_are_collected_others_not(tmp_path):
    killed = CODE + "cached(Path(sys.argv[1]) / 'b', lambda made: os.kill(os.getpid(), 9))"
    assert subprocess.run([sys.executable, "-c", killed, tmp_path]).returncode == -9
    (dead,) = tmp_path.iterdir()
    with start(WAIT, tmp_path) as alive:
        assert alive.stdout and alive.stdout.readline() == "making\n"
        assert not dead.exists()
        cached(tmp_path / "c", lambda made: None)
        assert len(os.listdir(tmp_path)) == 2
        alive.communicate("")
    assert alive.returncode == 0 and sorted(os.listdir(tmp_path)) == ["a", "c"]


def test_the_names_of_contents():
    assert name_of(["a", "b"]) == name_of(iter(["a", "b"])) != name_of(["ab"]) and len(name_of([])) == 32


@pytest.fixture
def environment(tmp_path, monkeypatch):
    for name in ("WIDEBLOCK_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(module.tempfile, "tempdir", str(tmp_path))
    module._temporary.cache_clear()
    yield monkeypatch
    module._temporary.cache_clear()


def test_the_usual_place(tmp_path, environment):
    environment.setenv("HOME", str(tmp_path / "home"))
    assert cache_directory() == tmp_path / "home" / ".cache" / "wideblock"
    environment.setenv("WIDEBLOCK_CACHE", str(tmp_path / "chosen"))
    assert cache_directory() == tmp_path / "chosen"


def test_a_usual_place_of_another_user_is_not_used_and_one_that_others_can_write_is_closed(tmp_path, environment):
    environment.setenv("HOME", str(tmp_path))
    usual = tmp_path / ".cache" / "wideblock"
    assert cache_directory() == usual and stat.S_IMODE(usual.stat().st_mode) == 0o700
    usual.chmod(0o777)
    assert cache_directory() == usual and stat.S_IMODE(usual.stat().st_mode) == 0o755
    owner = os.getuid() + 1
    environment.setattr(module.os, "getuid", lambda: owner)
    assert cache_directory() != usual


@pytest.mark.parametrize("home", ["/dev/null", "/proc/none", None])
def test_without_a_home_a_temporary_place_of_the_users_own(tmp_path, environment, home):
    if home:
        environment.setenv("HOME", home)
    else:  # nor does the system know one
        environment.setattr(module.platformdirs, "user_cache_dir", lambda name: f"~/.cache/{name}")
    place = cache_directory()
    assert place == tmp_path / f"wideblock-{os.getuid()}" == cache_directory()
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


@pytest.mark.parametrize("taken", ["writable by others", "a link"])
def test_a_temporary_place_that_others_can_write_is_not_used(tmp_path, environment, taken):
    environment.setenv("HOME", "/dev/null")
    usual = tmp_path / f"wideblock-{os.getuid()}"
    if taken == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        usual.symlink_to(tmp_path / "elsewhere")
    else:
        usual.mkdir()
        usual.chmod(0o777)
    place = cache_directory()
    assert place not in (usual, tmp_path / "elsewhere") and place.parent == tmp_path
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_a_package_has_another_name_after_a_change_of_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "__file__", str(tmp_path / "cache.py"))
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "file").write_text("ab")
    before = installed()
    (tmp_path / "room" / "__pycache__").mkdir()
    (tmp_path / "room" / "__pycache__" / "file").write_text("compiled")
    assert installed() == before
    os.utime(tmp_path / "room" / "file", ns=(0, 0))
    touched = installed()
    (tmp_path / "room" / "file").rename(tmp_path / "room" / "moved")
    assert len({before, touched, installed()}) == 3


def test_names_of_files_that_are_no_utf_8_have_a_name():
    assert name_of(["/home/\udcff"]) != name_of(["/home/\udcfe"])
