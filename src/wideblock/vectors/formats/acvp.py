# SPDX-License-Identifier: Apache-2.0
"""JSON files of NIST's ACVP: prompts of ACVP-AES-XTS and ACVP-AES-GCM, expected results, and responses.

A prompt has the questions, a file of results the answers under the same numbers; a projection of the server has both.
Lengths are in bits. Cases of AES-XTS 2.0 may have several data units, under consecutive numbers.
Source: draft-celi-acvp-symmetric; usnistgov/ACVP-Server, gen-val/json-files.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wideblock.errors import UserError

from .case import Case, MessageCase, UnitCase, Unreadable, field, hexadecimal

__all__ = ["AcvpDocument", "document", "read", "response"]


@dataclass(frozen=True)
class AcvpDocument:
    """A set of vectors; ``head`` is what stands before it where the file is a list."""

    file: Path
    content: Mapping[str, Any]
    head: tuple[Any, ...] = ()

    @property
    def prompt(self) -> bool:
        """Whether it has the questions."""
        return any("direction" in group for group, _ in self.tests())

    def tests(self) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
        """(group, test) of each test. Raises Unreadable."""
        for group in field(self.content, "testGroups", list):
            for test in field(group, "tests", list):
                field(test, "tcId", int)
                yield group, test

    def answers(self, prompt: "AcvpDocument") -> bool:
        """Whether it may have the results of a prompt: that of the same set, of the same algorithm if it says any."""
        ours, theirs = self.content, prompt.content
        return ours.get("vsId") == theirs.get("vsId") and ours.get("algorithm") in (None, theirs.get("algorithm"))


def document(file: Path, content: Any) -> AcvpDocument | None:
    """The set of vectors of a file, or None if it is none."""
    entries = content if isinstance(content, list) else [content]
    if entries and isinstance(entries[-1], dict) and {"vsId", "testGroups"} <= entries[-1].keys():
        return AcvpDocument(file, entries[-1], tuple(entries[:-1]))
    return None


def read(prompt: AcvpDocument, results: Sequence[AcvpDocument]) -> Iterator[Case]:
    """The cases of a prompt with what is known of their results. Raises Unreadable."""
    readers = {"ACVP-AES-GCM": _message, "ACVP-AES-XTS": _units}
    algorithm = field(prompt.content, "algorithm")
    if algorithm not in readers:
        raise Unreadable(f"algorithm must be one of {', '.join(readers)}, got {algorithm!r:.40}")
    known = {test["tcId"]: test for each in results if each.answers(prompt) for _, test in each.tests()}
    for group, test in prompt.tests():
        fields = {**group, **test, **known.get(test["tcId"], {})}
        try:
            if field(fields, "direction") not in ("encrypt", "decrypt"):
                raise Unreadable(f"direction must be encrypt or decrypt, got {fields['direction']!r:.40}")
            yield readers[algorithm](prompt.file, _place(test), fields)
        except Unreadable as error:
            raise Unreadable(f"{_place(test)}: {error}") from None


def response(prompt: AcvpDocument, made: Mapping[tuple[str, bool], bytes | None]) -> Any:
    """The content of a response file.

    made: by the place of a case and its direction (``decrypt``), the result, or None if the ciphertext was rejected
    Raises UserError if a case has none.
    """
    groups: dict[int, list[dict[str, Any]]] = {}
    for group, test in prompt.tests():
        decrypt = group["direction"] == "decrypt"
        if (_place(test), decrypt) not in made:
            raise UserError(f"no response to {prompt.file}: {_place(test)} has no answer")
        got, answer = made[_place(test), decrypt], {"tcId": test["tcId"]}
        if got is None:
            answer["testPassed"] = False
        elif decrypt:
            answer["pt"] = got.hex().upper()
        else:
            tag = {**group, **test}.get("tagLen", 0) // 8
            answer["ct"] = got[: len(got) - tag].hex().upper()
            if tag:
                answer["tag"] = got[len(got) - tag :].hex().upper()
        groups.setdefault(group["tgId"], []).append(answer)
    names = ("vsId", "algorithm", "revision")
    content = {name: prompt.content[name] for name in names if name in prompt.content}
    content["testGroups"] = [{"tgId": number, "tests": tests} for number, tests in groups.items()]
    return [*prompt.head, content] if prompt.head else content


def _place(test: Mapping[str, Any]) -> str:
    return f"case {test['tcId']}"


def _known(fields: Mapping[str, Any], name: str, asked: bool) -> bytes | None:
    """A field that must be there if it is ``asked`` about, and else may be."""
    return hexadecimal(fields, name) if asked or name in fields else None


def _whole(fields: Mapping[str, Any], *names: str) -> str:
    """The reason for which lengths in bits cannot be taken, or nothing."""
    wrong = [(name, fields[name]) for name in names if name in fields and field(fields, name, int) % 8]
    return "".join(f"{name} of {bits} bits is not whole bytes" for name, bits in wrong[:1])


def _units(file: Path, place: str, fields: Mapping[str, Any]) -> UnitCase:
    encrypt = fields["direction"] == "encrypt"
    plaintext, ciphertext = _known(fields, "pt", encrypt), _known(fields, "ct", not encrypt)
    size = len(plaintext or ciphertext or b"")
    if "sequenceNumber" in fields and "tweakValue" not in fields:
        tweak = (field(fields, "sequenceNumber", int) % (1 << 128)).to_bytes(16, "little")
    else:
        tweak = hexadecimal(fields, "tweakValue")
    return UnitCase(
        file=file,
        place=place,
        preset="xts-both",
        key=hexadecimal(fields, "key"),
        tweak=tweak,
        unit=max(1, field(fields, "dataUnitLen", int) // 8 if "dataUnitLen" in fields else size),
        plaintext=plaintext,
        ciphertext=ciphertext,
        unusable=_whole(fields, "payloadLen", "dataUnitLen"),
    )


def _message(file: Path, place: str, fields: Mapping[str, Any]) -> MessageCase:
    encrypt, tag_bytes = fields["direction"] == "encrypt", field(fields, "tagLen", int) // 8
    own = encrypt and fields.get("ivGen") == "internal" and "iv" not in fields
    plaintext, ciphertext = _known(fields, "pt", encrypt), _known(fields, "ct", not encrypt)
    rejected = fields.get("testPassed") is False
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
        unusable="the nonce is for the module to choose" if own else _whole(fields, "payloadLen", "aadLen", "ivLen"),
    )
