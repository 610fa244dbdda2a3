# SPDX-License-Identifier: MIT
"""The tables of benchmarks/ hold together without anything being measured."""

import argparse
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture(autouse=True)
def folder_on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if (
            getattr(sys.modules[name], "__file__", None)
            and str(FOLDER) in sys.modules[name].__file__
        ):
            del sys.modules[name]


OPTIONS = dict.fromkeys(("binaries", "peers", "log2", "device"))
KINDS = ("cpu", "gpu", "arrays-cpu", "arrays-gpu")


def rows_of(kind):
    import run

    session = run.KINDS[kind](argparse.Namespace(**OPTIONS))
    try:
        return list(session.rows())
    finally:
        session.close()


@pytest.mark.parametrize("kind", KINDS)
def test_each_row_has_a_name_of_its_own_by_which_commits_are_compared(kind):
    keys = [(row.group, row.name) for row in rows_of(kind)]
    assert len(keys) > 20
    assert len(set(keys)) == len(keys)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_promised_against_a_peer_names_a_column(kind):
    for row in rows_of(kind):
        labels = {column.label for column in row.columns}
        assert {target.against for target in row.targets} - {""} <= labels, row.name


def test_a_promise_of_so_much_more_is_judged_by_the_rounds_differences():
    import report
    from measure import Column, Row, Target

    ours = Column("ours", None, "x", rounds=[2.0e-6, 3.0e-6, 2.2e-6])
    bare = Column("bare", None, "x", rounds=[1.7e-6, 2.7e-6, 2.6e-6])
    for limit, met in ((0.5e-6, True), (0.2e-6, False)):
        row = Row("group", "name", [ours, bare], (Target("bare", at_most_more=limit),))
        record = report.row_record(row, {})
        assert record["targets"][0]["met"] is met
        assert report.duration(limit) in record["targets"][0]["promise"]
    assert "ours - it 300 ns [-330 ns, 300 ns]" in report.cell(record["columns"][1])
    gone = Row("group", "name", [ours, Column("bare", None, "x")], row.targets)
    assert report.row_record(gone, {})["targets"][0]["met"] is None


def test_a_bar_is_judged_by_speed_and_by_the_work_that_is_done_more():
    import report
    from measure import Bar, Column, Row

    ours = Column("ours", None, "x", rounds=[1.0, 1.1, 1.0])
    hand = Column("hand", None, "x", rounds=[0.9, 0.99, 0.9])
    bars = (Bar(0.85, 0.95, "hand"), Bar(0.7, 0.8, "hand", work=0.5), Bar(1.0, 0.5))
    record = report.row_record(Row("group", "name", [ours, hand], bars), {})
    assert [(t["met"], t["goal_met"]) for t in record["targets"]] == [
        (True, False),
        (False, False),
        (True, False),
    ]
    medians = [target["measured"]["median"] for target in record["targets"]]
    assert medians == pytest.approx([0.9, 0.45, 1.0])
    table = report.markdown({"date": "today"}, {}, [record])
    assert "| measured | floor | goal |" in table
    assert "0.85 of hand: met" in table
    gone = Column("hand", None, "x")
    record = report.row_record(Row("group", "name", [ours, gone], bars[:1]), {})
    assert record["targets"][0]["met"] is None
    assert "not measured" in report.markdown({"date": "today"}, {}, [record])


def test_arrays_are_checked_against_numpy(monkeypatch):
    monkeypatch.setenv("BENCH_LOG2", "13")
    import array_cases

    monkeypatch.setattr(array_cases, "PIECE", 500)
    x, y = array_cases.host_inputs()
    for name, task in array_cases.TASKS.items():
        result = task.formula(np, *task.operands(x, y))
        assert task.is_right(result, x, y), name
        if task.moments is not None:  # one wrong number among random ones is not seen
            assert not task.is_right(result + 1, x, y), name
            continue
        wrong = np.array(result)
        wrong.flat[-1] += 1
        assert not task.is_right(wrong, x, y), name
        if wrong.dtype.kind == "f":
            wrong.flat[-1] = np.nan
            assert not task.is_right(wrong, x, y), name
        assert not task.is_right(np.stack([result, result]), x, y), name


def test_a_case_that_fails_does_not_spoil_the_next_ones():
    from measure import Column, Row

    fails = '{\\"failed\\": \\"sticky\\"}'
    worker = worker_of(
        "import sys\nfailed = False\n"
        "for line in sys.stdin:\n"
        "    failed = failed or 'bad' in line\n"
        f'    print("{fails}" if failed else \'{{"seconds": [1.0]}}\', flush=True)\n'
    )
    worker.restarts = True
    columns = [Column("peer", worker, case) for case in ("bad", "good")]
    for column in columns:
        Row("group", "name", [column]).measure(quick=True)
    worker.close()
    assert columns[0].absent == "sticky"
    assert columns[1].rounds == [1.0] * 3


@pytest.mark.parametrize(
    ("head", "base", "said"),
    [
        ([1.2, 1.21, 1.2] * 3, [1.0] * 9, "slower"),
        ([0.8, 0.9, 0.8] * 3, [1.0] * 9, "faster"),
        ([0.9, 1.2, 0.9] * 3, [1.0] * 9, ""),
        ([1.2], [1.0], ""),
    ],
)
def test_a_row_differs_only_where_the_spread_is_clear_of_one(head, base, said, capsys):
    import compare
    from measure import Column, Row

    columns = [Column("head", None, "x", rounds=head), Column("base", None, "x", rounds=base)]
    compare.show(Row("group", "name", columns))
    words = capsys.readouterr().out.split("group")[0].split("]")[1].split()
    assert words == ([said] if said else [])


def worker_of(text):
    """A worker whose process runs `text`."""
    from measure import Worker

    return Worker("peer", [sys.executable, "-c", text])


ANSWERS = "import sys\nfor line in sys.stdin: print('{\"ready\": true}', flush=True)\n"


def test_a_worker_that_does_not_exit_is_named_and_costs_nothing_else(monkeypatch, capsys):
    import measure

    monkeypatch.setattr(measure, "EXIT_LIMIT_S", 0.3)
    # It speaks before it answers: what it says later it may not get to say within the limit.
    speaks = "import sys, time\nprint('waiting for ever', file=sys.stderr, flush=True)\n"
    worker = worker_of(speaks + ANSWERS + "time.sleep(60)")
    assert worker.ask("prepare x") == {"ready": True}
    worker.close()
    told = capsys.readouterr().out
    assert "peer" in told
    assert "did not exit within" in told
    assert "its last line was: waiting for ever" in told
    assert worker.ask("prepare x") == {"ready": True}  # and it can be started anew
    worker.close()


def test_a_worker_that_exits_in_order_is_not_mentioned(capsys):
    worker = worker_of(ANSWERS)
    worker.ask("prepare x")
    worker.close()
    assert capsys.readouterr().out == ""


def test_a_worker_whose_threads_still_spin_is_not_at_rest(monkeypatch):
    import measure

    spins = "import threading\ndef spin():\n    while True: pass\n"
    spins += "threading.Thread(target=spin, daemon=True).start()\n"
    for text, rests, limit_s in ((ANSWERS, True, 60), (spins + ANSWERS, False, 0.2)):
        monkeypatch.setattr(measure, "REST_LIMIT_S", limit_s)
        worker = worker_of(text)
        assert worker.ask("prepare x") == {"ready": True}
        assert worker.rest() is rests
        worker.close()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "import sys; input(); sys.exit('out of luck')",
            "status 1; its last line was: out of luck",
        ),
        ("input(); print('nonsense', flush=True); input()", "answered 'nonsense'"),
        ("input(); import time; time.sleep(60)", "no answer within 0.3 s"),
    ],
)
def test_a_worker_that_cannot_be_asked_is_a_column_with_a_reason(text, said, monkeypatch):
    import measure

    monkeypatch.setattr(measure, "ANSWER_LIMIT_S", 0.3 if "sleep" in text else 60)
    column = measure.Column("peer", worker_of(text), "x")
    measure.Row("group", "name", [column]).measure()
    assert said in column.absent
    assert not column.rounds
    column.source.close()


def test_what_begins_and_finishes_a_loop_is_called_whatever_happens():
    from worker import LoopTiming, repeated

    calls = []

    def fail():
        calls.append("run")
        raise ValueError

    finish, begin = lambda: calls.append("finish"), lambda: calls.append("begin")
    timing = LoopTiming(repeated(fail), 3, finish, begin)
    with pytest.raises(ValueError):
        timing.measure(1)
    assert calls == ["begin", "run", "finish"]
    assert len(LoopTiming(repeated(lambda: None), 3).measure(2)) == 2


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_a_commit_that_does_not_exist_is_named():
    import compare

    with pytest.raises(SystemExit, match="'no-such-commit' is no commit"):
        compare.revision("no-such-commit")


def test_accuracy_is_measured_once_and_functions_of_one_float_have_each_argument_once(tmp_path):
    import float_accuracy

    for name in {row.name for row in float_accuracy.ROWS}:
        rows = [row for row in float_accuracy.ROWS if row.name == name]
        assert sum(row.count(1) for row in rows) == 1 << 32, name
    words = ["--step", "1000003", "--jobs", "1", "--state", str(tmp_path / "state"), "tgamma", "j0"]
    tables = []
    for _ in range(2):
        command = [sys.executable, str(FOLDER / "float_accuracy.py"), *words]
        tables.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert tables[0] == tables[1]
    assert [line.split()[1] for line in tables[0].splitlines()[2:]] == [
        "`tgammaf`",
        *["`j0f`,"] * 2,
    ]
    state = (tmp_path / "state").read_text().splitlines()
    assert len([line for line in state if "share" not in line]) == 3
