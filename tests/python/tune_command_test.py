# SPDX-License-Identifier: MIT
"""`python -m treadle tune`: a kernel and a space from files, and what a store knows."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import treadle
from treadle import tune
from treadle._tune_command import _Progress, main

SOURCE = pathlib.Path(os.environ.get("TREADLE_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
KERNEL = SOURCE / "examples" / "tune" / "transpose.cu"
SPACE = json.loads(KERNEL.with_suffix(".json").read_text())
KERNEL_TUNER = {
    "device_name": "GPU 1",
    "kernel_name": "transpose",
    "problem_size": [64, 64],
    "tune_params_keys": ["TILE", "PADDING"],
    "cache": {
        "8,1": {"TILE": 8, "PADDING": 1, "time": 0.25, "times": [0.25]},
        "4,1": {"TILE": 4, "PADDING": 1, "time": "CompilationFailedConfig"},
    },
}


class Command:
    """Calls in this process, in a folder with a kernel, a space and a store."""

    def __init__(self, folder, capsys):
        self.folder, self._capsys = folder, capsys
        self.kernel, self.space = folder / "transpose.cu", folder / "space.json"
        shutil.copy(KERNEL, self.kernel)
        self.describe()

    def describe(self, **changes):
        self.space.write_text(json.dumps(SPACE | {"names": {"n": 64}} | changes))

    def __call__(self, *words):
        status = main([str(w) for w in words], "treadle")
        said = self._capsys.readouterr()
        self.err = said.err
        return status, said.out

    def tune(self, *words):
        store = () if "--no-store" in words else ("--store", self.folder / "store.db")
        return self(self.kernel, "--space", self.space, *store, *words)

    def refused(self, *words):
        status, out = self.tune(*words)
        assert (status, out) == (2, "")
        return self.err


@pytest.fixture
def command(tmp_path, capsys):
    return Command(tmp_path, capsys)


@pytest.mark.parametrize("device", [d.id for d in treadle.devices() if d.id != "null"])
def test_a_kernel_is_tuned_by_a_file_on_every_device(command, device):
    status, out = command.tune("--device", device, "--json")
    assert status == 0
    report = json.loads(out)
    assert report["device"] == device and report["attempts"] == report["known"] + 8
    assert set(report["configuration"]) == {"TILE", "PADDING"} and report["seconds"] > 0
    lines = command.err.splitlines()
    assert lines[0].startswith("1 of 8 tried, ") and lines[-1].startswith("8 of 8 tried, ")
    assert "; best " in lines[-1] and lines[-1].endswith(" s left")
    # It is remembered.
    again = json.loads(command.tune("--device", device, "--json", "--quiet")[1])
    assert again["known"] == 8 and again["configuration"] == report["configuration"]
    assert command.err == ""


def test_names_and_the_search_are_the_callers_if_they_say_so(command):
    command.describe(strategy="random", evaluations=6, seed=3)
    report = json.loads(command.tune("--let", "n=128", "--evaluations", 2, "--json")[1])
    assert report["problem"] == {"n": 128} and report["attempts"] == 2
    status, out = command.tune("--no-store")
    assert status == 0 and "the best of 6 (0 failed) in" in out and "TILE = " in out


def test_arguments_are_made_as_the_file_says(command):
    values = np.random.default_rng(0).random((64, 64), np.float32)
    np.save(command.folder / "in.npy", values)
    np.save(command.folder / "out.npy", values.T)
    given = [
        {"output": "float32", "expected": "out.npy", "tolerance": 0.0},
        {"input": "float32", "fill": "in.npy"},
        {"value": "int32", "is": "n"},
    ]
    command.describe(arguments=given)
    assert json.loads(command.tune("--json")[1])["failed"] == 0
    np.save(command.folder / "out.npy", values)
    command.describe(arguments=given)
    status, out = command.tune("--no-store", "--quiet")
    assert (status, out) == (1, "")
    assert "none of 8 variants is right" in command.err and "wrong result" in command.err


@pytest.mark.parametrize("fill", ["random", "range", "zeros", "ones", 3])
@pytest.mark.parametrize("kind", ["input", "updated"])
def test_fills(command, fill, kind):
    text = "#include <treadle/dialect.h>\nTREADLE_KERNEL f(TREADLE_GLOBAL int *out, "
    text += "TREADLE_GLOBAL int *x) { out[treadle_global_id(0)] = x[treadle_global_id(0)]; }"
    command.kernel.write_text(text)
    shape = {"shape": 64}
    command.describe(
        kernel="f",
        parameters={"B": [32, 64]},
        constraints=[],
        groups=["64 // B"],
        group_size=["B"],
        arguments=[{"output": "int32", **shape}, {kind: "int32", "fill": fill, **shape}],
    )
    assert command.tune("--no-store")[0] == 0, command.err


def test_what_is_wrong_with_a_file_is_said(command):
    def problem(**changes):
        command.describe(**changes)
        return command.refused()

    assert "has 'kernels'; there are kernel, names" in problem(kernels="x")
    assert "has no text 'kernel'" in problem(kernel="")
    assert "has no parameters" in problem(parameters={})
    assert "'TILE' without a list of values" in problem(parameters={"TILE": 3})
    assert "'TILE' needs values or powers_of_two" in problem(parameters={"TILE": {}})
    assert "'TILE' is not understood" in problem(parameters={"TILE": {"values": [1], "x": 1}})
    assert "has no list of arguments" in problem(arguments=[])
    assert "argument 0 is not one of output, updated" in problem(arguments=[{"out": 1}])
    assert "argument 0 has the dtype 'floot'" in problem(arguments=[{"input": "floot"}])
    assert "argument 0 has no shape" in problem(arguments=[{"input": "f4"}])
    assert "TILES" in problem(constraints=["TILES > 2"])
    assert "no configuration" in problem(constraints=["TILE > 2000"])
    assert "has no name 'm'; there are n" in command.refused("--let", "m=3")
    command.space.write_text("{")
    assert "is no JSON" in command.refused()
    command.space.write_text("[]")
    assert "is no object" in command.refused()
    command.space.unlink()
    assert "No such file or directory" in command.refused()
    command.describe(strategy="best")
    assert "best" in command.refused()
    command.describe(device="gpu:9")
    assert "gpu:9" in command.refused()
    with pytest.raises(SystemExit) as ended:
        main(["--space", "x"], "treadle")
    assert ended.value.code == 2


def page_of(command, *words):
    page = command.folder / "out.html"
    status, _ = command("report", page, "--store", command.folder / "store.db", *words)
    return status, page


def test_a_report_is_one_page_that_needs_nothing_else(command):
    assert command.tune("--report", command.folder / "first.html")[0] == 0
    status, page = page_of(command)
    assert status == 0
    text = page.read_text(encoding="utf-8")
    assert (command.folder / "first.html").read_text(encoding="utf-8") == text
    root = ET.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    names = {"h": "http://www.w3.org/1999/xhtml", "s": "http://www.w3.org/2000/svg"}
    assert len(root.findall(".//h:section", names)) == 1
    pictures = root.findall(".//s:svg", names)
    assert len(pictures) == 4  # over time, coordinates, and an effect for each parameter
    assert len(pictures[0].findall("s:circle", names)) == 8
    assert len(pictures[0].findall("s:circle[@class='won']", names)) == 1
    assert len(pictures[1].findall("s:polyline", names)) == 8
    for picture in pictures:  # all within
        width, height = (float(picture.get(k)) for k in ("width", "height"))
        for each in picture.iter():
            for key, most in (("x1", width), ("cx", width), ("y1", height), ("cy", height)):
                assert 0 <= float(each.get(key, 0)) <= most
    best = root.find(".//h:pre", names).text
    assert best.startswith("-D") and "TREADLE_KERNEL transpose(" in best
    assert not root.findall(".//h:script", names) and "http:" not in text.replace(
        names["h"], ""
    ).replace(names["s"], "")
    assert page_of(command, "--kernel", "transpose")[0] == 0
    assert page_of(command, "--kernel", "other")[0] == 1


def test_a_browser_draws_the_report(command):
    browser = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
    if browser is None:
        pytest.skip("needs Chromium")
    command.tune()
    page = page_of(command)[1]
    words = [browser, "--headless=new", "--no-sandbox", "--disable-gpu"]
    words += [f"--user-data-dir={command.folder}/profile", "--dump-dom", page.as_uri()]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=120)
    assert ran.stdout.count("<circle") >= 8 and "Parallel coordinates" in ran.stdout, ran.stderr
    if folder := os.environ.get("TREADLE_TEST_PAGES"):
        shutil.copy(page, folder)


def test_wisdom_goes_from_store_to_store(command):
    report = json.loads(command.tune("--json")[1])
    first, second = command.folder / "store.db", command.folder / "second.db"
    lines = command("export", "--store", first)[1]
    assert lines.count("\n") == 8
    file = command.folder / "wisdom.jsonl"
    assert command("export", file, "--kernel", "transpose", "--store", first) == (0, "")
    assert file.read_text() == lines
    assert command("import", file, "--store", second) == (0, "8 attempts\n")
    assert command("export", "--store", second)[1] == lines
    third = command.folder / "third.db"
    assert command("merge", first, second, "--store", third) == (0, "16 attempts\n")
    row = json.loads(command("ls", "--json", "--store", third)[1])[0]
    assert row["configuration"] == report["configuration"] and row["attempts"] == 8
    text = command("ls", "--store", third)[1]
    assert text.startswith(f"{report['key']} n=64, ") and "; 8 attempts" in text
    assert command("ls", "--store", third, "--kernel", "x")[1] == "nothing was tuned yet\n"
    file.write_text("hello")
    assert command("import", file, "--store", second)[0] == 2
    assert "no wisdom that Treadle knows" in command.err
    (command.folder / "no.db").write_text("no store" * 1000)
    assert command("ls", "--store", command.folder / "no.db")[0] == 1
    assert command("merge", command.folder / "absent.db", "--store", second)[0] == 1


def test_what_kernel_tuner_has_measured_counts_for_a_kernel(command):
    file = command.folder / "cache.json"
    file.write_text(json.dumps(KERNEL_TUNER))
    store = command.folder / "store.db"
    assert command("import", file, "--store", store) == (0, "2 attempts\n")
    assert command("ls", "--store", store)[1].startswith("transpose x=64 y=64, GPU 1: 250 us by")
    store.unlink()
    words = ("--store", store, "--for", command.kernel, "--space", command.space)
    assert command("import", file, *words) == (0, "2 attempts\n")
    report = json.loads(command.tune("--json", "--evaluations", 8)[1])
    assert report["known"] == 2 and report["failed"] == 1
    assert command("import", file, "--store", store, "--for", command.kernel)[0] == 2
    assert "needs --space" in command.err
    lines = tune.foreign_wisdom(json.dumps(KERNEL_TUNER), "k", {"n": 1})
    kept = tune.Store()
    kept.import_lines(lines)
    assert [(k.kernel, k.problem) for k in kept.keys()] == [("k", {"n": 1})]


TILING = "import treadle; t = treadle.tiling(treadle.default_device()); print(t.tile_side)"
NUMBERS = """
import treadle
from treadle import tune
[found] = tune.tune_arrays(treadle.default_device(), families=["transpose"], seconds=0.1,
                           sizes=[4096, 16384], store=tune.Store(), progress=print,
                           processor_time=True)
assert [(name, size) for name, size, _ in found.ratios] == [
    ("copy", 4096), ("sum", 4096), ("copy", 16384), ("sum", 16384)], found.ratios
assert found.attempts >= 1 and repr(found).startswith("<ArrayTuned transpose:"), found
"""


def test_the_numbers_of_arrays_are_tuned_for_later_processes(tmp_path, run_python):
    """In processes with a cache of their own: other tests run with the usual numbers."""

    def run(*words):
        return run_python(*map(str, words), TREADLE_CACHE_DIR=str(tmp_path / "cache"))

    store = tmp_path / "store.db"
    command = ("-m", "treadle", "tune")
    words = ("--seconds", 0.3, "--size", 0.02, "--store", store, "--quiet")
    ran = run(*command, "arrays", "transpose", "scan", *words)
    assert ran.returncode == 0, ran.stderr
    assert [line.partition(":")[0] for line in ran.stdout.splitlines()] == ["transpose", "scan"]
    report = json.loads(run(*command, "arrays", "fold", "--json", *words).stdout)
    assert report["device"] == treadle.default_device().id
    assert report["families"][0]["family"] == "fold"
    assert "treadle.arrays.fold schedule=" in run(*command, "ls", "--store", store).stdout
    assert run(*command, "arrays", "folds", *words).returncode == 2
    # Wisdom of another run comes into force by importing it.
    device = treadle.default_device()
    before = treadle.tiling(device)
    line = {
        "kernel": "treadle.arrays.transpose",
        "problem": {"schedule": before.schedule},
        "environment": {"device": device.identity.name, "treadle": "another"},
        "configuration": {"tile_side": 16 if before.tile_side != 16 else 8},
        "outcome": "measured",
        "seconds": 1e-9,
        "won": True,
    }
    wisdom = tmp_path / "wisdom.jsonl"
    wisdom.write_text(json.dumps(line))
    other = run(*command, "import", wisdom, "--store", tmp_path / "new.db")
    assert other.stdout == "1 attempts\n", other.stderr
    (tmp_path / "cache" / "tilings.jsonl").unlink(missing_ok=True)
    ran = run(*command, "import", wisdom)
    assert ran.stdout == "1 attempts\n", ran.stderr
    assert run("-c", TILING).stdout == f"{line['configuration']['tile_side']}\n"
    (tmp_path / "cache" / "tilings.jsonl").write_text("damaged")
    assert run("-c", TILING).stdout == f"{before.tile_side}\n"
    ran = run("-c", NUMBERS)
    assert ran.returncode == 0 and "'family': 'transpose'" in ran.stdout, ran.stderr


def test_progress_tells_what_is_left():
    class Best:
        configuration = {"TILE": 8}
        measured = type("Measured", (), {"seconds": 2e-6})

    now = {"tried": 5, "failed": 1, "seconds": 10.0, "best": Best}
    assert _Progress(20, None).text(now).endswith("; best 2 us by TILE=8; 30 s left")
    assert _Progress(None, 12.0).text(now).endswith("; 2 s left")
    assert _Progress(20, 12.0).left(now) == 2
    assert _Progress(None, None).text(now | {"best": None}) == "5 tried, 1 failed"


def test_ctrl_c_keeps_what_was_measured(command):
    command.describe(parameters={"TILE": [4, 8, 16], "PADDING": list(range(400))})
    store = command.folder / "store.db"
    words = [sys.executable, "-m", "treadle", "tune", command.kernel, "--space", command.space]
    child = subprocess.Popen(
        [*words, "--store", store], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert "tried" in child.stderr.readline()
    time.sleep(0.2)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    assert out.endswith("; stopped\n")
    assert 0 < len(tune.Store(store)) < 1200


def test_the_command_is_one_of_treadles(run_python):
    said = run_python("-m", "treadle", "tune", "--help")
    assert said.returncode == 0 and "In the place of a kernel:" in said.stdout
    for action in ("arrays", "report", "ls", "export", "import", "merge"):
        assert f"  {action}" in said.stdout
    assert "tune " in run_python("-m", "treadle", "--help").stdout
