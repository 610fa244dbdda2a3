# SPDX-License-Identifier: MIT
"""tools/random_runs.py: kinds share the time, and what fails can be drawn again."""

import os
import pathlib
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import random_runs
from random_runs import Batch, Kind

KINDS = [Kind(name, "tests/x_test.py", 800, random_runs.SEEDED) for name in ("quick", "slow")]


def test_every_kind_is_there(tmp_path):
    names = [kind.name for kind in random_runs.KINDS]
    assert len(set(names)) == len(names)
    for kind in random_runs.KINDS:
        assert kind.path.startswith("treadle_") or (random_runs.ROOT / kind.path).exists(), kind
        variables = kind.environment(7, 3)
        assert "{" not in "".join([*variables.values(), *kind.command(7)])


def test_a_process_is_ended_with_what_it_started():
    program = "import subprocess; print(1, flush=True); subprocess.run(['sleep', '60'])"
    batch = random_runs.run_batch([sys.executable, "-c", program], {}, 1.0)
    assert batch.status is None and batch.output == "1\n" and batch.seconds < 30


def test_the_time_of_processors_is_that_of_all_processes():
    work = "import time\nwhile time.process_time() < 0.3: pass"
    program = (
        f"import subprocess, sys; subprocess.run([sys.executable, '-c', {work!r}]); sys.exit(3)"
    )
    batch = random_runs.run_batch([sys.executable, "-c", program], {}, 60.0)
    assert os.waitstatus_to_exitcode(batch.status) == 3 and batch.processor_s >= 0.3


@pytest.fixture
def clock(monkeypatch):
    """Batches that take no time, but are said to: a case of `slow` takes a hundred times longer."""
    now = [0.0]
    drawn = []

    def run_batch(command, variables, limit_s):
        is_slow = command[0] == "slow"
        cases = int(variables["TREADLE_RANDOM_CASES"])
        seconds = min(cases * (1.0 if is_slow else 0.01), limit_s)
        now[0] += seconds
        drawn.append((command[0], cases, seconds))
        return Batch(0 if seconds < limit_s else None, "", seconds, seconds)

    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(random_runs, "run_batch", run_batch)
    monkeypatch.setattr(Kind, "command", lambda kind, seed: [kind.name])
    return drawn


def test_no_kind_waits_for_another(clock):
    runs = random_runs.Runs(KINDS, 2000.0, 1, None)
    runs.work()
    quick, slow = (runs.spent[kind].seconds for kind in KINDS)
    assert quick > 500 and slow > 500
    # The first batch is a guess; after it none takes much longer than a minute.
    assert max(seconds for _, _, seconds in clock[2:]) <= random_runs.BATCH_S
    assert sum(spent.failed for spent in runs.spent.values()) == 0


def test_what_the_deadline_cuts_off_has_not_failed(clock):
    runs = random_runs.Runs(KINDS[1:], 20.0, 1, None)
    runs.work()
    (spent,) = runs.spent.values()
    assert (spent.cut_off, spent.failed, spent.cases) == (1, 0, 0)


def test_a_failing_batch_is_written_down(monkeypatch, tmp_path, capsys):
    runs = random_runs.Runs(KINDS[:1], time.monotonic() + 60, 1, tmp_path)
    failed = Batch(256, "wrong", 1.0, 1.0)
    monkeypatch.setattr(random_runs, "run_batch", lambda *_: failed)
    runs.run(KINDS[0], 60.0, on_processor=True)
    text = (tmp_path / "random_failures.txt").read_text()
    assert text.startswith("FAILED TREADLE_RANDOM_CASES=100 TREADLE_RANDOM_SEED=")
    assert (
        "TREADLE_DEVICE=cpu" in text and "wrong" in text and text.strip() in capsys.readouterr().out
    )
    assert " 1" in runs.table().splitlines()[1]
