# SPDX-License-Identifier: Apache-2.0
"""The digest of code follows imports within its rooms, and ignores comments, docstrings and layout."""

import pytest

from wideblock.evidence import code
from wideblock.evidence.code import digest_of, modules_of

pytestmark = pytest.mark.shows("evaluation")

FILES = {
    "checks/__init__.py": "",
    "checks/first.py": '"""A check."""\nfrom wideblock.checks.rules import two\nfrom wideblock.tools import words\n',
    "checks/rules/__init__.py": "",
    "checks/rules/two.py": "import wideblock.checks.third\nlimit = 2\n",
    "checks/third.py": "size = 3\n",
    "checks/unused.py": "size = 4\n",
    "tools/words.py": "from wideblock.checks import unused\n",
    "checks/bench.cpp": "int main() {}\n",
}


@pytest.fixture
def digest(tmp_path, monkeypatch):
    """The digest of module "checks.first" after changes to the files."""
    monkeypatch.setattr(code, "ROOT", tmp_path)

    def of(changes=None):
        for name, text in (FILES | (changes or {})).items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        code._digest.cache_clear()
        code._imported.cache_clear()
        return digest_of(("checks.first",), ("checks",))

    yield of
    code._digest.cache_clear()
    code._imported.cache_clear()


def test_modules_are_those_that_are_imported_within_the_rooms(digest, tmp_path):
    digest()
    found = [path.relative_to(tmp_path).as_posix() for path in modules_of(("checks.first",), ("checks",))]
    assert found == ["checks/first.py", "checks/rules/__init__.py", "checks/rules/two.py", "checks/third.py"]


@pytest.mark.parametrize(
    ("file", "old", "new", "same"),
    [
        ("checks/third.py", "size = 3", "size  =  3  # bytes", True),
        ("checks/third.py", "size = 3", 'size = 3\n"""Bytes."""', True),
        ("checks/first.py", "A check.", "Another text.", True),
        ("checks/unused.py", "4", "5", True),
        ("tools/words.py", "unused", "third", True),
        ("checks/third.py", "3", "4", False),
        ("checks/rules/two.py", "limit", "most", False),
        ("checks/bench.cpp", "{}", "{ return 1; }", False),
    ],
)
def test_code_counts_and_text_does_not(digest, file, old, new, same):
    before = digest()
    assert old in FILES[file] and (digest({file: FILES[file].replace(old, new)}) == before) is same


def test_a_module_has_one_digest_in_every_version_of_python(tmp_path):
    """The number is that of Python 3.11, of the tree as `ast.dump` writes it there."""
    path = tmp_path / "module.py"
    path.write_text('class A:\n    def f(self, n=[]):\n        """B."""\n        return f"{self:>{n}} a", f""\n')
    assert code._digest(path) == "f7593b4ef02bd22fbe15369c8f97c0d39b407df3dfb5106cd2484b4449c39716"


def test_a_rule_has_the_digest_of_its_own_modules_and_a_module_that_is_not_there_is_named():
    files = {path.name for path in modules_of(("verify.formal.timing",), ("verify",))}
    assert {"timing.py", "cone.py", "caesar.py"} <= files and not {"document.py", "isolation.py"} & files
    own = {path.name for path in modules_of(("verify.formal.timing",), ("verify",), stated=("verify.formal.rules",))}
    assert {"timing.py", "cone.py"} <= own and "caesar.py" not in own
    with pytest.raises(ValueError, match="no module 'verify.beauty'"):
        digest_of(("verify.beauty",), ("verify",))
