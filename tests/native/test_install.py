# SPDX-License-Identifier: Apache-2.0
"""The installed library in projects of other languages, its names and sizes, and its own CMake project."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import wideblock
from wideblock.cli.app import app
from wideblock.native.library import HEADER, MAJOR, SONAME, SOURCE, install
from wideblock.simulation.commands import compiler
from wideblock.spec.hctr2 import HCTR2

pytestmark = pytest.mark.shows("native")
FOREIGN = Path(__file__).with_name("foreign")

SECTORS = (HCTR2(bytes(range(16))).encrypt(n.to_bytes(16, "little"), bytes(512)) for n in (5, 6))
PRINTED = f"{b''.join(SECTORS).hex()} key size or key that the scheme does not take\n"


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    install(folder)
    return folder


@pytest.fixture
def run(prefix, tmp_path):
    """Runs a command in a folder of its own, where pkg-config, CMake and the loader find the installed library."""
    found = {
        "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig"),
        "CMAKE_PREFIX_PATH": str(prefix),
        "LD_LIBRARY_PATH": str(prefix / "lib"),
        "CARGO_TARGET_DIR": str(tmp_path),
        "GOFLAGS": "-mod=mod",
    }

    def ran(*words):
        command = [str(word) for word in words]
        done = subprocess.run(command, cwd=tmp_path, env={**os.environ, **found}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return ran


def exported(library):
    said = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in said.splitlines() if line.split()[1] == "T"}


BLOCKS = {"crypt", "crypt_numbered", "crypt_segments", "seal", "unseal"}
NAMES = {"message", "scheme", "tweak", "version", "width"}
VERSIONED = {"0.9": {"check", "close", "open", "open2", "tweaks", *BLOCKS, *NAMES}}
"""Names of functions by the version that brought them. A name that was in a release stays."""


def test_names_are_those_of_the_header_and_keep_their_versions(prefix):
    right = {f"wideblock_{name}@@WIDEBLOCK_{version}" for version, names in VERSIONED.items() for name in names}
    assert exported(prefix / "lib" / SONAME) == right
    declared = re.findall(r"^[\w ]+[ *](wideblock_\w+)\(", HEADER.read_text(), re.MULTILINE)
    assert {name.partition("@")[0] for name in right} == set(declared)


def test_the_manual_page_has_every_declaration():
    def said(text):
        return " ".join(text.split())

    page = said((SOURCE / "wideblock.3").read_text())
    declared = re.findall(r"^\w[\w ]+[ *]wideblock_\w+\([^;]*;", HEADER.read_text(), re.MULTILINE)
    assert len(declared) == sum(map(len, VERSIONED.values()))
    assert [each for each in declared if said(each) not in page] == []


def test_versions_of_header_library_and_package_are_one(prefix, run, tmp_path):
    program = '#include <wideblock.h>\n#include <stdio.h>\nint main(void) { printf("%s %s %d", WIDEBLOCK_VERSION, '
    program += "wideblock_version(), (int)sizeof(wideblock_options)); }"
    (tmp_path / "main.c").write_text(program)
    run(compiler(), "-x", "c", "main.c", f"-I{prefix}/include", f"-L{prefix}/lib", "-lwideblock", "-o", "main")
    assert run("./main") == f"{wideblock.__version__} {wideblock.__version__} 56"
    assert SONAME == f"libwideblock.so.{wideblock.__version__.split('.')[0]}"


def test_an_install_replaces_another_and_says_where_it_cannot(tmp_path, capsys):
    for _ in range(2):
        app(["native", "--install", str(tmp_path / "usr")], standalone_mode=False)
    assert os.readlink(tmp_path / "usr/lib/libwideblock.so") == SONAME
    assert not [path for path in tmp_path.rglob("*") if "@" in path.name or "part" in path.name]
    for path in tmp_path.rglob("wideblock*.*"):
        assert not re.search(r"@\w+@", path.read_text()), path
    assert f"installed below {tmp_path / 'usr'}" in capsys.readouterr().out
    (tmp_path / "file").write_text("")
    with pytest.raises(SystemExit):
        app(["native", "--install", str(tmp_path / "file")])
    assert capsys.readouterr().err == f"wideblock: {tmp_path / 'file/lib'}: not a directory\n"


@pytest.mark.wants("pkg-config")
@pytest.mark.parametrize("static", [False, True])
def test_a_project_in_c_by_pkg_config(run, prefix, static):
    flags = run("pkg-config", "--cflags", "--libs", *(["--static"] if static else []), "wideblock").split()
    strict = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
    only = [f"-l:{'libwideblock.a' if static else SONAME}" if word == "-lwideblock" else word for word in flags]
    run(compiler(), "-x", "c", FOREIGN / "c/main.c", "-x", "none", *strict, *only, "-o", "main")
    assert run("./main") == PRINTED
    assert run("pkg-config", "--modversion", "wideblock") == f"{wideblock.__version__}\n"


@pytest.mark.wants("pkg-config")
def test_a_project_in_cpp_17(run):
    flags = run("pkg-config", "--cflags", "--libs", "wideblock").split()
    run(compiler(), "-std=c++17", "-Wall", "-Wextra", "-Werror", FOREIGN / "cpp/main.cpp", *flags, "-o", "main")
    assert run("./main") == PRINTED


@pytest.mark.wants("cmake")
def test_a_project_by_cmake(run, tmp_path):
    run("cmake", "-S", FOREIGN / "c", "-B", "made")
    run("cmake", "--build", "made")
    assert run("made/shared") == run("made/archived") == PRINTED
    (tmp_path / "newer").mkdir()
    project = f"cmake_minimum_required(VERSION 3.16)\nproject(p C)\nfind_package(wideblock {MAJOR}.999)\n"
    (tmp_path / "newer/CMakeLists.txt").write_text(project + "if(wideblock_FOUND)\nmessage(FATAL_ERROR)\nendif()\n")
    run("cmake", "-S", "newer", "-B", "newer/made")


@pytest.mark.wants("cargo", "pkg-config")
def test_a_project_in_rust(run, tmp_path):
    project = shutil.copytree(FOREIGN / "rust", tmp_path / "project")
    assert run("cargo", "run", "--offline", "--quiet", "--manifest-path", project / "Cargo.toml") == PRINTED


@pytest.mark.slow
@pytest.mark.wants("go", "pkg-config")
def test_a_project_in_go(run, tmp_path):
    """Slow where Go has not yet compiled its standard library for cgo."""
    project = shutil.copytree(FOREIGN / "go", tmp_path / "project")
    run("go", "build", "-C", project, "-o", tmp_path / "main")
    assert run("./main") == PRINTED


@pytest.mark.slow
@pytest.mark.wants("cmake")
@pytest.mark.parametrize("options", [[], ["-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_BUILD_TYPE=Debug"]])
def test_the_library_is_built_by_cmake_as_by_python(run, prefix, tmp_path, options):
    """A toolchain may leave the processor without a name, and ask for code that is not optimised."""
    run("cmake", "-S", SOURCE, "-B", "made", *options)
    run("cmake", "--build", "made", "-j2")
    run("cmake", "--install", "made", "--prefix", tmp_path / "usr")
    files = {place: {path.relative_to(place) for path in place.rglob("*")} for place in (prefix, tmp_path / "usr")}
    assert files[prefix] == files[tmp_path / "usr"]
    for path in files[prefix]:
        if path.suffix in (".h", ".pc", ".cmake", ".3"):
            assert (prefix / path).read_bytes() == (tmp_path / "usr" / path).read_bytes(), path
    built = tmp_path / "usr/lib" / SONAME
    assert exported(built) == exported(prefix / "lib" / SONAME)
    run("cmake", "-S", FOREIGN / "c", "-B", "foreign", f"-DCMAKE_PREFIX_PATH={tmp_path / 'usr'}")
    run("cmake", "--build", "foreign")
    assert run("foreign/archived") == PRINTED
