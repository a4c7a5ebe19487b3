# SPDX-License-Identifier: Apache-2.0
"""The test plan: each feature, how it is shown, where, and with which result.

``python -m tests.plan docs/test-plan.md docs/test-all.json RECORD..`` writes the document from what ``pytest --record``
recorded. Records of all tests, perhaps in parts, go into the second file, so that the document keeps the last of them.
``python -m tests.plan RECORD RECORD`` prints the results of a run, and of the cases that it skipped.
``python -m tests.plan --old docs/test-all.json RECORD..`` prints the files whose slow cases were not run as they are
today, and exits with status 1 if there are any.

A record has a digest of all files of ``src`` and ``tests``, and one of each file whose slow cases it ran.
"""

import hashlib
import json
import re
import sys
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from wideblock.export.markdown import table

__all__ = ["features", "last", "of_file", "old", "plan", "tree"]

ROOT = Path(__file__).parents[1]
FEATURES = ROOT / "docs" / "test-plan.toml"
HEAD = ("feature", "how it is shown", "where", "`make test`", "`make test-all`", "its slow cases")
SLOW = re.compile(r"mark\.slow|few_of_many\(|slow_but_few\(")
Record = dict[str, Any]


@cache
def features() -> dict[str, dict[str, str]]:
    """Every feature by its name: ``area``, ``feature`` and ``how``."""
    return tomllib.loads(FEATURES.read_text())


def of_file(path: str | Path) -> str | None:
    """The digest of a file, by its path from the root of the checkout; None if it is not there."""
    file = ROOT / path
    return hashlib.sha256(file.read_bytes()).hexdigest()[:16] if file.is_file() else None


@cache
def tree() -> str:
    """The digest of all files of ``src`` and ``tests`` with their paths, but measured results and compiled Python."""
    files = sorted(path for name in ("src", "tests") for path in (ROOT / name).rglob("*") if path.is_file())
    names = [path.relative_to(ROOT).as_posix() for path in files if not {"__pycache__", "results"} & {*path.parts}]
    return hashlib.sha256("".join(f"{of_file(name)} {name}\n" for name in names).encode()).hexdigest()[:16]


def old(records: list[Record], files: dict[str, str | None]) -> list[str]:
    """A line for each of the ``files``, by their digests, whose slow cases the last run of all tests has not as it is.

    A file of a run in parts counts as run if each part that has slow cases of it had the file as it is.
    """
    run = last(records)
    n = _part(run[0])[1] if run else 1
    missing = sorted(set(range(1, n + 1)) - {_part(record)[0] for record in run})
    lines = [f"part {k} of {n} is not recorded" for k in missing]
    lines += [f"part {record['part'] or '1/1'}{_unfinished(record)}" for record in run if _unfinished(record)]
    for path, digest in sorted(files.items()):
        found = {record.get("slow", {})[path] for record in run if path in record.get("slow", {})}
        if found != {digest}:
            lines.append(f"{path}: {'has changed since its slow cases ran' if found else 'no slow case is recorded'}")
    return lines


def slow_files() -> dict[str, str | None]:
    """Each file of tests that marks cases as slow, with its digest."""
    texts = {path: path.read_text() for path in sorted((ROOT / "tests").rglob("test_*.py"))}
    names = [path.relative_to(ROOT).as_posix() for path, text in texts.items() if SLOW.search(text)]
    return {name: of_file(name) for name in names}


def last(records: list[Record]) -> list[Record]:
    """Of records of all tests those of the last run: one without parts, or the newest record of each part.

    The last run has as many parts as the record that began last.
    """
    newest: dict[tuple[int, int], Record] = {}
    for record in sorted(records, key=lambda record: record["began"]):
        newest[_part(record)] = record
    if not newest:
        return []
    _, parts = _part(max(newest.values(), key=lambda record: record["began"]))
    return [record for (_, n), record in sorted(newest.items()) if n == parts]


def joined(few: Record, again: Record) -> Record:
    """The record of ``few`` in which the cases that it skipped have the results of ``again``."""
    features = dict(few["features"])
    for name, found in again["features"].items():
        features[name] = {**features[name], "outcomes": _instead(features[name]["outcomes"], found["outcomes"])}
    commit = few["commit"] or again["commit"]  # one tree, perhaps first without git
    return {**few, "commit": commit, "outcomes": _instead(few["outcomes"], again["outcomes"]), "features": features}


def _instead(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    """Outcomes in which those of ``after`` are in the place of as many that were skipped."""
    found = Counter(before) + Counter(after)
    found["skipped"] -= sum(after.values())
    return dict(+found)


def plan(few: Record | None, whole: list[Record], again: Record | None = None) -> str:
    """Returns the test plan in Markdown, an area after another.

    few:   the record of `make test`
    whole: the records of the last `make test-all`
    again: the record of the cases that `few` skipped and that ran on the whole machine
    """
    areas = dict.fromkeys(feature["area"] for feature in features().values())
    all_of = joined(few, again) if few and again else few
    parts = [
        "# Test plan\n\nGenerated by `make docs` from `docs/test-plan.toml` and the recorded results of tests. "
        '`make test-all` has every variant of a core that has a test. A feature without a test has the result "none". '
        "Slow cases of _today's files_ ran on `src` and `tests` as they are, of _today's cases_ on their test files as "
        "they are, while other files have changed since; all others ran before both.\n"
        f"\n- `make test`{_run(all_of)}\n- `make test-all`{_whole(whole)}\n",
        *(["## Programs that some cases want\n\n" + _wants(few, again)] if few and few.get("wants") else []),
    ]
    runs = [[all_of] if all_of else [], whole]
    for area in areas:
        rows = [
            (f["feature"], f["how"], *_shown(name, runs), _age(name, whole))
            for name, f in features().items()
            if f["area"] == area
        ]
        parts.append(f"## {area}\n\n{table(HEAD, rows)}")
    return "\n".join(parts)


def _wants(few: Record, again: Record | None) -> str:
    """The counts without and with the programs that cases want beside those of the README."""
    results = again["wants"] if again else {}
    rows = [
        (f"`{name}`", f"{sum(skipped.values()):,}", _counts(results[name]) if name in results else "none")
        for name, skipped in few["wants"].items()
    ]
    return (
        f"`make test` without them: {_counts(few['outcomes'])}. The skipped cases with those of the whole machine: "
        f"{_counts(again['outcomes']) if again else 'not recorded'}. "
        "`bash .ci/run && make docs` renews both counts.\n\n"
        + table(("wanted", "cases skipped without it", "these cases with it"), rows)
    )


def _part(record: Record) -> tuple[int, int]:
    k, n = map(int, (record["part"] or "1/1").split("/"))
    return k, n


def _run(record: Record | None) -> str:
    """When a run was, of which commit, and its results."""
    if record is None:
        return " is not recorded."
    return f" of {_when(record)}: {_counts(record['outcomes'])}{_unfinished(record)}."


def _when(record: Record) -> str:
    return f"{record['began'][:10]}, commit {record['commit'] or 'unknown'}"


def _unfinished(record: Record) -> str:
    ran = sum(record["outcomes"].values())
    return f"; not finished: {ran:,} of {record['collected']:,} tests" if ran < record["collected"] else ""


def _whole(records: list[Record]) -> str:
    """The same of a run that may be in parts; what differs between them is said of each."""
    if not records or not records[0]["part"]:
        return _run(records[0] if records else None)
    n = _part(records[0])[1]
    total = sum((Counter(record["outcomes"]) for record in records), Counter())
    missing = sorted(set(range(1, n + 1)) - {_part(record)[0] for record in records})
    lines = [f", parts {', '.join(map(str, missing))} of {n} not recorded" if missing else f" in {n} parts"]
    if len({record["commit"] for record in records}) == 1 and not any(map(_unfinished, records)):
        days = sorted({record["began"][:10] for record in records})
        when = f"{' to '.join(dict.fromkeys((days[0], days[-1])))}, commit {records[0]['commit'] or 'unknown'}"
        return f"{lines[0]}, {when}: {_counts(total)}."
    lines[0] += f": {_counts(total)}."
    return "\n".join([*lines, *(f"  - part {record['part']}{_run(record)}" for record in records)])


def _shown(name: str, runs: list[list[Record]]) -> tuple[str, ...]:
    """The files of a feature's tests, and its results in each run."""
    results = [[found for record in run if (found := record["features"].get(name))] for run in runs]
    files = sorted({path for run in results for found in run for path in found["files"]})
    counts = (sum((Counter(found["outcomes"]) for found in run), Counter()) for run in results)
    return ", ".join(f"`{path}`" for path in files) or "-", *(_counts(each) if each else "none" for each in counts)


def _age(name: str, whole: list[Record]) -> str:
    """Whether the slow cases of a feature ran on the files of today, or on today's files of the cases alone."""
    ran = [record for record in whole if record["features"].get(name, {}).get("slow")]
    if not ran:
        return "-"
    before = [record for record in ran if record.get("tree") != tree()]
    if not before:
        return "today's files"
    if all(_has_cases(record, name) for record in before):
        return "today's cases"
    return f"before {'' if len(before) == len(ran) else 'in part '}today's files"


def _has_cases(record: Record, name: str) -> bool:
    """Whether the files of a feature's slow cases are as they were in a run."""
    ran = record.get("slow", {}).keys() & set(record["features"][name]["files"])
    return bool(ran) and all(of_file(path) == record["slow"][path] for path in ran)


def _counts(outcomes: dict[str, int]) -> str:
    """Those passed, those failed, and other outcomes that there were."""
    others = sorted(outcomes.keys() - {"passed", "failed"})
    return ", ".join(f"{outcomes.get(outcome, 0):,} {outcome}" for outcome in ("passed", "failed", *others))


def main(document: Path, kept: Path, records: list[Path]) -> None:
    read = [json.loads(path.read_text()) for path in records]
    first = [record for record in read if not record.get("after")]
    few = max((record for record in first if record["chosen"]), key=lambda record: record["began"], default=None)
    again = next((record for record in read if few and record.get("after") == few["began"]), None)
    known = json.loads(kept.read_text()) if kept.exists() else []
    whole = last([*known, *(record for record in first if not record["chosen"])])
    whole = [{name: value for name, value in record.items() if name not in ("after", "skipped")} for record in whole]
    kept.write_text(json.dumps(whole, indent=1, sort_keys=True) + "\n")
    document.write_text(plan(few, whole, again))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--old"]:
        texts = [json.loads(Path(argument).read_text()) for argument in sys.argv[2:]]
        every = [record for text in texts for record in (text if isinstance(text, list) else [text])]
        lines = old([record for record in every if not record["chosen"]], slow_files())
        print("\n".join(lines) or "every slow case is recorded, of the files of today")
        sys.exit(bool(lines))
    elif len(paths := [Path(path) for path in sys.argv[1:]]) == 2:
        one, two = (json.loads(path.read_text()) for path in paths)
        print(f"without: {_counts(one['outcomes'])}; with: {_counts(two['outcomes'])}")
        print(f"together: {_counts(joined(one, two)['outcomes'])}")
    else:
        main(paths[0], paths[1], paths[2:])
