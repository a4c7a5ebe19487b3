# SPDX-License-Identifier: Apache-2.0
"""Files appear whole or not at all, with the right mode, where a symbolic link points, and stale parts go."""

import errno
import multiprocessing
import os
import signal
import stat
import threading
from pathlib import Path

import pytest

from wideblock import atomic
from wideblock.atomic import check_directory, check_place, replacing, write_directory, write_text

pytestmark = pytest.mark.shows("images")


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def names(directory):
    return sorted(path.name for path in directory.iterdir())


@pytest.fixture
def umask():
    before = os.umask(0o027)
    yield
    os.umask(before)


def test_a_file_appears_at_the_end_and_is_private_until_then(tmp_path):
    with replacing(tmp_path / "out") as output:
        output.write(b"ab")
        output.write(b"c")
        (part,) = tmp_path.iterdir()
        assert part.name.endswith(".part") and mode(part) == 0o600
    assert names(tmp_path) == ["out"] and (tmp_path / "out").read_bytes() == b"abc"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_an_error_leaves_the_old_file(tmp_path, error):
    (tmp_path / "out").write_text("old")
    with pytest.raises(error), replacing(tmp_path / "out") as output:
        output.write(b"new")
        raise error
    assert names(tmp_path) == ["out"] and (tmp_path / "out").read_text() == "old"


def test_modes(tmp_path, umask):
    write_text(tmp_path / "new", "")
    assert mode(tmp_path / "new") == 0o640
    with replacing(tmp_path / "secret", new_mode=0o600):
        pass
    assert mode(tmp_path / "secret") == 0o600
    for old in (0o400, 0o604, 0o755):
        (tmp_path / "new").chmod(old)
        with replacing(tmp_path / "new", new_mode=0o666):
            pass
        assert mode(tmp_path / "new") == old


@pytest.mark.wants("root")  # who alone gives files away
def test_owner_and_group_are_kept_or_the_group_loses_its_bits(tmp_path, monkeypatch):
    path = tmp_path / "out"
    path.write_text("old")
    os.chown(path, 12345, 23456)
    path.chmod(0o664)
    write_text(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid, mode(path)) == (12345, 23456, 0o664)

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refuse)
    write_text(path, "newer")
    assert path.stat().st_gid != 23456 and mode(path) == 0o604


def test_a_symbolic_link_stays(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there/file")
    for text in ("first", "second"):  # the link dangles at first
        write_text(tmp_path / "link", text)
        assert (tmp_path / "link").is_symlink() and (tmp_path / "there" / "file").read_text() == text
    assert names(tmp_path) == ["link", "there"] and names(tmp_path / "there") == ["file"]


def test_an_existing_file_is_kept_unless_it_may_be_overwritten(tmp_path):
    path = tmp_path / "out"
    with pytest.raises(FileExistsError, match="out exists; .* --force"), replacing(path, overwrite=False):
        path.write_text("another's")  # while this one was written
    with pytest.raises(FileExistsError), replacing(path, overwrite=False):
        pytest.fail("refused only at the end")
    assert names(tmp_path) == ["out"] and path.read_text() == "another's"


def test_what_is_no_regular_file_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "out")
    with pytest.raises(FileExistsError, match="out is no regular file"), replacing(tmp_path / "out"):
        pass
    with pytest.raises(FileExistsError, match="is no regular file"):
        write_text(tmp_path, "text")
    assert names(tmp_path) == ["out"] and stat.S_ISFIFO((tmp_path / "out").stat().st_mode)


def test_errors_name_the_file(tmp_path):
    with pytest.raises(FileNotFoundError) as caught, replacing(tmp_path / "none" / "out"):
        pass
    assert caught.value.filename == str(tmp_path / "none")
    with pytest.raises(OSError) as caught:
        atomic.TargetFile(-1, tmp_path / "out").write(b"x")
    assert caught.value.filename == str(tmp_path / "out")


def test_a_name_of_the_greatest_length(tmp_path):
    write_text(tmp_path / ("x" * 255), "long")
    assert names(tmp_path) == ["x" * 255]


def killed_while_writing(path):
    with replacing(path) as output:
        output.write(b"half")
        os.kill(os.getpid(), signal.SIGKILL)


def test_the_part_of_a_killed_run_goes_with_the_next(tmp_path):
    for name in ("out", "other"):
        process = multiprocessing.get_context("fork").Process(target=killed_while_writing, args=(tmp_path / name,))
        process.start()
        process.join()
    assert len(names(tmp_path)) == 2
    (tmp_path / ".out.notours.part").write_text("a user's own")
    write_text(tmp_path / "out", "whole")
    left = names(tmp_path)
    assert len(left) == 3 and "out" in left and ".out.notours.part" in left
    assert any(name.startswith(".other.") for name in left)  # of another target: not this run's to remove


def test_the_part_of_a_run_under_way_stays(tmp_path):
    with replacing(tmp_path / "out") as slow:
        slow.write(b"slow")
        write_text(tmp_path / "out", "quick")
        assert len(names(tmp_path)) == 2
    assert names(tmp_path) == ["out"] and (tmp_path / "out").read_bytes() == b"slow"


def test_files_of_a_directory_are_replaced_together_or_not_at_all(tmp_path, monkeypatch):
    write_directory(tmp_path, {"a": "old", "b": "old"})
    sync, calls = os.fsync, []

    def full(descriptor):
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "no space left on device")
        sync(descriptor)

    monkeypatch.setattr(atomic.os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        write_directory(tmp_path, {"a": "new", "b": "new"})
    assert names(tmp_path) == ["a", "b"] and {each.read_text() for each in tmp_path.iterdir()} == {"old"}


def test_a_part_that_is_swept_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    lock, calls = atomic.fcntl.flock, []

    def late(descriptor, operation):
        if not calls:
            calls.append(next(tmp_path.iterdir()).unlink())
        lock(descriptor, operation)

    monkeypatch.setattr(atomic.fcntl, "flock", late)
    write_text(tmp_path / "out", "whole")
    assert calls and (tmp_path / "out").read_text() == "whole"


def test_two_writers_of_one_file(tmp_path):
    def write(text):
        for _ in range(50):
            write_text(tmp_path / "out", text * 1000)

    threads = [threading.Thread(target=write, args=(text,)) for text in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names(tmp_path) == ["out"] and (tmp_path / "out").read_text() in ("a" * 1000, "b" * 1000)


def test_a_directory_appears_whole_and_keeps_other_files(tmp_path, umask):
    directory = tmp_path / "a" / "b"
    write_directory(directory, {"x": "1", "y": "2"})
    assert names(directory) == ["x", "y"] and mode(directory) == 0o750 and mode(directory / "x") == 0o640
    (directory / "mine").write_text("keep")
    write_directory(directory, {"x": "3"})
    assert names(directory) == ["mine", "x", "y"] and (directory / "x").read_text() == "3"
    assert names(tmp_path / "a") == ["b"]


def test_a_directory_behind_a_symbolic_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    write_directory(tmp_path / "link", {"x": "1"})
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real" / "x").read_text() == "1"


def test_a_directory_that_is_there_stays_itself_and_a_link_in_it_is_replaced(tmp_path):
    there, other = tmp_path / "there", tmp_path / "other"
    there.mkdir(mode=0o700)
    before = there.stat().st_ino
    write_directory(there, {"x": "1"})
    assert there.stat().st_ino == before and mode(there) == 0o700
    other.write_text("mine")
    (there / "y").symlink_to(other)
    write_directory(there, {"y": "2"})
    assert other.read_text() == "mine" and (there / "y").read_text() == "2" and not (there / "y").is_symlink()


def test_files_that_belong_together_are_settled_before_the_first_is_renamed(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    with pytest.raises(FileExistsError), replacing(two, overwrite=False) as later, replacing(one) as first:
        first.write(b"new")
        later.write(b"new")
        two.write_text("mine")
        later.settle()
    assert names(tmp_path) == ["two"] and two.read_text() == "mine"


def test_a_directory_whose_writing_fails_is_as_it_was(tmp_path):
    (tmp_path / "mine").write_text("keep")
    (tmp_path / "x").write_text("old")
    with pytest.raises(OSError):
        write_directory(tmp_path, {"x": "new", "none/y": "new"})
    assert names(tmp_path) == ["mine", "x"] and (tmp_path / "x").read_text() == "old"


def test_a_place_is_checked_before_the_work_and_left_as_it_was(tmp_path):
    (tmp_path / "there").write_text("mine")
    for path in (tmp_path / "there", tmp_path / "new", tmp_path / "a" / "b" / "new"):
        check_place(path)
    assert names(tmp_path) == ["there"] and (tmp_path / "there").read_text() == "mine"
    (tmp_path / "loop").symlink_to("loop")
    wrong = (tmp_path / "there" / "x", tmp_path / "loop", "/proc/x")
    for path, error in ((tmp_path, IsADirectoryError), *((path, OSError) for path in wrong)):
        with pytest.raises(error) as found:
            check_place(Path(path))
        assert found.value.filename == str(path)


def test_a_directory_is_checked_before_the_work(tmp_path):
    (tmp_path / "there").write_text("mine")
    (tmp_path / "loop").symlink_to("loop")
    for path in (tmp_path / "new", tmp_path / "a" / "b"):
        check_directory(path, overwrite=False)
    check_directory(tmp_path, overwrite=True)
    wrong = (tmp_path, tmp_path / "there", tmp_path / "there" / "x", tmp_path / "loop", Path("/proc/x"))
    for path in wrong:
        with pytest.raises(OSError, match=str(path)):
            check_directory(path, overwrite=False)
    assert names(tmp_path) == ["loop", "there"]


def test_errors_of_a_directory_name_it_and_its_name_may_have_the_greatest_length(tmp_path):
    write_directory(tmp_path / ("d" * 255), {"x": "new"})
    with pytest.raises(OSError) as found:
        write_directory(Path("/proc/x"), {"x": "new"})
    assert found.value.filename == "/proc/x"
