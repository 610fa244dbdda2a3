# SPDX-License-Identifier: MIT
import json
import os
import pathlib
import sqlite3

import pytest

import treadle


def _json(result):
    return json.loads(result.stdout)


def info(run_python, *options, **environment):
    """What `info` says: as data, and in words with the options given."""
    result = run_python("-m", "treadle", "info", "--json", **environment)
    text = run_python("-m", "treadle", "info", *options, **environment)
    assert text.returncode == result.returncode, result.stderr
    return _json(result), text.stdout


def test_info_is_a_short_page_of_devices_compilers_cache_and_what_is_missing(run_python):
    report, text = info(run_python)
    assert len(text.splitlines()) < 25
    assert [d["id"] for d in report["devices"]] == [d.id for d in treadle.devices()]
    for device in report["devices"]:
        line = next(line for line in text.splitlines() if line[2:].startswith(device["id"]))
        assert device["name"] in line
        assert line.startswith("*") == (device["id"] == report["default_device"]["id"])
        assert device["runtime"].split("  ")[0] in line
    for compiler in report["compilers"]:
        assert (compiler["name"] in text) == bool(compiler["path"])
    assert f"Cache: {report['cache']['folder']}, " in text
    for part in report["missing"]:
        assert f"  {part['name']}: {part['problem']}\n" in text
        assert part["hint"] is None or part["hint"] in text


def test_info_tells_the_size_of_the_cache(run_python, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import treadle\ntreadle.compile_cuda('__global__ void k() {}',"
        " treadle.cuda.default_device().target)\n"
    )
    environment = {"TREADLE_CACHE_DIR": str(tmp_path / "cache"), "TREADLE_CACHE_MAX_BYTES": "2048"}
    assert ", 0 programs, 0 bytes of at most 2 KiB" in info(run_python, **environment)[1]
    environment.pop("TREADLE_CACHE_MAX_BYTES")
    assert run_python(str(script), **environment).returncode == 0
    report, text = info(run_python, **environment)
    assert report["cache"]["bytes"] > 0
    assert ", 1 programs, " in text and " 0 bytes" not in text


def test_info_all_names_drivers_compilers_and_every_place(run_python):
    report, text = info(run_python, "--all")
    assert [driver["name"] for driver in report["drivers"]] == ["NVIDIA", "CPU"]
    assert {"NVRTC", "CPU compiler", "nvcc"} <= {c["name"] for c in report["compilers"]}
    assert {"blas", "cublas", "cusolver"} <= {c["setting"] for c in report["libraries"]}
    for part in report["drivers"] + report["compilers"] + report["libraries"]:
        assert part.get("library") or part.get("path") or part["tried"] or part["problem"]
        assert all(f"tried {place}" in text for place in part["tried"])
    for word in ("Drivers", "Compilers", "Cache", "Default device"):
        assert word in text


def test_info_tells_how_a_library_was_measured(run_python, tmp_path):
    environment = {"TREADLE_CACHE_DIR": str(tmp_path)}
    run_python("-c", "from treadle import tune; tune.Store.of_user()", **environment)
    names = "kernel problem environment configuration device architecture outcome seconds samples"
    names += " resources compile_seconds error time won"
    where = '{"architecture":"a","compiler":"","device":"d","driver":"","treadle":""}'
    with sqlite3.connect(tmp_path / "tuning.db") as database:
        for way, won in (("cufft", 1), ("generated", 0)):
            texts = ["fft by cufft", "{}", where, f'{{"way":"{way}"}}', "d", "a"]
            row = [*texts, "measured", 1e-6, "[]", "{}", 0, "", 1, won]
            database.execute(
                f"INSERT INTO attempt ({', '.join(names.split())}) VALUES ({', '.join('?' * 14)})",
                row,
            )
    report, text = info(run_python, "--all", **environment)
    assert "measured for 1 classes of problems, taken for 1" in text
    told = {library["setting"]: library["measured"] for library in report["libraries"]}
    assert told["cublas"] is None and "0 classes" in told["clblast"]


def test_info_says_what_the_cpu_device_does_not_have(run_python):
    report, text = info(run_python)
    lacks = report["drivers"][1]["lacks"]
    # Each of these is refused by name: cuda_families_test.py and the tests of the families.
    assert {"green contexts", "checkpoints", "coredumps", "external memory and semaphores"} <= {
        *lacks
    }
    assert "memory of graphs" not in lacks
    line = next(line for line in text.splitlines() if line.startswith("Not on the CPU device"))
    assert all(family in line for family in lacks)
    page = (pathlib.Path(__file__).parents[2] / "docs" / "cpu-device.md").read_text()
    differs = page[page.index("## What differs") :]
    assert [family for family in lacks if family not in differs] == []


def test_a_library_can_be_switched_off(run_python):
    report, text = info(run_python, "--all", TREADLE_LIBRARIES="blas=off,cublas=off")
    off = {r["setting"]: r["problem"] for r in report["libraries"]}
    assert off["blas"] == off["cublas"] == "switched off" != off["cusolver"]
    assert "TREADLE_LIBRARIES=blas=off: switched off" in text


def test_doctor_is_info_all(run_python, tmp_path):
    # What is available changes between two processes, and what is in a cache that others use.
    same = {
        "TREADLE_LIBOPENCL": "/no/such.so",
        "TREADLE_CPU_MEMORY_BYTES": str(1 << 30),
        "TREADLE_CACHE_DIR": str(tmp_path / "cache"),
    }
    doctor = run_python("-m", "treadle", "doctor", **same)
    everything = run_python("-m", "treadle", "info", "--all", **same)
    assert doctor.stdout == everything.stdout


def test_info_tells_how_to_mend_an_absent_library(run_python, tmp_path):
    missing = str(tmp_path / "nothing.so")
    result = run_python("-m", "treadle", "info", "--json", TREADLE_LIBCUDA=missing)
    nvidia = _json(result)["drivers"][0]
    assert result.returncode == 0  # the CPU device runs kernels
    assert any("nothing.so" in place for place in nvidia["tried"])
    part = next(part for part in _json(result)["missing"] if part["name"] == "NVIDIA driver")
    assert part["hint"] == nvidia["hint"]
    assert not part["needed"]


def test_info_fails_where_kernels_do_not_run(run_python, tmp_path):
    environment = {"TREADLE_LIBRARY_DIR": str(tmp_path), "TREADLE_LIBCUDA": str(tmp_path / "none")}
    result = run_python(
        "-m", "treadle", "info", TREADLE_LIBOPENCL=str(tmp_path / "none"), **environment
    )
    assert result.returncode == 1
    assert "Devices\n  none\n" in result.stdout
    needed = result.stdout.split("Missing, and needed to run kernels\n")[1]
    assert needed.startswith(
        "  CPU device: libtreadle_cpu.so was not found\n      reinstall Treadle"
    )


@pytest.fixture
def opencl_of(run_python):
    """opencl_of(VARIABLE=value) is what info --all says of OpenCL, as data and in words."""

    def ask(**environment):
        report, text = info(run_python, "--all", **environment)
        return report["opencl"], text

    return ask


def test_info_shows_opencl_with_loader_vendor_files_and_devices(opencl_of):
    opencl, text = opencl_of()
    assert opencl["vendor_files"]
    for place in opencl["vendor_files"]:
        assert f"looked at {place}" in text
    if not opencl["platforms"]:
        pytest.skip("needs an OpenCL platform")
    assert opencl["library"] in text
    devices = [device for platform in opencl["platforms"] for device in platform["devices"]]
    assert opencl["problem"] is None
    assert all(d["total_memory"] > 0 and d["compute_units"] > 0 for d in devices)
    assert devices[0]["name"] in text


def test_info_tells_how_to_mend_an_absent_opencl_loader(opencl_of, tmp_path):
    missing = str(tmp_path / "libNothing.so")
    opencl, text = opencl_of(TREADLE_LIBOPENCL=missing)
    assert opencl["library"] is None
    assert any(missing in place for place in opencl["tried"])
    assert opencl["hint"].startswith("apt install")
    assert f"try: {opencl['hint']}" in text
    assert f"tried {missing}" in text
    assert f"  OpenCL: {opencl['problem']}\n      {opencl['hint']}" in text


def test_info_tells_how_to_mend_absent_platforms(opencl_of, tmp_path):
    (tmp_path / "broken.icd").write_text("/nowhere/libplatform.so\n")
    opencl, text = opencl_of(OCL_ICD_VENDORS=str(tmp_path), OPENCL_VENDOR_PATH=str(tmp_path))
    if opencl["library"] is None:
        pytest.skip("needs an OpenCL loader")
    if opencl["platforms"]:
        pytest.skip("this loader does not ask where to look")
    assert any(
        "broken.icd" in place and "does not exist" in place for place in opencl["vendor_files"]
    )
    assert opencl["problem"]
    assert "pocl-opencl-icd" in opencl["hint"]
    assert "/nowhere/libplatform.so" in text


def test_info_names_the_default_device_of_whatever_runtime(run_python):
    report = _json(run_python("-m", "treadle", "info", "--json"))
    assert report["default_device"]["id"]
    for device in treadle.devices():
        chosen = run_python("-m", "treadle", "info", "--json", TREADLE_DEVICE=device.id)
        assert _json(chosen)["default_device"]["id"] == device.id
        assert device.id in _json(chosen)["default_device"]["reason"]
    absent = run_python("-m", "treadle", "info", "--json", TREADLE_DEVICE="opencl:77:0")
    assert absent.returncode == 1
    needed = [part for part in _json(absent)["missing"] if part["needed"]]
    assert any("opencl:77:0" in part["problem"] for part in needed)


def test_the_loader_that_was_chosen_is_a_setting(run_python):
    ask = "import treadle; print(treadle.settings().libopencl)"
    assert run_python("-c", ask, TREADLE_LIBOPENCL="/x/lib.so").stdout == "/x/lib.so\n"
    ask = "import treadle; print([str(p) for p in treadle.settings().shared_cache_dirs])"
    assert run_python("-c", ask, TREADLE_SHARED_CACHE_DIR="/a:/b").stdout == "['/a', '/b']\n"


def test_info_all_lists_opencl_devices_with_attributes(opencl_of):
    opencl, text = opencl_of()
    devices = [device for platform in opencl["platforms"] for device in platform["devices"]]
    if not devices:
        pytest.skip("needs an OpenCL platform")
    for device in devices:
        assert device["attributes"]["MAX_COMPUTE_UNITS"] == device["compute_units"]
        assert device["attributes"]["NAME"] == device["name"]
    assert "MAX_WORK_GROUP_SIZE = " in text


def test_info_all_lists_devices_with_attributes(run_python):
    report, text = info(run_python, "--all")
    devices = [device for driver in report["drivers"] for device in driver["devices"]]
    assert devices
    assert all(d["attributes"]["WARP_SIZE"] == 32 for d in devices)
    assert "WARP_SIZE = 32" in text


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


def test_cache_stat_shows_what_is_shared(run_python, tmp_path):
    shared = tmp_path / "shared"
    script = tmp_path / "script.py"
    script.write_text(
        "import treadle\ntarget = treadle.cuda.default_device().target\n"
        "print(treadle.compile_cuda('__global__ void k() {}', target).origin)\n"
    )
    run_python(str(script), TREADLE_CACHE_DIR=str(shared))
    environment = {
        "TREADLE_CACHE_DIR": str(tmp_path / "own"),
        "TREADLE_SHARED_CACHE_DIR": f"{shared}:{tmp_path / 'missing'}",
    }
    assert "disk cache" in run_python(str(script), **environment).stdout
    stat = run_python("-m", "treadle", "cache", "stat", "--json", **environment)
    assert stat.returncode == 1
    first, second = _json(stat)["shared"]
    assert (first["folder"], first["programs"], first["problem"]) == (str(shared), 1, "")
    assert "ENOENT" in second["problem"]
    text = run_python("-m", "treadle", "cache", "stat", **environment).stdout
    assert f"shared     {shared}: 1 programs" in text
    assert run_python("-m", "treadle", "cache", "clear", **environment).returncode == 0
    assert "disk cache" in run_python(str(script), **environment).stdout


@pytest.fixture
def cache(run_python, tmp_path):
    """cache(action, ...) runs the command on a folder that two compiles of one kernel filled."""
    environment = {"TREADLE_CACHE_DIR": str(tmp_path / "cache")}
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, treadle\ntarget = treadle.cuda.default_device().target\n"
        "treadle.compile_cuda('__global__ void k() {}', target, flags=sys.argv[1:])\n"
    )
    for flags in ((), ("-DN=3",)):
        assert run_python(str(script), *flags, **environment).returncode == 0
    return lambda *words: run_python("-m", "treadle", "cache", *words, **environment)


def test_explain_miss_names_the_part_of_the_key_that_changed(cache):
    report = _json(cache("explain-miss", "--json"))
    assert [d["field"] for d in report["differences"]] == ["options"]
    assert "N=3" in report["differences"][0]["after"]
    assert "N=3" not in report["differences"][0]["before"]
    text = cache("explain-miss", report["entry"]).stdout
    assert report["nearest"] in text and "options" in text
    unknown = cache("explain-miss", "no-such-entry")
    assert unknown.returncode == 1
    assert "no-such-entry" in unknown.stderr
    assert "Traceback" not in unknown.stderr


def test_explain_miss_of_the_only_kernel(cache, run_python):
    only = _json(cache("ls", "--json"))["entries"]
    programs = [e["name"] for e in only if e["kind"] == "program"]
    assert len(programs) == 2
    assert cache("prune", "--max-bytes", str(only[0]["bytes"])).returncode == 0
    left = _json(cache("ls", "--json"))["entries"]
    assert len([e for e in left if e["kind"] == "program"]) == 1
    assert "nothing in the cache is like it" in cache("explain-miss").stdout


def test_prune_keeps_what_fits(cache):
    before = _json(cache("stat", "--json"))
    unchanged = _json(cache("prune", "--json"))
    assert unchanged == {"left_bytes": before["bytes"], "max_bytes": before["max_bytes"]}
    assert _json(cache("prune", "--max-bytes", "0", "--json"))["left_bytes"] == 0
    assert _json(cache("stat", "--json"))["programs"] == 0


@pytest.mark.parametrize(
    "words",
    [
        ("prune", "--max-bytes", "-1"),
        ("prune", "--max-bytes", "1k"),
        ("ls", "entry"),
        ("clear", "--max-bytes", "1"),
        ("polish",),
        (),
    ],
)
def test_words_that_mean_nothing_are_refused(run_python, words):
    result = run_python("-m", "treadle", "cache", *words)
    assert result.returncode == 2
    assert "usage:" in result.stderr


@pytest.mark.parametrize("action", ["verify", "prune", "clear"])
def test_a_folder_that_is_no_cache_is_left_alone(run_python, tmp_path, action):
    path = tmp_path / "file"
    path.write_text("mine")
    result = run_python("-m", "treadle", "cache", action, "--folder", str(path))
    assert result.returncode == 1
    assert str(path) in result.stderr
    assert "Traceback" not in result.stderr
    assert path.read_text() == "mine"


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


def test_run_gives_a_module_what_python_gives_it(run_python, tmp_path):
    package = tmp_path / "tool"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text(
        "import sys, pycuda.driver\n"
        "print(__name__, sys.argv, __spec__.name, sys.path[0])\n"
        "from . import part\n"
        "sys.exit(7)\n"
    )
    (package / "part.py").write_text("print('found')\n")
    result = run_python("-m", "treadle", "run", "-m", "tool", "-m", "1", cwd=tmp_path)
    assert result.returncode == 7, result.stderr
    assert result.stdout.splitlines() == [
        f"__main__ {[str(package / '__main__.py'), '-m', '1']} tool.__main__ {tmp_path}",
        "found",
    ]
    (package / "part.py").write_text("raise ValueError('mine')\n")
    result = run_python("-m", "treadle", "run", "-m", "tool", cwd=tmp_path)
    assert result.returncode == 1
    assert "ValueError: mine" in result.stderr
    assert "_run.py" not in result.stderr and "runpy" not in result.stderr


def test_a_module_that_is_not_there_is_named(run_python):
    result = run_python("-m", "treadle", "run", "-m", "no_such_module")
    assert (result.returncode, result.stderr) == (1, "No module named 'no_such_module'\n")


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
    "arguments",
    [(), ("run",), ("run", "-m"), ("run", "--nonsense", "x.py"), ("run", "/no/such/file.py")],
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


CUDA_TEXT = """#include <cuda_fp16.h>
__global__ void scale(float *x)
{
  int i = threadIdx.x;
  x[i] = __ldg(x) + sqrtf(x[i]);
}
"""


def test_dialect_lists_what_opencl_c_does_not_have(run_python, tmp_path):
    path = tmp_path / "scale.cu"
    path.write_text(CUDA_TEXT)
    result = run_python("-m", "treadle", "dialect", str(path))
    assert result.returncode == 1
    assert result.stdout.splitlines() == [
        f"{path}:1: #include <cuda_fp16.h>: nothing in treadle/dialect.h",
        f"{path}:5: __ldg: nothing in treadle/dialect.h",
        f"{path}: 3 words have another in treadle/dialect.h, 2 have none",
    ]
    result = run_python("-m", "treadle", "dialect", "--all", str(path))
    assert f"{path}:4: threadIdx.x: treadle_local_id(0)" in result.stdout
    words = _json(run_python("-m", "treadle", "dialect", "--json", str(path)))["files"][0]["words"]
    assert {"line": 5, "word": "sqrtf", "replacement": "sqrt"} in words
    path.write_text("__global__ void k() { }\n")
    assert run_python("-m", "treadle", "dialect", str(path)).returncode == 0
    path.write_text(
        "__global__ void k(double *d, float *f, int *i)\n{\n  extern __shared__ float t[];\n"
        "  atomicAdd(d, 1.0); atomicAdd(f, 1.0f); atomicAdd(i, 1);\n}\n"
    )
    result = run_python("-m", "treadle", "dialect", "--all", str(path))
    assert result.stdout.splitlines()[1:-1] == [
        f"{path}:3: extern __shared__: TREADLE_LAUNCH_LOCAL",
        f"{path}:4: atomicAdd(double*): treadle_atomic_add_double",
        f"{path}:4: atomicAdd(float*): treadle_atomic_add_float",
        f"{path}:4: atomicAdd: treadle_atomic_add",
    ]
    result = run_python("-m", "treadle", "dialect", str(tmp_path / "none.cu"))
    assert result.returncode == 2 and "No such file" in result.stderr
