# SPDX-License-Identifier: Apache-2.0
"""What simulation is given: the user's Verilog, the specification, the known answers that fit."""

import pickle

import pytest

from wideblock.export.contract import contract
from wideblock.export.verilog import verilog
from wideblock.verify.exported import Exported, known_answers


@pytest.mark.parametrize(
    "name, changes, least",
    [("fast-brw-2", {}, 4), ("fast-brw-2s", {"sector_bytes": "512"}, 1), ("fast-horner-2", {"sector_bytes": "512"}, 1)],
)
def test_known_answers_fit_the_core_and_its_specification(name, changes, least):
    core = contract(name, changes)
    answers = known_answers(core)
    assert len(answers) >= least
    for answer in answers:
        specification = Exported(core).specification(answer.key)
        assert specification.encrypt(answer.tweak, answer.plaintext) == answer.ciphertext
        assert specification.decrypt(answer.tweak, answer.ciphertext) == answer.plaintext


def test_no_known_answer_is_better_than_a_wrong_one():
    assert known_answers(contract("fast-brw-2", {"key_bits": "256"})) == []


def test_subject_is_the_exported_file_and_its_specification_travels():
    core = contract("fast-brw-2s", {"sector_bytes": "512"})
    dut = Exported(core)
    assert dut.verilog == verilog(core) and f"module {dut.top}(" in dut.verilog
    travelled = pickle.loads(pickle.dumps(dut.specification))
    assert travelled(bytes(16)).encrypt(bytes(16), bytes(512)) == dut.specification(bytes(16)).encrypt(
        bytes(16), bytes(512)
    )
