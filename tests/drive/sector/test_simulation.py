# SPDX-License-Identifier: Apache-2.0
"""The simulation's own contract, on a core that is known to be right."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from wideblock.drive.core import reset_at, zeroize_at
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.drive.sector.stream import stream_sectors
from wideblock.drive.sector.traffic import Key
from wideblock.simulation.bench import SimulationError
from wideblock.simulation.structures import PlayOutcome
from wideblock.simulation.verilator import BuildError
from wideblock.verify.sector.measure import Measured, measure, until_steady

from ...verify.toy_core import Specification, Toy

TOY = Toy()
WIDE = Toy(width=2, key_bits=256, module="toy_wide")
KEY = bytes(range(16))


@pytest.fixture
def simulation():
    with SectorSimulation(TOY) as simulation:
        yield simulation


def sectors(n, seed=1, core=TOY):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 256, (n, core.sector_bytes), np.uint8), rng.integers(0, 256, (n, 16), np.uint8)


def right(data, tweaks, decrypt, key=KEY):
    specification = Specification(key)
    crypt = specification.decrypt if decrypt else specification.encrypt
    return [crypt(tweak.tobytes(), sector.tobytes()) for sector, tweak in zip(data, tweaks, strict=True)]


@pytest.mark.parametrize("offer, take", [(1.0, 1.0), (0.3, 1.0), (1.0, 0.2), (0.5, 0.5)])
@pytest.mark.parametrize("decrypt", [False, True])
def test_run(simulation, offer, take, decrypt):
    simulation.load_key(KEY)
    data, tweaks = sectors(50)
    result = simulation.run(data, tweaks, decrypt, offer=offer, take=take, seed=7)
    assert [sector.tobytes() for sector in result.sectors] == right(data, tweaks, decrypt)
    assert (result.first_in < result.last_in).all() and (result.last_in < result.first_out).all()


def test_wide_beats_and_long_keys():
    key = bytes(range(32))
    data, tweaks = sectors(20, core=WIDE)
    with SectorSimulation(WIDE) as simulation:
        simulation.load_key(key)
        result = simulation.run(list(map(bytes, data)), list(map(bytes, tweaks)), [n % 2 == 1 for n in range(20)])
    assert [result.sectors[n].tobytes() for n in range(20)] == [right(data, tweaks, n % 2, key)[n] for n in range(20)]


def test_the_same_seed_gives_the_same_cycles(simulation):
    data, tweaks = sectors(30)
    runs = []
    for seed in (1, 1, 2):
        simulation.reset()
        simulation.load_key(KEY)
        runs.append(simulation.run(data, tweaks, offer=0.5, take=0.5, seed=seed).last_out.tolist())
    assert runs[0] == runs[1] != runs[2]


@pytest.fixture
def threads():
    with ThreadPoolExecutor(3) as threads:
        yield threads


@pytest.mark.parametrize("models", [1, 2, 3])
def test_a_stream_in_chunks_never_runs_empty(simulation, threads, models):
    """The chunks go to the models in turn; there are models without a chunk, too, and a chunk of another size."""
    simulations = [simulation, *(simulation.fresh() for _ in range(models - 1))]
    for each in simulations:
        each.load_key(KEY)
    for n in (0, 5, 7, 14, 300):
        data, tweaks = sectors(n)
        starts = [each.cycle for each in simulations]
        chunks = [(data[i : i + 7], tweaks[i : i + 7], 0) for i in range(0, n, 7)]
        out = [sector.tobytes() for part in stream_sectors(simulations, threads, chunks) for sector in part]
        assert out == right(data, tweaks, False)
        for k, (each, start) in enumerate(zip(simulations, starts, strict=True)):
            mine = sum(len(part) for part, *_ in chunks[k::models])
            assert each.cycle - start < mine * TOY.timing.interval + bool(mine) * (TOY.timing.latency + 8) + 1
    for each in simulations[1:]:
        each.close()


def test_a_stream_takes_sectors_of_one_size(simulation, threads):
    simulation.load_key(KEY)
    other = np.zeros((2, 48), np.uint8), np.zeros((2, 16), np.uint8), 0
    with pytest.raises(ValueError, match="^sector must be 64 bytes, got 48$"):
        list(stream_sectors([simulation], threads, [other]))
    with pytest.raises(ValueError, match="^sector must be 64 bytes, as those before, got 48$"):
        list(stream_sectors([simulation], threads, [(*sectors(2), 0), other]))


def test_an_error_in_one_of_the_streams_is_that_of_all(simulation, threads):
    """The second model has no key."""
    simulation.load_key(KEY)
    with simulation.fresh() as keyless, pytest.raises(SimulationError, match="^toy is stuck after "):
        list(stream_sectors([simulation, keyless], threads, 3 * [(*sectors(2), 0)]))


def test_measure():
    t = TOY.timing
    taken, left = range(TOY.beats), range(t.latency - TOY.beats + 1, t.latency + 1)
    figures = {figure.name: figure.cycles for figure in t.figures()}
    expected = Measured(**figures, taken=tuple(taken), left=tuple(left))
    assert measure(TOY) == {"encrypt": expected, "decrypt": expected}


@pytest.mark.parametrize("filled", [0, 5, 30, 100])
def test_an_interval_is_that_of_a_full_core(filled):
    """Until the core is full a sector enters every 4 cycles, then every 8; the last ones leave faster."""
    sent = []

    def run(n):
        sent.append(n)
        first_in = np.cumsum(np.where(np.arange(n) < filled, 4, 8))
        last_out = 20 + 8 * np.arange(n) - np.maximum(0, np.arange(n) - n + 2)
        return SimpleNamespace(first_in=first_in, last_out=np.maximum(last_out, first_in + 10))

    stream, gaps = until_steady(run, 10)
    assert set(gaps) == {8} and len(gaps) >= 20
    assert len(stream.first_in) == sent[-1] and (len(sent) == 1) == (filled <= 5)


def test_a_core_whose_gaps_differ_has_no_interval():
    def run(n):
        first_in = np.cumsum(4 + (np.arange(n) % 7 == 0))
        return SimpleNamespace(first_in=first_in, last_out=first_in + 10)

    assert set(until_steady(run, 10)[1]) == {4, 5}


def test_a_core_may_clear_for_long(simulation):
    """A key waits until it has; the core is not stuck."""

    class Slow(Toy):
        @property
        def timing(self):
            return replace(super().timing, zeroize=50_000)

    with SectorSimulation(Slow()) as slow:
        assert slow.script(keys=[Key(KEY)]).patience > 50_000


def test_keys_wait_for_their_sector_and_sectors_for_their_key(simulation):
    data, tweaks = sectors(6)
    script = simulation.script(
        data, tweaks, False, keys=[Key(KEY, before=0), Key(KEY[::-1], before=4)], want=6 * simulation.shape.beats
    )
    record = simulation.play(script)
    assert record.outcome == PlayOutcome.DONE
    assert record.last_in[3] < record.key_taken[1] < record.first_in[4]
    got = [record.out[4 * n : 4 * n + 4].tobytes() for n in range(6)]
    assert got == right(data[:4], tweaks[:4], False) + right(data[4:], tweaks[4:], False, KEY[::-1])


def test_events_fall_on_their_cycles(simulation):
    data, tweaks = sectors(4)
    script = simulation.script(
        data, tweaks, False, keys=[Key(KEY), Key(KEY, cycle=60)], events=[zeroize_at(20), reset_at(40, 3)], quiet=50
    )
    record = simulation.play(script)
    assert record.outcome == PlayOutcome.DONE
    assert (21, 0) in record.ready
    assert record.key_taken[1] >= 60
    assert not any(21 <= cycle < 60 for cycle in record.out_cycle)


def test_without_a_key_it_is_stuck(simulation):
    data, tweaks = sectors(1)
    with pytest.raises(SimulationError, match="^toy is stuck after .* cycles: 0 beats taken, 0 given of 4$"):
        simulation.run(data, tweaks)


def test_a_reset_forgets_the_key(simulation):
    simulation.load_key(KEY)
    simulation.reset()
    data, tweaks = sectors(1)
    with pytest.raises(SimulationError, match="stuck"):
        simulation.run(data, tweaks)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda s: s.load_key(bytes(15)), "key must be 16 bytes, got 15"),
        (lambda s: s.run([bytes(63)], [bytes(16)]), "sector must be 64 bytes, got 63"),
        (lambda s: s.run([bytes(64)], [bytes(8)]), "tweak must be 16 bytes, got 8"),
        (lambda s: s.run([bytes(64)], []), "every sector needs one tweak, got 1 sectors and 0 tweaks"),
        (
            lambda s: s.run([bytes(64)], [bytes(16)], offer=0),
            "the chance of a word must be over 0 and at most 1, got 0",
        ),
        (lambda s: measure(TOY, sectors=3, simulation=s), "interval needs at least 12 sectors to be steady, got 3"),
    ],
)
def test_errors(simulation, call, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        call(simulation)


def test_a_core_of_another_width_is_refused():
    with pytest.raises(BuildError, match="^cannot compile the model of toy: .*s_axis_tdata is not of 256 bits"):
        SectorSimulation(Toy(width=2), verilog=[TOY.verilog])
