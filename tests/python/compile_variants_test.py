# SPDX-License-Identifier: MIT
"""Many variants compiled in one call, and what a terminal and a notebook show meanwhile."""

import os
import pty
import subprocess
import sys
import types

import pytest

import treadle
from treadle import _progress
from treadle._core.compile import _progress_text

TEXT = 'extern "C" __global__ void f(int *x) { *x = N; }'


def _variants(count, start=0):
    return [
        treadle.compile.Variant(TEXT, flags=[f"-DN={start + number}"]) for number in range(count)
    ]


def test_results_come_in_their_order():
    results = treadle.compile_variants(_variants(4), "cpu", threads=2)
    for number, result in enumerate(results):
        alone = treadle.compile_cuda(TEXT, "cpu", flags=[f"-DN={number}"])
        assert result.image.code == alone.image.code


def test_texts_alone_share_the_flags():
    texts = [TEXT, TEXT.replace("= N", "= N + 1")]
    results = treadle.compile_variants(texts, "cpu", flags=["-DN=5"])
    assert len(results) == 2 and results[0].image.code != results[1].image.code
    assert treadle.compile_variants([], "cpu") == []


def test_a_listener_hears_how_far_it_is():
    heard = []
    treadle.compile_variants(
        _variants(3, 10), "cpu", progress=lambda done, total, seconds: heard.append((done, total))
    )
    assert heard[-1] == (3, 3)
    assert heard == sorted(heard)


def test_what_a_listener_raises_ends_the_call():
    def stop(done, total, seconds):
        raise KeyError(total)

    with pytest.raises(KeyError, match="3"):
        treadle.compile_variants(_variants(3, 20), "cpu", cache=False, progress=stop)


def test_the_first_that_fails_is_told():
    with pytest.raises(treadle.CompileError, match=r"broken\.cu"):
        treadle.compile_variants(
            [TEXT, treadle.compile.Variant("no C", source_name="broken.cu")],
            "cpu",
            flags=["-DN=1"],
        )


def test_what_is_no_variant_is_refused():
    with pytest.raises(TypeError, match=r"variants\[1\] is an int"):
        treadle.compile_variants([TEXT, 3], "cpu")
    with pytest.raises(TypeError, match="progress"):
        treadle.compile_variants([TEXT], "cpu", progress=3)


PROGRAM = """
import sys, treadle
treadle.compile.show_progress(sys.argv[1] == "shown")
text = 'extern "C" __global__ void f(float *x) { *x = sinf(*x) + powf(*x, N) + cosf(N); }'
variants = [treadle.compile.Variant(text, flags=[f"-DN={n}"]) for n in range(40)]
progress = False if sys.argv[1] == "refused" else None
import time
start = time.monotonic()
treadle.compile_variants(variants, "cpu", cache=False, progress=progress)
print(time.monotonic() - start)
"""


def _on_a_terminal(how):
    """What the program writes to a terminal on standard error, and the seconds it took."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, how], stdout=subprocess.PIPE, stderr=theirs, text=True
    ) as program:
        os.close(theirs)
        seen = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            seen += piece
        out = program.stdout.read()
    os.close(ours)
    assert program.returncode == 0, seen
    return seen.decode(), float(out)


def test_a_terminal_shows_a_bar_and_loses_it_again():
    seen, seconds = _on_a_terminal("shown")
    if seconds < 0.8:
        pytest.skip("too fast for a bar")
    assert "compiling  [" in seen and " of 40, " in seen
    assert seen.endswith("\r\x1b[K")


@pytest.mark.parametrize("how", ["hidden", "refused"])
def test_the_bar_can_be_turned_off(how):
    assert _on_a_terminal(how)[0] == ""


def test_without_a_terminal_nothing_is_written():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "shown"], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


def test_a_bar_fills_its_line():
    text = _progress_text
    assert text(5, 10, 1.25, 48) == "compiling  [=========>         ]  5 of 10, 1.2 s"
    assert ">" not in text(10, 10, 1, 30)
    assert text(1, 2, 0, 10) == "compiling  1 of 2, 0.0 s"
    assert len(text(3, 4, 2, 78)) == 78


class ZMQInteractiveShell:
    """As a notebook's is called."""


def test_a_notebook_shows_a_bar(monkeypatch):
    shown = []

    class Handle:
        def update(self, bar):
            shown.append(bar)

    def display(bar, display_id):
        shown.append(bar)
        return Handle()

    ipython = types.SimpleNamespace(
        get_ipython=ZMQInteractiveShell,
        display=types.SimpleNamespace(display=display, HTML=str),
    )
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    listener = _progress.notebook_listener()
    listener(1, 4, 0.1)
    assert shown == []
    listener(1, 4, 0.6)
    listener(2, 4, 0.9)
    assert len(shown) == 2 and 'value="2" max="4"' in shown[1]


def test_no_notebook_has_no_listener(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert _progress.notebook_listener() is None
