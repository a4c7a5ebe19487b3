# SPDX-License-Identifier: Apache-2.0
"""A stimulus as the compiled harness takes it, and its record as the harness leaves it: one structure of pointers."""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wideblock.verify.stimulus import Cycles, Outcome, Record, Reset, Rule, Stimulus

__all__ = ["Call", "Job"]

# as in harness.cpp; a star is a pointer, all else has 64 bits
_FIELDS = """
    *beats *counts *tails *tweaks *decrypt sectors *keys *key_sector *key_cycle n_keys
    *event_cycle *event_length *event_kind n_events offer take noise want tail patience limit until_taken
    *out *out_last *out_bytes *out_cycle out_capacity *first_in *last_in *taken_in *key_taken
    *fault_cycle *fault_cause *ready_cycle *ready_value *computed_cycle log_capacity
    sector beat offset key event n_out n_fault n_ready n_computed violation violation_cycle cycle
""".split()


class Job(ctypes.Structure):
    """The structure that the harness works on."""

    _fields_ = [(name.lstrip("*"), ctypes.c_void_p if name[0] == "*" else ctypes.c_int64) for name in _FIELDS]


class Call:
    """One call of the harness, with the arrays that its ``job`` points into.

    beat_bytes, key_bytes: widths of the ports     base: cycle of the model at which the call begins
    out_capacity: beats that can be recorded
    """

    def __init__(self, stimulus: Stimulus, *, beat_bytes: int, key_bytes: int, base: int, out_capacity: int):
        s, self._base = stimulus, base
        n, log = len(s.counts), 4 * len(s.counts) + 256
        self.job = Job(
            sectors=n,
            n_keys=len(s.keys),
            n_events=len(s.events),
            offer=_chance(s.offer),
            take=_chance(s.take),
            noise=s.noise,
            want=s.want,
            tail=s.tail,
            patience=s.patience,
            limit=s.limit,
            until_taken=s.until_taken,
            out_capacity=out_capacity,
            log_capacity=log,
        )
        keys = np.frombuffer(b"".join(key.key for key in s.keys), np.uint8).reshape(-1, key_bytes)
        numbers = {
            "key_sector": [-1 if key.before is None else key.before for key in s.keys],
            "key_cycle": [base + key.cycle for key in s.keys],
            "event_cycle": [base + event.cycle for event in s.events],
            "event_length": [event.length for event in s.events],
        }
        self._arrays: dict[str, NDArray[Any]] = {}
        self._point(
            beats=np.ascontiguousarray(s.beats),
            counts=np.ascontiguousarray(s.counts, np.int64),
            tails=np.ascontiguousarray(s.tails, np.int64),
            tweaks=s.tweaks,
            decrypt=s.decrypt,
            keys=np.ascontiguousarray(keys),
            event_kind=np.array([isinstance(event, Reset) for event in s.events], np.uint8),
            **{name: np.array(values, np.int64) for name, values in numbers.items()},
            out=np.empty((out_capacity, beat_bytes), np.uint8),
            out_last=np.empty(out_capacity, np.uint8),
            out_bytes=np.empty(out_capacity, np.int64),
            fault_cause=np.empty(log, np.uint8),
            ready_value=np.empty(log, np.uint8),
            first_in=np.full(n, -1, np.int64),
            last_in=np.full(n, -1, np.int64),
            taken_in=np.zeros(n, np.int64),
            key_taken=np.full(len(s.keys), -1, np.int64),
            out_cycle=np.empty(out_capacity, np.int64),
            fault_cycle=np.empty(log, np.int64),
            ready_cycle=np.empty(log, np.int64),
            computed_cycle=np.empty(log, np.int64),
        )

    def record(self, outcome: Outcome) -> Record:
        """What the ports did, once the harness has run the job."""
        a, job = self._arrays, self.job

        def since(cycles: Cycles) -> Cycles:
            return np.where(cycles < 0, -1, cycles - self._base)

        def log(cycle: str, value: str, n: int) -> list[tuple[int, int]]:
            return list(zip(since(a[cycle][:n]).tolist(), a[value][:n].tolist(), strict=True))

        broken = outcome == Outcome.VIOLATION
        return Record(
            outcome,
            since(a["first_in"]),
            since(a["last_in"]),
            a["taken_in"],
            since(a["key_taken"]),
            a["out"][: job.n_out],
            a["out_last"][: job.n_out],
            a["out_bytes"][: job.n_out],
            since(a["out_cycle"][: job.n_out]),
            log("fault_cycle", "fault_cause", job.n_fault),
            log("ready_cycle", "ready_value", job.n_ready),
            since(a["computed_cycle"][: job.n_computed]),
            job.cycle - self._base,
            Rule(job.violation) if broken else None,
            job.violation_cycle - self._base if broken else -1,
        )

    def _point(self, **arrays: NDArray[Any]) -> None:
        for name, array in arrays.items():
            assert array.flags.c_contiguous
            self._arrays[name] = array
            setattr(self.job, name, array.ctypes.data)


def _chance(probability: float) -> int:
    if not 0 < probability <= 1:
        raise ValueError(f"the chance of a beat must be over 0 and at most 1, got {probability!r}")
    return round(probability * (1 << 32))
