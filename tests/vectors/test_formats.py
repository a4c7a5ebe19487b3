# SPDX-License-Identifier: Apache-2.0
"""Readers of files of test vectors.

``samples`` has a few cases of each form: XTSGen.rsp and gcmDecrypt.rsp of NIST's CAVP; aes_*_test.json of Wycheproof;
HCTR2.json of google/hctr2; acvp_gcm_* of usnistgov/ACVP-Server; acvp_xts_*, whose units cross numbers of all ones,
computed with OpenSSL.
"""

import json
from pathlib import Path

import pytest

from wideblock import text
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
    assert response([prompt], made) == json.loads((SAMPLES / "acvp_gcm_results.json").read_text())
    del made["case 31", True]
    with pytest.raises(UserError, match="acvp_gcm_prompt.json: case 31 has no answer$"):
        response([prompt], made)


def test_acvp_iv_of_the_module(tmp_path):
    content = json.loads((SAMPLES / "acvp_gcm_prompt.json").read_text())
    content["testGroups"] = content["testGroups"][:1]
    content["testGroups"][0]["ivGen"] = "internal"
    del content["testGroups"][0]["tests"][0]["iv"]
    (tmp_path / "prompt.json").write_text(json.dumps(content))
    ((case,), _) = read([tmp_path / "prompt.json"])
    assert case.unusable == "the nonce is for the module to choose"


def content(name):
    """The set of vectors in a sample of ACVP."""
    found = json.loads((SAMPLES / name).read_text())
    return found[-1] if isinstance(found, list) else found


SESSION = {"jwt": "x.y.z", "url": "/acvp/v1/testSessions/1", "isSample": True}


def several(folder):
    """A file of two prompts and one of their results, in the other order, as clients of ACVP keep a session."""
    for part, ciphers in (("prompt", ("gcm", "xts")), ("results", ("xts", "gcm"))):
        sets = [content(f"acvp_{cipher}_{part}.json") for cipher in ciphers]
        (folder / f"{part}.json").write_text(json.dumps([SESSION, *sets]))
    return [folder / "prompt.json", folder / "results.json"]


def test_every_set_of_a_file_is_read(tmp_path):
    cases, prompts = read(several(tmp_path))
    one_by_one = sample(*(f"acvp_{cipher}_{part}.json" for cipher in ("gcm", "xts") for part in ("prompt", "results")))
    assert [(case.key, case.plaintext, case.ciphertext) for case in cases] == [
        (case.key, case.plaintext, case.ciphertext) for case in one_by_one
    ]
    assert {case.place.partition(",")[0] for case in cases} == {"set 1", "set 2"} and len(prompts) == 2
    made = {(case.place, False): case.ciphertext for case in cases} | {(c.place, True): c.plaintext for c in cases}
    got, *sets = response(prompts, made)
    assert got == SESSION and [each["algorithm"] for each in sets] == ["ACVP-AES-GCM", "ACVP-AES-XTS"]


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path):
    for name in ("XTSGen.rsp", "aes_gcm_test.json", "HCTR2.json", "acvp_gcm_prompt.json"):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + (SAMPLES / name).read_bytes())
        assert len(read([tmp_path / name])[0]) == len(sample(name))


def test_a_set_without_number_is_told_by_its_algorithm(tmp_path):
    files = []
    for part in ("prompt", "results"):
        files.append(tmp_path / f"{part}.json")
        files[-1].write_text(json.dumps({k: v for k, v in content(f"acvp_gcm_{part}.json").items() if k != "vsId"}))
    assert len(read(files)[0]) == len(sample("acvp_gcm_prompt.json"))


def changed(folder, name, change):
    found = content(name)
    change(found)
    (folder / name).write_text(json.dumps(found))
    return folder / name


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda r: r["testGroups"][0]["tests"][0].update(tcId=99),
            r"results.json: case 99 has no question in .*prompt.json",
        ),
        (lambda r: r["testGroups"][0]["tests"].append({"tcId": 1}), r"results.json: case 1 is there twice"),
        (
            lambda r: r["testGroups"][0]["tests"][0].update(iv="00"),
            r"prompt.json: case 1: iv differs between .* result",
        ),
    ],
)
def test_every_result_has_its_question(tmp_path, change, message):
    with pytest.raises(UserError, match=f"acvp_gcm_{message}$"):
        read([SAMPLES / "acvp_gcm_prompt.json", changed(tmp_path, "acvp_gcm_results.json", change)])


def test_results_belong_to_one_prompt_and_a_prompt_has_one_set_of_results(tmp_path):
    prompt, results = (changed(tmp_path, f"acvp_gcm_{part}.json", lambda _: None) for part in ("prompt", "results"))
    with pytest.raises(UserError, match="results.json has results of the same vsId as .* and .*; give one of these"):
        read([SAMPLES / prompt.name, prompt, results])
    with pytest.raises(UserError, match="results.json and .*results.json have results of one prompt; give one of them"):
        read([prompt, results, SAMPLES / results.name])
    assert len(read([prompt, prompt, results])[0]) == 7


def test_a_response_needs_the_numbers_of_its_groups(tmp_path):
    _, prompts = read([changed(tmp_path, "acvp_gcm_prompt.json", lambda p: p["testGroups"][0].pop("tgId"))])
    with pytest.raises(UserError, match="prompt.json: group of case 1: tgId is missing$"):
        response(prompts, {("case 1", False): bytes(32)})


ANY = f"a number from 0 to {(1 << 128) - 1}"
XTS = b"Count=1\nDataUnitLen = 128\nKey = 00\n%s\n"
FORMS = "a file must be .rsp of CAVP, or JSON of ACVP, Wycheproof or google/hctr2"
WYCHEPROOF = '{"algorithm": "AES-XTS", "numberOfTests": 1, "testGroups": [{"tests": [%s]}]}'
ACVP = '{"vsId": 1, "algorithm": "ACVP-AES-XTS", "testGroups": [{"tgId": 1, "direction": %s, "tests": [{"tcId": 7}]}]}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", f" is no file of vectors; {FORMS}"),
        (b"{}\xff\xfe", f" is no text in UTF-8: wrong byte at 2; {FORMS}"),
        (b"[" * 100_000, f" is no file of vectors, but no JSON \\(.*recursion.*\\); {FORMS}"),
        (b'{"a": 1' + b"0" * 5000 + b"}", f" is no file of vectors, but no JSON \\(.*5001 digits.*\\); {FORMS}"),
        (b'{"testGroups": [], "a": 1, "testGroups": []}', ": 'testGroups' is there twice"),
        (b'{"a": 1,}', f" is no file of vectors, but no JSON in line 1: .*; {FORMS}"),
        (b'{"a": 1}', f" is JSON, but no file of vectors; {FORMS}"),
        (b"[ENCRYPT]\n", " has no case"),
        (b"[ENCRYPT]\nCOUNT = 1\nDataUnitLen = 128\nKey = 00\n", ": case in line 2: i is missing"),
        (
            b"COUNT = 1\nDataUnitLen = x\ni = 00\n",
            ": case in line 1: dataunitlen must be a number from 0 to 4294967295, got 'x'",
        ),
        (
            XTS % f"DataUnitSeqNumber = {1 << 128}".encode(),
            f": case in line 1: dataunitseqnumber must be {ANY}, got .*",
        ),
        (XTS % b"DataUnitSeqNumber = -1", f": case in line 1: dataunitseqnumber must be {ANY}, got '-1'"),
        (XTS % b"i = 00\nDataUnitSeqNo = 1", ": case in line 1: i and dataunitseqno exclude each other"),
        (XTS % b"i = 00\nPT = 00\nPT = 01", ": case in line 1: 'pt' is there twice"),
        (XTS % b"i = 00\nPT = 00\nFAIL", ": case in line 1: 'pt' is there twice"),
        (b"COUNT = 1\nhello\n", ": line 2 must be a section or name = value of a case, got 'hello'"),
        (b"Count = 1\nKey = 0\nIV = 00\nCT =\nTag =\n", ": case in line 1: key must be whole bytes in .*, got '0'"),
        (
            (WYCHEPROOF.replace("XTS", "EAX") % "").encode(),
            ": algorithm must be one of .*, got .AES-EAX.",
        ),
        ((WYCHEPROOF % '{"tcId": 3, "msg": 4}').encode(), ": case 3: msg must be str, got 4"),
        (
            (WYCHEPROOF % '{"tcId": 3, "msg": "", "key": "", "iv": "", "ct": "", "result": "Valid"}').encode(),
            ": case 3: result must be valid, acceptable or invalid, got 'Valid'",
        ),
        ((ACVP % '"encrypt"').encode(), ": case 7: pt is missing"),
        (
            (ACVP % '"encrypt", "pt": "", "sequenceNumber": -1').encode(),
            f": case 7: sequenceNumber must be {ANY}, got -1",
        ),
        ((ACVP % '"encrypt"').replace("7", "true").encode(), ": tcId must be int, got True"),
        (
            (f'[{ACVP}, {{"a": 1}}]' % '"up"').encode(),
            ": entry 2 must be a set of vectors with .*, as entry 1 is",
        ),
        ((f"[{ACVP}, {ACVP}]" % ('"encrypt"', '"up"')).encode(), ", set 1: case 7: pt is missing"),
        (b'[{"vsId": 1, "testGroups": []}, {"testGroups": []}]', ", set 1 has no case"),
        (b'{"vsId": 1, "testGroups": [{"direction": "encrypt", "tests": []}]}', " has no case"),
        (b'{"vsId": 1, "testGroups": [{"direction": "encrypt", "tests": [{"tcId": 1}]}]}', ": algorithm .*, got None"),
        ((ACVP % '"up"').encode(), ": case 7: direction must be encrypt or decrypt, got 'up'"),
        (b'{"vsId": 1, "testGroups": [{"tests": 5}]}', ": tests must be list, got 5"),
        (b'{"vsId": 1, "testGroups": []}', " has no case"),
        (
            b'{"vsId": 1, "testGroups": [{"tests": [{"tcId": 1}]}]}',
            " has results of ACVP without their questions; give the prompt file, too",
        ),
        (b'[{"cipher": {"cipher": "XCTR"}}]', ": case 1: cipher must be HCTR2, got 'XCTR'"),
        (b'[{"cipher": "HCTR2"}]', ": case 1: cipher must be dict, got 'HCTR2'"),
    ],
)
def test_a_wrong_file_is_one_line(tmp_path, content, message):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(UserError, match=rf"^{tmp_path}/file{message}$") as raised:
        read([tmp_path / "file"])
    assert "\n" not in str(raised.value)


def test_a_text_without_end_is_refused(monkeypatch):
    monkeypatch.setattr(text, "MOST", 1000)
    with pytest.raises(UserError, match="^/dev/zero must be at most 1000 bytes; a file must be "):
        read([Path("/dev/zero")])


def test_a_second_file_does_not_hide_a_wrong_one(tmp_path):
    (tmp_path / "file").write_text("{}")
    with pytest.raises(UserError, match="is JSON, but no file of vectors"):
        read([SAMPLES / "HCTR2.json", tmp_path / "file"])
