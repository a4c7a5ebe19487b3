# SPDX-License-Identifier: Apache-2.0
"""Questions to evidence, and the interface of a kind of evidence."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from wideblock import catalog
from wideblock.errors import UserError
from wideblock.evidence.record import Evidence, EvidenceKind, key_of, named

__all__ = ["CpuTime", "Question", "Renewer", "cpu_time"]


@dataclass(frozen=True)
class Question:
    """A line that the store should have, without the answer; fields as in :class:`Evidence`.

    worth:   how much the documents gain by the answer
    blocked: reason why no answer is possible here, such as a missing tool; empty if an answer is possible
    """

    kind: EvidenceKind
    subject: str
    core: str
    changed: Mapping[str, Any]
    method: Mapping[str, Any]
    worth: float
    blocked: str = ""

    @property
    def name(self) -> str:
        """As :attr:`Evidence.name`."""
        return named(self.core, dict(sorted(self.changed.items())))

    @property
    def possible(self) -> bool:
        """False if no core can have the changed parameters any more."""
        try:
            return not self.changed or bool(catalog.preset_or_part(self.core).changed(self.changed))
        except UserError:
            return False

    @property
    def key(self) -> str:
        """As :func:`key_of`; the answer has the same key."""
        return key_of(self.kind, self.subject, self.core, self.changed, self.method)

    @property
    def group(self) -> str:
        """Kind and core: equal for questions and answers by any method."""
        return f"{self.kind} {self.name}"


class Renewer(ABC):
    """A kind of evidence.

    kinds: kinds of results that the runs give
    usual: seconds of an answer, if the store has no answer of the kind
    """

    kinds: ClassVar[tuple[EvidenceKind, ...]]
    usual: ClassVar[float]

    @abstractmethod
    def questions(self, names: Sequence[str], evidence: Sequence[Evidence]) -> Iterator[Question]:
        """Questions of the documents on the presets and parts ``names``, and questions that the store once answered."""

    @abstractmethod
    def code(self, question: Question) -> str | None:
        """Digest of the checking code, as in :class:`Evidence`."""

    @abstractmethod
    def answers(self, questions: Sequence[Question]) -> Iterator[Evidence]:
        """Runs; yields each result at once. ``questions`` have the same :attr:`~Question.group`."""


@dataclass
class CpuTime:
    """Seconds of CPU time of a block, set at its end."""

    seconds: float = 0.0


@contextmanager
def cpu_time() -> Iterator[CpuTime]:
    """Measures a block: this process and the children that ended."""
    found, start = CpuTime(), _cpu()
    yield found
    found.seconds = round(_cpu() - start, 1)


def _cpu() -> float:
    times = os.times()
    return times.user + times.children_user
