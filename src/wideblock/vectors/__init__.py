# SPDX-License-Identifier: Apache-2.0
"""Known answers, each set with its source: what the specifications are held against.

A JSON file a cipher: ``{"cipher", "sets": [{"name", "source", "official", .., "vectors": [{..}]}]}``. Byte strings
are hex, first byte first. Further members of a set hold for each of the vectors.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

__all__ = ["Vector", "VectorSet", "load", "names"]

_FOLDER = Path(__file__).parent
_ABOUT_THE_SET = {"name", "source", "official", "vectors"}
_TEXT = {"hash", "field", "mode", "version", "comment", "file", "note", "result"}  # strings that are words, not hex


@dataclass(frozen=True)
class Vector:
    """One known answer: ``vector["pt"]`` are bytes, ``vector.parameters["hash"]`` further properties."""

    data: Mapping[str, bytes]
    parameters: Mapping[str, Any]

    def __getitem__(self, field: str) -> bytes:
        return self.data[field]

    def __contains__(self, field: str) -> bool:
        return field in self.data


@dataclass(frozen=True)
class VectorSet:
    """Known answers of one source.

    official: True if published by the standard's body or the designers, "probable" if only likely so; False if
              computed by a reference, which ``source`` names
    """

    name: str
    source: str
    official: bool | Literal["probable"]
    vectors: tuple[Vector, ...]


def names() -> list[str]:
    """Ciphers with known answers."""
    return sorted(file.stem for file in _FOLDER.glob("*.json"))


def load(name: str) -> list[VectorSet]:
    """The known answers of a cipher, by the name of the file."""
    if name not in names():
        raise ValueError(f"no known answers of {name!r}, there are those of {', '.join(names())}")
    content = json.loads((_FOLDER / f"{name}.json").read_text("utf-8"))
    return [_vector_set(entry) for entry in content["sets"]]


def _vector_set(entry: dict) -> VectorSet:
    shared = {field: value for field, value in entry.items() if field not in _ABOUT_THE_SET}
    vectors = tuple(_vector({**shared, **vector}) for vector in entry["vectors"])
    return VectorSet(entry["name"], entry["source"], entry["official"], vectors)


def _vector(fields: dict) -> Vector:
    data = {
        field: bytes.fromhex(value) for field, value in fields.items() if isinstance(value, str) and field not in _TEXT
    }
    parameters = {field: value for field, value in fields.items() if field not in data}
    return Vector(data, parameters)
