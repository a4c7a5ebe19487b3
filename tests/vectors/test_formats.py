# SPDX-License-Identifier: Apache-2.0
"""Readers of files of test vectors.

``samples`` has a few cases of each form: XTSGen.rsp and gcmDecrypt.rsp of NIST's CAVP; aes_*_test.json of Wycheproof;
HCTR2.json of google/hctr2; acvp_gcm_* of usnistgov/ACVP-Server; acvp_xts_*, whose units cross numbers of all ones,
computed with OpenSSL.
"""

import json
from pathlib import Path

import pytest

from wideblock.errors import UserError
from wideblock.vectors.formats import MessageCase, UnitCase, read, response

pytestmark = pytest.mark.shows("files-of-vectors")

SAMPLES = Path(__file__).parent / "samples"


def sample(*names):
    cases, _ = read([SAMPLES / name for name in names])
    return cases


def test_cavp_units():
    cases = sample("XTSGen.rsp")
    assert [case.unusable for case in cases if case.unusable] == ["a data unit of 130 bits is not whole bytes"]
    assert {(len(case.key), case.unit) for case in cases} >= {(32, 16), (32, 25), (32, 32), (64, 32)}
    assert {len(case.tweak) for case in cases} == {16}
    assert [case.tweak for case in cases if case.tweak[1:] == bytes(15)] == [bytes([141]) + bytes(15)]


def test_cavp_messages():
    cases = sample("gcmDecrypt.rsp")
    assert [case.rejected for case in cases] == [False, True] * 2 + [True, False]
    assert [case.tag_bytes for case in cases] == [16, 16, 12, 12, 16, 16]
    for case in cases:
        assert case.rejected == (case.plaintext is None)
        assert case.rejected or len(case.ciphertext) == len(case.plaintext) + case.tag_bytes


def test_wycheproof():
    messages, units = sample("aes_gcm_test.json"), sample("aes_xts_test.json")
    assert sorted({len(case.nonce) for case in messages}) == [0, 12, 16]
    assert any(case.rejected for case in messages) and {len(case.tweak) for case in units} == {16}
    assert {len(case.key) for case in units} == {32, 48, 64}


def test_designers():
    cases = sample("HCTR2.json")
    assert {len(case.tweak) for case in cases} == {0, 1, 32, 47}
    assert [case.place for case in cases] == [f"case {n}" for n in range(1, 6)]


@pytest.mark.parametrize("order", [1, -1])
def test_acvp_results_are_those_of_their_prompt(order):
    names = [f"acvp_{cipher}_{part}.json" for cipher in ("xts", "gcm") for part in ("prompt", "results")]
    cases = sample(*names[::order])
    assert len(cases) == 15 and {case.file.name for case in cases} == {"acvp_xts_prompt.json", "acvp_gcm_prompt.json"}
    assert sum(case.plaintext is not None and case.ciphertext is not None for case in cases) == 13
    assert [case.rejected for case in cases if isinstance(case, MessageCase)].count(True) == 2


def test_acvp_prompt_alone():
    cases = sample("acvp_gcm_prompt.json")
    assert all((case.plaintext is None) != (case.ciphertext is None) for case in cases)
    assert [case.rejected for case in cases] == [False] * 3 + [None] * 4


@pytest.mark.parametrize("first", [0, 255, 65535, (1 << 32) - 1, (1 << 64) - 1, (1 << 128) - 1])
def test_units_have_consecutive_numbers(first):
    tweak = first.to_bytes(16, "little")
    case = UnitCase(file=Path("x"), place="case 1", preset="xts-both", key=bytes(32), tweak=tweak, unit=16)
    data = bytes(range(40))
    numbers = [int.from_bytes(tweak, "little") for tweak, _ in case.units(data)]
    assert numbers == [(first + n) % (1 << 128) for n in range(3)]
    assert [unit for _, unit in case.units(data)] == [data[:16], data[16:32], data[32:]]


def test_acvp_response_is_that_of_the_results_file():
    cases, (prompt,) = read([SAMPLES / f"acvp_gcm_{part}.json" for part in ("prompt", "results")])
    made = {(case.place, False): case.ciphertext for case in cases} | {(c.place, True): c.plaintext for c in cases}
    assert response(prompt, made) == json.loads((SAMPLES / "acvp_gcm_results.json").read_text())
    del made["case 31", True]
    with pytest.raises(UserError, match="acvp_gcm_prompt.json: case 31 has no answer$"):
        response(prompt, made)


def test_acvp_iv_of_the_module(tmp_path):
    content = json.loads((SAMPLES / "acvp_gcm_prompt.json").read_text())
    content["testGroups"] = content["testGroups"][:1]
    content["testGroups"][0]["ivGen"] = "internal"
    del content["testGroups"][0]["tests"][0]["iv"]
    (tmp_path / "prompt.json").write_text(json.dumps(content))
    ((case,), _) = read([tmp_path / "prompt.json"])
    assert case.unusable == "the nonce is for the module to choose"


FORMS = "a file must be .rsp of CAVP, or JSON of ACVP, Wycheproof or google/hctr2"
WYCHEPROOF = '{"algorithm": "AES-XTS", "numberOfTests": 1, "testGroups": [{"tests": [%s]}]}'
ACVP = '{"vsId": 1, "algorithm": "ACVP-AES-XTS", "testGroups": [{"tgId": 1, "direction": %s, "tests": [{"tcId": 7}]}]}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", f" is no file of vectors; {FORMS}"),
        (b"\xff\xfe", f" is no text; {FORMS}"),
        (b'{"a": 1,}', f" is no file of vectors, but no JSON in line 1: .*; {FORMS}"),
        (b'{"a": 1}', f" is JSON, but no file of vectors; {FORMS}"),
        (b"[ENCRYPT]\n", " has no case"),
        (b"[ENCRYPT]\nCOUNT = 1\nDataUnitLen = 128\nKey = 00\n", ": case in line 2: i is missing"),
        (b"COUNT = 1\nDataUnitLen = x\ni = 00\n", ": case in line 1: a number is none: 'x', None"),
        (b"COUNT = 1\nhello\n", ": line 2 must be a section or name = value of a case, got 'hello'"),
        (b"Count = 1\nKey = 0\nIV = 00\nCT =\nTag =\n", ": case in line 1: key must be whole bytes in .*, got '0'"),
        (
            (WYCHEPROOF.replace("XTS", "EAX") % "").encode(),
            ": algorithm must be one of .*, got .AES-EAX.",
        ),
        ((WYCHEPROOF % '{"tcId": 3, "msg": 4}').encode(), ": case 3: msg must be str, got 4"),
        ((ACVP % '"encrypt"').encode(), ": case 7: pt is missing"),
        ((ACVP % '"up"').encode(), ": case 7: direction must be encrypt or decrypt, got 'up'"),
        (b'{"vsId": 1, "testGroups": [{"tests": 5}]}', ": tests must be list, got 5"),
        (b'{"vsId": 1, "testGroups": []}', " has results of ACVP without their questions; give the prompt file, too"),
        (b'[{"cipher": {"cipher": "XCTR"}}]', ": case 1: cipher must be HCTR2, got 'XCTR'"),
        (b'[{"cipher": "HCTR2"}]', ": case 1: cipher must be dict, got 'HCTR2'"),
    ],
)
def test_a_wrong_file_is_one_line(tmp_path, content, message):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(UserError, match=rf"^{tmp_path}/file{message}$") as raised:
        read([tmp_path / "file"])
    assert "\n" not in str(raised.value)


def test_a_second_file_does_not_hide_a_wrong_one(tmp_path):
    (tmp_path / "file").write_text("{}")
    with pytest.raises(UserError, match="is JSON, but no file of vectors"):
        read([SAMPLES / "HCTR2.json", tmp_path / "file"])
