# SPDX-License-Identifier: Apache-2.0
"""Every signal that a formal rule or a planted fault names is in its core, and every stage has its pointer.

Told from the elaborated core, no proof.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from amaranth import Signal, Value
from amaranth.hdl import Format

from wideblock.export.borders import prepared
from wideblock.export.contract import contract
from wideblock.verify.formal import stream
from wideblock.verify.formal.findings import RULES
from wideblock.verify.formal.flat import flatten
from wideblock.verify.formal.induction import Rule
from wideblock.verify.formal.proof import NotApplicable

from ...variants import few_of_many
from . import faults
from .faults import Fault
from .test_stream import ALONE, FAULTS, FEW, MIXED, OVERLAPPED, PRESETS, TWO_STAGES, small, two_stages

pytestmark = pytest.mark.shows("formal-stream")

PACKETS = contract("aes-gcm", {"data_bytes": 64, "ad_bytes": 48, "ports": "axi4-stream"})
OF_PACKETS = (faults.FILLED_EARLY, faults.UNREAD_END)
PAGES = Path(__file__).parents[3] / "docs" / "families"
STAGED = (*OVERLAPPED, *ALONE, *MIXED)
"""Presets of the families with stages."""
OF_REFRESHED_MASKS = {"eme2-1s": [faults.UNREFRESHED]}


@cache
def elaborated(core):
    """Names of all signals of a core, of all fields of those, and of its memories, with the path of their modules."""
    shell = core.shell
    members = ((path, Value.cast(member)) for path, _, member in shell.signature.flatten(shell))
    ports = {"_".join(map(str, path)): (value, None) for path, value in members if isinstance(value, Signal)}
    signals, modules = set(), set()
    for fragment in prepared(shell, ports, core.module).fragments.values():
        path = "".join(f"{part}." for part in fragment.name[1:])
        modules.add(path.removesuffix("."))
        for signal, name in fragment.signal_names.items():
            signals |= {f"{path}{each}" for each in fields(name, signal._format)}
    return signals, modules


def fields(name, form):
    yield name
    if isinstance(form, Format.Struct):
        for field, inner in form._fields.items():
            yield from fields(f"{name}.{field}", inner)


def rules(core, monkeypatch) -> Iterator[tuple[str, Any]]:
    """The rules that apply to a core and are proved by induction, by name; nothing is proved."""
    monkeypatch.setattr(stream, "prove", lambda core, rule, flat: rule)
    for name, prove in RULES.items():
        if name not in ("paths", "secrecy", "forgets", "timing"):  # of the whole netlist
            try:
                yield name, prove(core, None)
            except NotApplicable:
                continue


def stages(core):
    """Names of the stages of a core, by the pointer that gives the sector: those of its flow, or of its page."""
    if flow := getattr(core.component, "flow", None):
        return {stage.name: stage.at or stage.name for stage in flow.stages}
    if (page := PAGES / f"{core.component.family.replace(' ', '-')}.md").exists():
        rows = page.read_text().partition("| stage |")[2].partition("\n\n")[0]
        return {name: name for name in re.findall(r"^\| (\w+) \|", rows, re.MULTILINE)}
    return {}


def unpointed(core):
    """Stages without a pointer, and pointers that are of no stage."""
    named, signals = stages(core), elaborated(core)[0]
    pointers = {found[1] for name in signals if (found := re.fullmatch(r"core\.(\w+)_sector", name))}
    pointers |= {"exit"} & {name.split(".")[1] for name in signals if name == "core.exit.sector"}
    missing = {name for name, at in named.items() if not {at, f"{at}_done"} & pointers}
    return missing | {name for name in pointers if not any(f"{name}_".startswith(f"{stage}_") for stage in named)}


def planted(preset):
    found = [fault for _, fault in FAULTS.get(preset, ())] + OF_REFRESHED_MASKS.get(preset, [])
    return [fault for fault in found if isinstance(fault, Fault)]  # others look their memory up themselves


def unknown(core, rules, faults):
    """Of each rule and fault the signals and memories that the core does not have."""
    signals, modules = elaborated(core)
    named = [(name, set(rule.signals.values())) for name, rule in rules]
    named += [(str(fault), {fault.signal, *fault.signals.values()}) for fault in faults]
    missing = {name: found - signals for name, found in named if not found <= signals}
    for name, rule in rules:
        if lost := {memory for memory in rule.kept if not any(f".{m}".endswith(f".{memory}") for m in modules)}:
            missing.setdefault(name, set()).update(lost)
    return missing


@pytest.mark.parametrize("preset", few_of_many(PRESETS, FEW))
def test_every_signal_that_is_named_exists(preset, monkeypatch):
    core = small(preset)
    found = list(rules(core, monkeypatch))
    assert {"clearing", "stable"} <= {name for name, _ in found}
    assert not unknown(core, found, planted(preset))


@pytest.mark.parametrize("preset", few_of_many(STAGED, (*FEW, "heh-brw-1", "hctr2-any")))
def test_a_stage_has_one_name(preset):
    core = small(preset)
    assert len(stages(core)) >= 4
    assert not unpointed(core)


def test_a_stage_without_a_pointer_and_a_pointer_of_no_stage_are_found(monkeypatch):
    core = small("eme2-1s")
    monkeypatch.setitem(globals(), "stages", lambda core: {"first": "first", "third": "third", "exit": "exit"})
    assert {"third", "second", "second_done", "mix_done"} <= unpointed(core)
    assert not {"first", "first_done", "exit"} & unpointed(core)


@pytest.mark.slow
@pytest.mark.parametrize("preset", TWO_STAGES)
def test_those_of_two_stages_a_round_too(preset, monkeypatch):
    core = two_stages(preset)
    assert not unknown(core, list(rules(core, monkeypatch)), [TWO_STAGES[preset]])


def test_those_of_packets_too(monkeypatch):
    assert not unknown(PACKETS, list(rules(PACKETS, monkeypatch)), OF_PACKETS)


def test_every_fault_is_looked_up():
    looked_up = [faults.NO_FAULT, *(fault for preset in PRESETS for fault in planted(preset)), *OF_PACKETS]
    assert [each.name for each in vars(faults).values() if isinstance(each, Fault) and each not in looked_up] == []


def test_a_name_that_is_gone_is_found():
    rule = Rule("", {"left": "core.tweak_cipher.left", "clear": "core.clear"}, "", kept=("results.beats", "gone"))
    fault = Fault("fault", "core.gone", "left == 0", {"left": "core.tweak_cipher.left"})
    assert unknown(small("xts-enc"), [("queues", rule)], [fault]) == {
        "queues": {"core.tweak_cipher.left", "gone"},
        "fault": {"core.gone", "core.tweak_cipher.left"},
    }


@pytest.mark.slow
def test_the_elaborated_core_has_no_name_that_its_verilog_has_not(monkeypatch):
    core = small("xts-enc")
    named = {signal for _, rule in rules(core, monkeypatch) for signal in rule.signals.values()}
    assert named <= set(flatten(core).widths) & elaborated(core)[0]
