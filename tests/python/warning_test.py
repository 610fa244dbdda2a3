# SPDX-License-Identifier: MIT
"""What the core warns of reaches Python's warnings, from every thread, and stderr at the end."""

import threading
import warnings

import pytest

import treadle

# A file where the cache's folder should be: the first compile of the process warns.
COMPILE = """
import sys, threading, treadle
def compile_one():
    treadle.compile_cuda("__global__ void k() {}", "cpu")
"""


@pytest.fixture
def run_with_broken_cache(run_python, tmp_path):
    (tmp_path / "folder").write_text("a file")
    script = tmp_path / "script.py"

    def run(text, *options):
        script.write_text(COMPILE + text)
        return run_python(*options, str(script), TREADLE_CACHE_DIR=str(tmp_path / "folder"))

    return run


def test_category_is_a_runtime_warning():
    assert issubclass(treadle.TreadleWarning, RuntimeWarning)


def test_a_warning_points_at_the_user_s_line(run_with_broken_cache):
    result = run_with_broken_cache("\ncompile_one()\n")
    assert result.returncode == 0
    assert "script.py:" in result.stderr
    assert "TreadleWarning: the disk cache is not used" in result.stderr
    assert "treadle: warning" not in result.stderr


def test_a_warning_of_another_thread_is_issued(run_with_broken_cache):
    result = run_with_broken_cache(
        "import warnings\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    thread = threading.Thread(target=compile_one)\n"
        "    thread.start(); thread.join()\n"
        "    for i in range(3): pass\n"
        "print([w.category.__name__ for w in caught])\n"
    )
    assert result.stdout.strip() == "['TreadleWarning']", result.stderr
    assert result.stderr == ""


def test_warnings_as_errors_do_not_end_the_work(run_with_broken_cache):
    result = run_with_broken_cache("compile_one()\nprint('goes on')\n", "-W", "error")
    assert result.stdout.strip() == "goes on"
    assert "TreadleWarning" in result.stderr


def test_filters_silence_them(run_with_broken_cache):
    result = run_with_broken_cache(
        "import warnings; warnings.simplefilter('ignore', treadle.TreadleWarning)\ncompile_one()\n"
    )
    assert (result.returncode, result.stderr) == (0, "")


def test_at_the_interpreter_s_end_they_go_to_stderr(run_python):
    # The context is still on the main thread's stack when that thread is taken down.
    result = run_python(
        "-c", "import treadle.compat, pycuda.driver as d; d.init(); c = d.Device(0).make_context()"
    )
    assert result.returncode == 0
    assert "treadle: warning: " in result.stderr
    assert "Traceback" not in result.stderr


def test_threads_that_end_without_the_gil_warn_too(context):
    from pycuda.driver import Context

    shared = Context.get_current()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        threads = [threading.Thread(target=shared.push) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # join() returns before the system has taken the thread down; wait for what comes then.
        for _ in range(2000):
            if len(caught) == len(threads):
                break
            threading.Event().wait(0.005)
    assert [w.category for w in caught] == [treadle.TreadleWarning] * len(threads)
    assert all("context" in str(w.message) for w in caught)
