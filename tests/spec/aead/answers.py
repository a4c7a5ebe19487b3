# SPDX-License-Identifier: Apache-2.0
"""Known answers of an authenticated cipher as parameters of tests."""

import pytest

from wideblock import vectors

__all__ = ["ad_of", "answers", "rejected", "valid"]


def answers(name, has):
    """The vectors for which ``has`` is true, each with its set's name and its number in the set."""
    return [
        pytest.param(vector, id=f"{vector_set.name} {i}")
        for vector_set in vectors.load(name)
        for i, vector in enumerate(vector_set.vectors)
        if has(vector)
    ]


def valid(name):
    """Messages with their ciphertexts."""
    return answers(name, lambda vector: "pt" in vector)


def rejected(name):
    """Ciphertexts to reject."""
    return answers(name, lambda vector: vector.parameters.get("result") == "reject")


def ad_of(vector):
    """Associated data: one string, or a list of several."""
    if "ad" in vector:
        return vector["ad"]
    return [bytes.fromhex(string) for string in vector.parameters["ad_vector"]]
