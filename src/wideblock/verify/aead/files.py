# SPDX-License-Identifier: Apache-2.0
"""Test vectors as text files, played through an authenticated cipher and compared word by word."""

import time
from pathlib import Path

from wideblock.drive.aead.caesar import FILES, from_text, input_ends
from wideblock.drive.aead.exchange import Exchange
from wideblock.drive.aead.simulation import AeadSimulation
from wideblock.errors import UserError
from wideblock.export.contract import AeadContract
from wideblock.text import text_of
from wideblock.verify.aead.check import difference
from wideblock.verify.core.report import Checked, Outcome, Report

__all__ = ["verify_files"]

CHANCES = (1.0, 0.5)


def verify_files(core: AeadContract, directory: Path, simulation: AeadSimulation, *, seed: int = 0) -> Report:
    """The report on the files of a directory, without stalls and with stalls on every port.

    Raises UserError for files of another form, and for public data without a word.
    """
    texts = {port: text_of(directory / name) for port, name in FILES.items()}
    read = {port: from_text(FILES[port], content, core.parameters.word_bits) for port, content in texts.items()}
    if not read["pdi"]:
        raise UserError(f"{FILES['pdi']} of {directory} has no word")
    files = Exchange("the files", read["pdi"], read["sdi"], read["do"])
    ends = {port: input_ends(read[port], core.parameters.word_bits) for port in ("pdi", "sdi")}
    report = Report(core.module, seed)
    for chance in CHANCES:
        simulation.reset()
        started = time.perf_counter()
        played = simulation.play([files], ends=ends, offer=chance, take=chance, seed=seed)
        found = difference([files], played, core.parameters.word_bits)
        name = "files" if chance == 1 else "files with stalls"
        outcome = Outcome.FAILED if found else Outcome.PASSED
        tried = f"{len(files.pdi)} words of {FILES['pdi']}, {len(files.right)} of {FILES['do']}"
        seconds = time.perf_counter() - started
        report.checks.append(Checked(name, outcome, tried, 1, played.cycles, seconds, found))
        report.seconds += seconds
        if found:
            break
    return report
