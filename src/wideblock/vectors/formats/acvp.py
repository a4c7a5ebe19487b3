# SPDX-License-Identifier: Apache-2.0
"""JSON files of NIST's ACVP: prompts of ACVP-AES-XTS and ACVP-AES-GCM, expected results, and responses.

A prompt has the questions, a file of results the answers under the same numbers; a projection of the server has both.
Lengths are in bits. Cases of AES-XTS 2.0 may have several data units, under consecutive numbers.
Source: draft-celi-acvp-symmetric; usnistgov/ACVP-Server, gen-val/json-files.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wideblock.errors import UserError

from .case import LAST, Case, MessageCase, UnitCase, Unreadable, field, hexadecimal, number

__all__ = ["AcvpDocument", "documents", "paired", "read", "response"]

Test = Mapping[str, Any]


@dataclass(frozen=True)
class AcvpDocument:
    """A set of vectors.

    head: the objects before the sets, of a file with a list
    name: "set 2, " in a file of several sets, else empty
    """

    file: Path
    content: Mapping[str, Any]
    head: tuple[Any, ...] = ()
    name: str = ""

    @property
    def where(self) -> str:
        """File and set, for messages."""
        return f"{self.file}, {self.name}".rstrip(", ")

    @property
    def prompt(self) -> bool:
        """Whether it has the questions. Raises Unreadable for a set without a test."""
        tests = list(self.tests())
        if not tests:
            raise Unreadable(f"{self.where} has no case")
        return any("direction" in {**group, **test} for group, test in tests)

    def tests(self) -> Iterator[tuple[Test, Test]]:
        """(group, test) of each test. Raises Unreadable."""
        seen: set[int] = set()
        try:
            for group in field(self.content, "testGroups", list):
                for test in field(group, "tests", list):
                    if (case := field(test, "tcId", int)) in seen:
                        raise Unreadable(f"case {case} is there twice")
                    seen.add(case)
                    yield group, test
        except Unreadable as error:
            raise Unreadable(f"{self.where}: {error}") from None

    def place(self, test: Test) -> str:
        """The place of a case, by the authors' numbers."""
        return f"{self.name}case {test['tcId']}"

    def answers(self, prompt: "AcvpDocument") -> bool:
        """Whether the document may have the results of a prompt: number of set equal, and algorithm if named."""
        ours, theirs = self.content, prompt.content
        return ours.get("vsId") == theirs.get("vsId") and ours.get("algorithm") in (None, theirs.get("algorithm"))


def documents(file: Path, content: Any) -> list[AcvpDocument]:
    """The sets of vectors of a file: one, or a list of objects without tests and of sets. Empty without a set.

    Raises Unreadable for another entry behind a set.
    """
    entries = content if isinstance(content, list) else [content]
    sets = [k for k, entry in enumerate(entries) if _is_set(entry)]
    if not sets or isinstance(content, dict) and not {"vsId", "algorithm"} & content.keys():
        return []
    first = sets[0]
    for k, entry in enumerate(entries[first:], first + 1):
        if not _is_set(entry):
            raise Unreadable(f"{file}: entry {k} must be a set of vectors with testGroups, as entry {first + 1} is")
    head = tuple(entries[:first])
    return [
        AcvpDocument(file, entry, head, f"set {k}, " if len(sets) > 1 else "")
        for k, entry in enumerate(entries[first:], 1)
    ]


def _is_set(entry: Any) -> bool:
    return isinstance(entry, dict) and "testGroups" in entry


def paired(found: Iterable[AcvpDocument]) -> list[tuple[AcvpDocument, AcvpDocument | None]]:
    """Each prompt and the results, None without results.

    Raises Unreadable for results of no prompt, for results of several, and for several results of one.
    """
    prompts: list[AcvpDocument] = []
    results: list[AcvpDocument] = []
    for each in found:
        (prompts if each.prompt else results).append(each)
    of: dict[int, AcvpDocument] = {}
    for result in results:
        asked = [k for k, prompt in enumerate(prompts) if result.answers(prompt)]
        if not asked:
            raise Unreadable(f"{result.where} has results of ACVP without their questions; give the prompt file, too")
        if len(asked) > 1:
            both = " and ".join(prompts[k].where for k in asked[:2])
            raise Unreadable(f"{result.where} has results of the same vsId as {both}; give one of these prompts alone")
        if other := of.get(asked[0]):
            raise Unreadable(f"{other.where} and {result.where} have results of one prompt; give one of them")
        of[asked[0]] = result
    return [(prompt, of.get(k)) for k, prompt in enumerate(prompts)]


def read(prompt: AcvpDocument, result: AcvpDocument | None) -> Iterator[Case]:
    """The cases of a prompt with what is known of their results. Raises Unreadable."""
    readers = {"ACVP-AES-GCM": _message, "ACVP-AES-XTS": _units}
    algorithm = prompt.content.get("algorithm")
    if algorithm not in list(readers):  # whatever its kind is
        raise Unreadable(f"{prompt.where}: algorithm must be one of {', '.join(readers)}, got {algorithm!r:.40}")
    known = {test["tcId"]: test for _, test in result.tests()} if result else {}
    for group, test in prompt.tests():
        fields, answer = {**group, **test}, known.pop(test["tcId"], {})
        try:
            if clash := [name for name in answer if _text(answer[name]) != _text(fields.get(name, answer[name]))]:
                raise Unreadable(f"{clash[0]} differs between question and result")
            fields |= answer
            if field(fields, "direction") not in ("encrypt", "decrypt"):
                raise Unreadable(f"direction must be encrypt or decrypt, got {fields['direction']!r:.40}")
            yield readers[algorithm](prompt.file, prompt.place(test), fields)
        except Unreadable as error:
            raise Unreadable(f"{prompt.where}: case {test['tcId']}: {error}") from None
    if result and known:
        raise Unreadable(f"{result.where}: case {min(known)} has no question in {prompt.where}")


def _text(value: Any) -> str:
    """A value for a comparison: hexadecimal has letters of either case."""
    return str(value).lower()


def response(prompts: Sequence[AcvpDocument], made: Mapping[tuple[str, bool], bytes | None]) -> Any:
    """The content of the response to all prompts of one file.

    made: by the place of a case and its direction (``decrypt``), the result, or None if the ciphertext was rejected
    Raises UserError if a case has none.
    """
    contents = [_response(prompt, made) for prompt in prompts]
    head = prompts[0].head
    return [*head, *contents] if head or len(contents) > 1 else contents[0]


def _response(prompt: AcvpDocument, made: Mapping[tuple[str, bool], bytes | None]) -> dict[str, Any]:
    groups: dict[int, list[dict[str, Any]]] = {}
    for group, test in prompt.tests():
        fields = {**group, **test}
        decrypt, place = fields["direction"] == "decrypt", prompt.place(test)
        if (place, decrypt) not in made:
            raise UserError(f"no response to {prompt.file}: {place} has no answer")
        got, answer = made[place, decrypt], {"tcId": test["tcId"]}
        if got is None:
            answer["testPassed"] = False
        elif decrypt:
            answer["pt"] = got.hex().upper()
        else:
            tag = number(fields, "tagLen") // 8 if "tagLen" in fields else 0
            answer["ct"] = got[: len(got) - tag].hex().upper()
            if tag:
                answer["tag"] = got[len(got) - tag :].hex().upper()
        try:
            groups.setdefault(field(group, "tgId", int), []).append(answer)
        except Unreadable as error:
            raise Unreadable(f"no response to {prompt.where}: group of case {test['tcId']}: {error}") from None
    names = ("vsId", "algorithm", "revision")
    content = {name: prompt.content[name] for name in names if name in prompt.content}
    content["testGroups"] = [{"tgId": number, "tests": tests} for number, tests in groups.items()]
    return content


def _known(fields: Mapping[str, Any], name: str, asked: bool) -> bytes | None:
    """A field, required if ``asked``, else optional."""
    return hexadecimal(fields, name) if asked or name in fields else None


def _whole(fields: Mapping[str, Any], *names: str) -> str:
    """The reason for which lengths in bits cannot be taken, or nothing."""
    wrong = [(name, fields[name]) for name in names if name in fields and number(fields, name) % 8]
    return "".join(f"{name} of {bits} bits is not whole bytes" for name, bits in wrong[:1])


def _units(file: Path, place: str, fields: Mapping[str, Any]) -> UnitCase:
    encrypt = fields["direction"] == "encrypt"
    plaintext, ciphertext = _known(fields, "pt", encrypt), _known(fields, "ct", not encrypt)
    size = len(plaintext or ciphertext or b"")
    if "sequenceNumber" in fields and "tweakValue" not in fields:
        tweak = number(fields, "sequenceNumber", LAST).to_bytes(16, "little")
    else:
        tweak = hexadecimal(fields, "tweakValue")
    return UnitCase(
        file=file,
        place=place,
        preset="xts-both",
        key=hexadecimal(fields, "key"),
        tweak=tweak,
        unit=max(1, number(fields, "dataUnitLen") // 8 if "dataUnitLen" in fields else size),
        plaintext=plaintext,
        ciphertext=ciphertext,
        unusable=_whole(fields, "payloadLen", "dataUnitLen"),
    )


def _message(file: Path, place: str, fields: Mapping[str, Any]) -> MessageCase:
    encrypt, tag_bytes = fields["direction"] == "encrypt", number(fields, "tagLen") // 8
    own = encrypt and fields.get("ivGen") == "internal" and "iv" not in fields
    plaintext, ciphertext = _known(fields, "pt", encrypt), _known(fields, "ct", not encrypt)
    rejected = "testPassed" in fields and not field(fields, "testPassed", bool)
    return MessageCase(
        file=file,
        place=place,
        preset="aes-gcm",
        key=hexadecimal(fields, "key"),
        nonce=b"" if own else hexadecimal(fields, "iv"),
        ad=hexadecimal(fields, "aad"),
        tag_bytes=tag_bytes,
        plaintext=None if rejected else plaintext,
        ciphertext=None if ciphertext is None else ciphertext + hexadecimal(fields, "tag"),
        rejected=rejected or (None if plaintext is None else False),
        unusable="the nonce is for the module to choose"
        if own
        else _whole(fields, "payloadLen", "aadLen", "ivLen", "tagLen"),
    )
