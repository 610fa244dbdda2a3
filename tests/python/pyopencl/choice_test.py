# SPDX-License-Identifier: MIT
"""Which devices create_some_context takes: answers, environment, or the user's."""

import builtins

import numpy as np
import pyopencl as cl
import pytest

from treadle.pyopencl import _choice


class FakeDevice:
    def __init__(self, name):
        self.name = name


class FakePlatform:
    def __init__(self, name, *devices):
        self.name = name
        self.devices = [FakeDevice(device) for device in devices]

    def get_devices(self):
        return self.devices


ALPHA = FakePlatform("Alpha Compute", "Big GPU", "Small GPU", "CPU")
BETA = FakePlatform("Beta Compute", "Only")
EMPTY = FakePlatform("Empty")


@pytest.fixture
def platforms(monkeypatch):
    monkeypatch.setattr(_choice, "get_platforms", lambda: [ALPHA, BETA])
    monkeypatch.delenv("PYOPENCL_CTX", raising=False)
    monkeypatch.delenv("PYOPENCL_TEST", raising=False)
    monkeypatch.delenv("TREADLE_DEVICE", raising=False)


def _names(**keywords):
    return [device.name for device in cl.choose_devices(**keywords)]


CHOICES = [
    ([], ["Big GPU"]),
    ([""], ["Big GPU"]),
    (["0"], ["Big GPU"]),
    (["0", "1"], ["Small GPU"]),
    (["0", "gpu"], ["Big GPU"]),
    (["alpha", "2,0"], ["CPU", "Big GPU"]),
    (["1"], ["Only"]),
    (["1", "0"], ["Only"]),
    (["compute"], ["Only"]),
    (["0", "cpu, small"], ["CPU", "Small GPU"]),
]


@pytest.mark.parametrize(("answers", "expected"), CHOICES)
def test_answers(answers, expected, platforms):
    assert _names(interactive=False, answers=answers) == expected


@pytest.mark.parametrize("answers", [[0, 1], (0, np.int64(1))])
def test_answers_may_be_indices(answers, platforms):
    assert _names(interactive=False, answers=answers) == ["Small GPU"]


@pytest.mark.parametrize(("answers", "expected"), CHOICES[1:])
def test_answers_of_the_environment(answers, expected, platforms, monkeypatch):
    monkeypatch.setenv("PYOPENCL_CTX", ":".join(answers))
    assert _names(interactive=False) == expected


def test_the_device_of_treadle_answers_where_nothing_else_does(platforms, monkeypatch):
    monkeypatch.setenv("TREADLE_DEVICE", "opencl:0:1")
    assert _names(interactive=False) == ["Small GPU"]
    monkeypatch.setenv("TREADLE_DEVICE", "cpu")
    assert _names(interactive=False) == ["Big GPU"]
    monkeypatch.setenv("TREADLE_DEVICE", "opencl:0:1")
    monkeypatch.setenv("PYOPENCL_CTX", "1")
    assert _names(interactive=False) == ["Only"]


@pytest.mark.parametrize(
    ("answers", "text"),
    [
        (["gamma"], r"'gamma': there is \[0\] Alpha Compute, \[1\] Beta Compute"),
        (["7"], "'7'"),
        (["0", "fpga"], r"\[2\] CPU"),
        (["0", "0", "0"], "no question"),
    ],
)
def test_answers_that_match_nothing(answers, text, platforms):
    with pytest.raises(cl.RuntimeError, match=text):
        cl.choose_devices(interactive=False, answers=answers)


def test_the_user_is_asked(platforms, monkeypatch, capsys):
    typed = iter(["0", "1"])
    monkeypatch.setattr(builtins, "input", lambda question: next(typed))
    assert _names(interactive=True) == ["Small GPU"]
    shown = capsys.readouterr().out
    assert "[1]" in shown
    assert "PYOPENCL_CTX='0:1'" in shown


def test_the_user_is_not_asked_where_there_is_no_choice(monkeypatch):
    monkeypatch.setattr(_choice, "get_platforms", lambda: [BETA])
    monkeypatch.setattr(builtins, "input", lambda question: pytest.fail("asked"))
    monkeypatch.delenv("PYOPENCL_CTX", raising=False)
    assert _names(interactive=True) == ["Only"]


def test_nothing_to_choose_from(monkeypatch):
    monkeypatch.setattr(_choice, "get_platforms", list)
    with pytest.raises(cl.Error, match="no platforms"):
        cl.choose_devices(interactive=False, answers=[])
    monkeypatch.setattr(_choice, "get_platforms", lambda: [EMPTY])
    with pytest.raises(cl.Error, match="Empty has no devices"):
        cl.choose_devices(interactive=False, answers=[])


def test_context_over_the_chosen(context, monkeypatch):
    chosen = cl.choose_devices(interactive=False)
    assert cl.create_some_context(interactive=False).devices == chosen
    name = chosen[0].platform.name
    monkeypatch.setenv("PYOPENCL_TEST", f"{name}:0")
    monkeypatch.setenv("PYOPENCL_CTX", "no such platform")
    assert cl.create_some_context().devices == chosen[:1]
