# SPDX-License-Identifier: Apache-2.0
"""``wideblock attack``."""

from typing import Annotated, Any

import typer

from wideblock.catalog import Attack
from wideblock.cli.app import Json, Preset, Set, as_json, settings, stages
from wideblock.cli.display import out, table
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.errors import UserError
from wideblock.export.contract import contract
from wideblock.simulation.verilator import Options
from wideblock.verify.sector.attack import AttackOutcome, Query, run

EXAMPLE = "Example: [b]wideblock attack xcb-1 --set sector_bytes=512 --seed 1[/b]"
SHOWN = 8  # bytes of a value: a row is at most 80 characters


def attack(
    preset: Preset,
    seed: Annotated[
        int, typer.Option(metavar="S", min=0, help="Seed of the key, the tweak and the plaintext under attack.")
    ] = 0,
    changes: Set = None,
    json: Json = False,
) -> None:
    """Recover plaintext from a core in simulation by the published attacks on its scheme.

    An attack sees a ciphertext and the tweak, and has further sectors enciphered and deciphered by the core. Exit
    status 1 if what it recovers is not the plaintext.
    """
    core = contract(preset, settings(changes))
    scheme = core.preset.scheme
    if not scheme.attacks:
        raise UserError(f"no attack that recovers plaintext is known to the catalogue for {core.name}")
    with stages(f"attacking {core.module}"), SectorSimulation(core, options=Options(optimise=0)) as simulation:
        outcomes = [(attack, run(simulation, attack, seed=seed)) for attack in scheme.attacks]
    if json:
        as_json({"preset": core.name, "seed": seed, "attacks": [_values(*outcome) for outcome in outcomes]})
    else:
        for one, outcome in outcomes:
            show(one, outcome)
    if not all(outcome.right for _, outcome in outcomes):
        raise typer.Exit(1)


def show(attack: Attack, outcome: AttackOutcome) -> None:
    """Prints the target, the queries and the result of an attack."""
    out.print(f"{attack.title}. Source: {attack.source}", markup=False)
    table(
        ("", "tweak", "sector", "result"),
        [
            ("under attack", _short(outcome.tweak), _short(outcome.ciphertext), "?"),
            *(
                (f"{k}: {_direction(q)}", *map(_short, (q.tweak, q.sector, q.result)))
                for k, q in enumerate(outcome.queries, 1)
            ),
            ("recovered", "", "", _short(outcome.recovered)),
            ("plaintext", "", "", _short(outcome.plaintext)),
        ],
    )
    size = f"{len(outcome.recovered)} of {len(outcome.plaintext)} bytes recovered"
    out.print(f"{size}, equal to the plaintext\n" if outcome.right else f"{size}, MISMATCH: not the plaintext's\n")


def _short(data: bytes) -> str:
    """The first bytes in hexadecimal."""
    return data[:SHOWN].hex() + (".." if len(data) > SHOWN else "")


def _values(attack: Attack, outcome: AttackOutcome) -> dict[str, Any]:
    queries = [{"direction": _direction(q), **_hex(q, "tweak", "sector", "result")} for q in outcome.queries]
    return {
        "title": attack.title,
        "source": attack.source,
        **_hex(outcome, "tweak", "ciphertext"),
        "queries": queries,
        **_hex(outcome, "recovered", "plaintext"),
        "equal": outcome.right,
    }


def _direction(query: Query) -> str:
    return "decrypt" if query.decrypt else "encrypt"


def _hex(shown: Query | AttackOutcome, *names: str) -> dict[str, str]:
    """Attributes in hexadecimal, by name."""
    return {name: getattr(shown, name).hex() for name in names}
