# SPDX-License-Identifier: Apache-2.0
"""Published cases through the specification and the compiled core, and a fault in the core that each file finds."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from wideblock.errors import UserError
from wideblock.image import engines
from wideblock.image.cases import CaseVerdict, check
from wideblock.vectors.formats import read

from ..judges.vectors import faulty
from ..variants import few_of_many

pytestmark = pytest.mark.shows("files-of-vectors")

SAMPLES = Path(__file__).parents[1] / "vectors" / "samples"
FILES = {  # passed and skipped cases of the specification, and of the core
    "XTSGen.rsp": (8, 1, 8, 1),
    "aes_xts_test.json": (4, 2, 4, 2),
    "acvp_xts_prompt.json acvp_xts_results.json": (7, 1, 7, 1),
    "gcmDecrypt.rsp": (6, 0, 2, 4),
    "aes_gcm_test.json": (6, 0, 3, 3),
    "acvp_gcm_prompt.json acvp_gcm_results.json": (7, 0, 2, 5),
    "HCTR2.json": (5, 0, 5, 0),
}
SIMULATED = few_of_many(FILES, ["gcmDecrypt.rsp"])


def cases_of(name):
    found, _ = read([SAMPLES / each for each in name.split()])
    return found


def verdicts(cases, engine):
    results = list(check(cases, engine))
    assert {id(result.case) for result in results} == {id(case) for case in cases} and len(results) == len(cases)
    counts = Counter(result.verdict for result in results)
    return results, [counts[verdict] for verdict in (CaseVerdict.PASSED, CaseVerdict.FAILED, CaseVerdict.SKIPPED)]


@pytest.mark.parametrize("name", FILES)
def test_specification(name):
    passed, skipped, *_ = FILES[name]
    assert verdicts(cases_of(name), "spec")[1] == [passed, 0, skipped]


@pytest.mark.parametrize("name", [name for name in FILES if "gcm" not in name])
def test_native(name):
    """Every case of a sector cipher that the specification takes, those without a tweak, too."""
    passed, skipped, *_ = FILES[name]
    results, counts = verdicts(cases_of(name), "native")
    assert counts == [passed, 0, skipped]
    for result in results:
        assert result.verdict is CaseVerdict.PASSED or re.search("is not whole bytes$|^key of 48 bytes", result.reason)


@pytest.mark.parametrize("name", SIMULATED)
def test_core(name):
    *_, passed, skipped = FILES[name]
    assert verdicts(cases_of(name), "rtl")[1] == [passed, 0, skipped]


@pytest.mark.slow
def test_core_of_one_key_size():
    assert verdicts([case for case in cases_of("XTSGen.rsp") if len(case.key) == 32], "rtl")[1] == [7, 0, 1]


@pytest.mark.parametrize("name", few_of_many(FILES, []))
def test_a_fault_in_an_s_box_is_found(name):
    """Entry 5 of every table of the core has a wrong bit."""
    with faulty():
        results, (_, failed, _) = verdicts(cases_of(name), "rtl")
    assert failed
    reason = next(result.reason for result in results if result.verdict is CaseVerdict.FAILED)
    assert re.fullmatch(r"(en|de)crypts to \w* from byte \d+ on, right is \w*|is rejected, but is right", reason)


@pytest.mark.slow
def test_reasons_for_skipping():
    of_one_core = [case for case in cases_of("aes_xts_test.json") if len(case.key) < 64]
    results, _ = verdicts(cases_of("gcmDecrypt.rsp") + of_one_core, "rtl")
    assert {result.reason for result in results if result.verdict is CaseVerdict.SKIPPED} == {
        "tag of 12 bytes; aes-gcm takes 16",
        "nonce of 1 bytes; aes-gcm takes 12",
        "key of 48 bytes; xts-both takes 32, 64",
    }


@pytest.mark.parametrize("engine", few_of_many(["spec", "rtl"], ["spec"]))
def test_a_wrong_file_fails(engine):
    xts, gcm = cases_of("XTSGen.rsp")[0], cases_of("gcmDecrypt.rsp")[:2]
    flipped = bytes([xts.ciphertext[0] ^ 1]) + xts.ciphertext[1:]
    wrong = [
        replace(xts, ciphertext=flipped),
        replace(gcm[0], ciphertext=bytes([gcm[0].ciphertext[0] ^ 1]) + gcm[0].ciphertext[1:]),
        replace(gcm[0], plaintext=None, rejected=True),
        replace(gcm[1], plaintext=bytes(len(gcm[1].ciphertext) - 16), rejected=False),
        replace(gcm[1], plaintext=b"", rejected=False),
    ]
    results, counts = verdicts(wrong, engine)
    assert counts == [0, 5, 0]
    assert {result.reason.partition(" ")[0] for result in results} == {"encrypts", "is"}
    assert "is accepted, but must be rejected" in {result.reason for result in results}


def test_equal_halves_of_a_key_are_skipped():
    case = replace(cases_of("XTSGen.rsp")[0], key=bytes(32))
    for engine in ("spec", "rtl"):
        ((result,), _) = verdicts([case], engine)
        assert result.verdict is CaseVerdict.SKIPPED and "Key1 and Key2, must differ" in result.reason


def test_another_engine_is_one_of_images(monkeypatch):
    """An engine that this module does not know, here the specification's for images under another name."""
    monkeypatch.setitem(engines.ENGINES, "other", engines.SpecificationEngine)
    mixed = [*cases_of("XTSGen.rsp")[:2], *cases_of("HCTR2.json")[1:3], *cases_of("gcmDecrypt.rsp")[:1]]
    results, counts = verdicts(mixed, "other")
    assert counts == [4, 0, 1]
    (reason,) = [result.reason for result in results if result.reason]
    assert reason == "the engine 'other' is for sectors, not for messages"


def test_unknown_engine():
    with pytest.raises(UserError, match="^engine must be one of 'native', 'rtl', 'spec', got 'fpga'$"):
        list(check([], "fpga"))
