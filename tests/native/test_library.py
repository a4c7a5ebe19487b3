# SPDX-License-Identifier: Apache-2.0
"""The library as users of C have it, and as other machines compile it."""

import logging
import random
import re
import subprocess
from pathlib import Path

import pytest

from wideblock.native.library import HEADER, SOURCE, compile_library, library_file, schemes, widths
from wideblock.native.twin import Twin
from wideblock.simulation.commands import BuildError, compiler
from wideblock.spec.hctr2 import HCTR2

pytestmark = pytest.mark.shows("native")


def run(*command, data=b"", **more):
    done = subprocess.run([str(word) for word in command], input=data, capture_output=True, **more)
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    folder = tmp_path_factory.mktemp("example")
    (folder / "key").write_bytes(bytes(range(32)))
    command = [compiler(), "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-x", "c", SOURCE / "example.c"]
    linked = ["-x", "none", library_file(), f"-Wl,-rpath,{library_file().parent}", "-o", folder / "example"]
    assert run(*command, *linked) == (0, b"", "")
    return folder


def test_the_example_encrypts_and_decrypts(example):
    data, specification = random.Random(1).randbytes(300 * 4096), HCTR2(bytes(range(32)))
    status, out, said = run(example / "example", example / "key", data=data)
    assert (status, said) == (0, "")
    for i in (0, 255, 256, 299):
        at = slice(4096 * i, 4096 * (i + 1))
        assert out[at] == specification.encrypt(i.to_bytes(16, "little"), data[at])
    assert run(example / "example", "-d", example / "key", data=out) == (0, data, "")


def test_the_example_says_what_is_wrong(example):
    assert run(example / "example") == (1, b"", "example: usage: example [-d] KEYFILE\n")
    assert run(example / "example", example / "key", data=bytes(5)) == (
        1,
        b"",
        "example: the input ends inside a sector\n",
    )
    assert run(example / "example", example / "none") == (1, b"", "example: cannot open KEYFILE\n")
    wrong = "example: key size or key that the scheme does not take\n"
    assert run(example / "example", __file__) == (1, b"", wrong)


def test_the_header_is_one_of_cpp_too(tmp_path):
    assert run(compiler(), "-x", "c++", "-fsyntax-only", "-Wall", "-pedantic", HEADER)[0] == 0


def test_no_key_and_no_value_of_it_remains(tmp_path):
    """A search of all memory that the process can write, after each close; a copy that the program keeps is found.

    No call uses more of the stack than it overwrites.
    """
    command = [compiler(), "-std=c++17", "-O1", f"-I{SOURCE}", Path(__file__).with_name("remains.cpp"), library_file()]
    assert run(*command, f"-Wl,-rpath,{library_file().parent}", "-o", tmp_path / "remains") == (0, b"", "")
    status, out, said = run(tmp_path / "remains")
    lines = [line.split() for line in out.decode().splitlines()]
    assert (status, said, len(lines)) == (0, "", 2 * len(schemes()) * len(widths()))
    assert [line for line in lines if line[3:] != ["0", "0"]] == []
    assert int(run(tmp_path / "remains", "leak")[1].split()[3]) > 0


@pytest.mark.parametrize("flags", [["-O0"], ["-Os"]])
def test_code_whose_stack_is_not_wiped_whole_is_refused(flags):
    macros = ["-DWIDEBLOCK_LAYER=plain", "-DWIDEBLOCK_LANES=0"]
    status, _, said = run(compiler(), "-std=c++17", *flags, *macros, "-fsyntax-only", SOURCE / "schemes.cpp")
    assert status != 0 and "compile with -O2 or -O3" in said


def test_a_compiler_that_fails_is_one_line_and_its_start_another(tmp_path, monkeypatch, caplog):
    caplog.set_level(logging.INFO, "wideblock")
    monkeypatch.setenv("WIDEBLOCK_CACHE", str(tmp_path))
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(
        BuildError, match="^no C\\+\\+ compiler: 'no-such-compiler' is not on PATH; install g\\+\\+ or set CXX"
    ):
        library_file()
    monkeypatch.setenv("CXX", "false")
    with pytest.raises(BuildError, match="^cannot compile the native library: exit status 1$"):
        library_file()
    assert "compiling the native library, which is kept for later runs" in caplog.messages
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


CROSS, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64"


@pytest.mark.wants(CROSS, EMULATOR)
def test_neon_agrees(tmp_path):
    """The widths of aarch64, NEON and the portable one, in an emulator, against this machine's widest."""
    folder = tmp_path / "made"
    folder.mkdir()
    compile_library(folder, command=CROSS, machine="aarch64")
    command = [CROSS, "-std=c++17", "-static", f"-I{SOURCE}", SOURCE.parents[2] / "tests/native/play.cpp"]
    assert run(*command, *tmp_path.glob("*.o"), "-o", tmp_path / "play")[0] == 0
    draw = random.Random(3)
    for scheme, key, n, tweak in SAMPLES:
        key, tweak, data = draw.randbytes(key), draw.randbytes(tweak), draw.randbytes(n)
        twin = Twin(scheme, key)
        right = (twin.encrypt(tweak, data) + twin.decrypt(tweak, data)).hex()
        words = [scheme, key.hex(), tweak.hex() or "-", data.hex()]
        status, out, said = run(EMULATOR, tmp_path / "play", *words)
        assert (status, out.decode().splitlines(), said) == (0, [f"neon {right}", f"portable {right}"], ""), (scheme, n)


SAMPLES = [
    *(("xts", key, n, 16) for key in (32, 64) for n in (16, 95, 512)),
    *(("hctr2", key, n, t) for key in (16, 24, 32) for n, t in ((16, 0), (100, 5), (1024, 32))),
    *(("fast-brw", key, n, 16) for key in (16, 32) for n in (64, 512, 1008)),
    *(("fast-horner", 16, n, 16) for n in (48, 512)),
    *(("eme2", key, n, t) for key in (48, 64) for n, t in ((16, 0), (100, 17), (2100, 16))),
    *((f"{mode}-{hash}", 32, 560, 16) for mode in ("heh", "hmch") for hash in ("brw", "brw-paper", "horner")),
    *(("xcb", key, n, t) for key in (16, 32) for n, t in ((16, 0), (500, 33))),
    *(("aez-core", 16, n, t) for n, t in ((32, 16), (640, 0))),
]


def commas(text):
    """Statements of ``text``, in C++, that are two: the second behind a comma."""
    text = re.sub(r'//.*|/\*(?s:.*?)\*/|^[ \t]*#(?:.*\\\n)*.*|"(?:\\.|[^"\\\n])*"', "@", text, flags=re.MULTILINE)
    while (less := re.sub(r"\([^()]*\)|\[[^\[\]]*\]|<[\w:, *@-]*>", "@", text)) != text:
        text = less
    one = re.compile(r"@* ?(?:else )?(?:(?:if|for|while) @ )?[\w.>:@*-]+(?: [-+*/^|&]?= [^,]*)?, ")
    return [statement for each in re.findall(r"[^;{}]+;", text) if one.match(statement := " ".join(each.split()))]


def test_a_statement_is_one_statement():
    """Each has its own line, and a condition before it is seen to hold for all of it."""
    wrong = "if (n) take(p), turn();\nlow = f<A, 2>(x), high = 0;\nelse a.skip(b), c(d);\n"
    right = 'int a = 1, b = 2;\nx[1] = times<W, 2 * (int)n>(p);\nf(a, b);\nenum { A, B };\nsay("a(), b();");\n'
    assert len(commas(wrong)) == 3 and commas(right) == []
    sources = [path for path in sorted(SOURCE.rglob("*")) if path.suffix in (".cpp", ".h", ".c")]
    assert len(sources) > 10
    assert {path.name: found for path in sources if (found := commas(path.read_text()))} == {}
