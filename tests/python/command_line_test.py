# SPDX-License-Identifier: MIT
import json
import os

import pytest


def _json(result):
    return json.loads(result.stdout)


def test_doctor_names_drivers_compilers_and_every_place(run_python):
    result = run_python("-m", "treadle", "doctor", "--json")
    report = _json(result)
    assert [driver["name"] for driver in report["drivers"]] == ["NVIDIA", "CPU"]
    assert {"NVRTC", "CPU compiler", "nvcc"} <= {c["name"] for c in report["compilers"]}
    assert result.returncode == (1 if report["advice"] else 0)
    for part in report["drivers"] + report["compilers"]:
        assert part.get("library") or part.get("path") or part["tried"] or part["problem"]


def test_doctor_says_it_in_words_too(run_python):
    text = run_python("-m", "treadle", "doctor").stdout
    for word in ("Drivers", "Compilers", "Cache", "Default device"):
        assert word in text


def test_doctor_tells_how_to_mend_an_absent_library(run_python, tmp_path):
    result = run_python(
        "-m",
        "treadle",
        "doctor",
        "--json",
        TREADLE_LIBCUDA=str(tmp_path / "nothing.so"),
        TREADLE_DEVICE="cuda:0",
    )
    report = _json(result)
    assert result.returncode == 1
    nvidia = report["drivers"][0]
    assert any("nothing.so" in place for place in nvidia["tried"])
    assert nvidia["hint"]
    assert report["advice"]


def test_info_lists_devices_with_attributes(run_python):
    result = run_python("-m", "treadle", "info", "--json")
    assert result.returncode == 0, result.stderr
    devices = _json(result)["devices"]
    assert devices
    assert all(d["attributes"]["WARP_SIZE"] == 32 for d in devices)
    assert devices[0]["name"] in run_python("-m", "treadle", "info").stdout


def test_cache_commands(run_python, tmp_path):
    folder = str(tmp_path / "cache")
    script = tmp_path / "script.py"
    script.write_text(
        "import treadle\ntreadle.compile_cuda('__global__ void k() {}',"
        " treadle.cuda.default_device().target)\n"
    )
    environment = {"TREADLE_CACHE_DIR": folder}
    assert run_python(str(script), **environment).returncode == 0

    state = _json(run_python("-m", "treadle", "cache", "stat", "--json", **environment))
    assert state["programs"] == 1
    assert state["folder"] == folder
    entries = _json(run_python("-m", "treadle", "cache", "ls", "--json", **environment))["entries"]
    assert [e["kind"] for e in entries].count("program") == 1

    check = run_python("-m", "treadle", "cache", "verify", "--json", **environment)
    assert check.returncode == 0
    assert _json(check)["damaged"] == []
    program = next(e for e in entries if e["kind"] == "program")
    path = next(p for p in (tmp_path / "cache").rglob("*") if p.name == program["name"])
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    check = run_python("-m", "treadle", "cache", "verify", "--json", **environment)
    assert check.returncode == 1
    assert len(_json(check)["damaged"]) == 1

    assert run_python("-m", "treadle", "cache", "clear", **environment).returncode == 0
    state = _json(run_python("-m", "treadle", "cache", "stat", "--json", **environment))
    assert state["programs"] == 0
    assert "empty" in run_python("-m", "treadle", "cache", "ls", **environment).stdout


def test_a_file_where_the_cache_should_be_is_reported(run_python, tmp_path):
    path = tmp_path / "file"
    path.write_text("")
    result = run_python("-m", "treadle", "cache", "stat", TREADLE_CACHE_DIR=str(path))
    assert result.returncode == 1
    assert "problem" in result.stdout
    assert "Traceback" not in result.stderr


def test_run_gives_the_script_its_arguments_and_its_name(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, pycuda.driver\n"
        "print(__name__, sys.argv, __file__)\n"
        "import neighbour\n"
        "sys.exit(7)\n"
    )
    (tmp_path / "neighbour.py").write_text("print('found')\n")
    result = run_python("-m", "treadle", "run", str(script), "--stats", "-x", "1")
    assert result.returncode == 7
    assert result.stdout.splitlines() == [
        f"__main__ {[str(script), '--stats', '-x', '1']} {script}",
        "found",
    ]


def test_run_shows_the_program_s_own_traceback(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("def f():\n    raise ValueError('mine')\n\n\nf()\n")
    result = run_python("-m", "treadle", "run", str(script))
    assert result.returncode == 1
    assert "ValueError: mine" in result.stderr
    assert "_run.py" not in result.stderr
    assert f'File "{script}", line 5' in result.stderr
    assert "    f()" in result.stderr


def test_run_prints_counters_at_the_end_even_of_a_script_that_fails(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("raise SystemExit(3)\n")
    result = run_python("-m", "treadle", "run", "--stats", str(script))
    assert result.returncode == 3
    counters = json.loads(result.stderr.splitlines()[-1])
    assert counters["misses"] == 0
    assert {"memory_hits", "disk_hits", "compile_seconds", "lookup_seconds"} <= counters.keys()


@pytest.mark.parametrize(
    "arguments", [(), ("run",), ("run", "--nonsense", "x.py"), ("run", "/no/such/file.py")]
)
def test_bad_usage_ends_with_status_2(run_python, arguments):
    result = run_python("-m", "treadle", *arguments)
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


def test_a_folder_is_no_script(run_python, tmp_path):
    result = run_python("-m", "treadle", "run", str(tmp_path))
    assert result.returncode == 2
    assert os.strerror(21) in result.stderr


def test_a_syntax_error_is_shown_as_python_shows_it(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text("def f(:\n")
    result = run_python("-m", "treadle", "run", str(script))
    assert result.returncode == 1
    assert "SyntaxError" in result.stderr
    assert str(script) in result.stderr
