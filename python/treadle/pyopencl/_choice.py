# SPDX-License-Identifier: MIT
"""Choosing a platform and devices: by answers, by the environment, or by asking."""

from __future__ import annotations

import builtins
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from treadle.pyopencl._cl import Context, Device, Error, LogicError, RuntimeError, get_platforms
from treadle.pyopencl._errors import _ErrorRecord, list_of

_Named = TypeVar("_Named")
_PLATFORM_NOT_FOUND = -1001


def _refusal(text: str) -> RuntimeError:
    return RuntimeError(_ErrorRecord("create_some_context", -1, text))


def _names(objects: Sequence[Any]) -> str:
    return ", ".join(f"[{i}] {o.name.strip()}" for i, o in enumerate(objects))


def _by_index(objects: Sequence[_Named], answer: str) -> _Named | None:
    try:
        index = int(answer)
    except ValueError:
        return None
    return objects[index] if 0 <= index < len(objects) else None


def _select(objects: Sequence[Any], answer: str, what: str, last_wins: bool) -> Any:
    """The object that an answer chooses, by an index or a part of a name in upper or lower case."""
    if not answer:
        return objects[0]
    found = _by_index(objects, answer)
    if found is not None:
        return found
    matches = [o for o in objects if answer.lower() in o.name.lower()]
    if not matches:
        raise _refusal(f"no {what} matches {answer!r}: there is {_names(objects)}")
    return matches[-1 if last_wins else 0]


class _Answers:
    """Answers in order: given, or from the terminal. Remembers those that were used."""

    def __init__(self, given: Sequence[str], interactive: bool) -> None:
        self.given = list(given)
        self.was_given = bool(self.given)
        self.interactive = interactive and not self.was_given
        self.used: list[str] = []

    def next(self, question: str) -> str:
        if self.given:
            answer = self.given.pop(0)
        elif self.interactive:
            answer = input(question)
        else:
            return ""
        self.used.append(answer)
        return answer


def _platforms() -> list[Any]:
    try:
        platforms = get_platforms()
    except LogicError as error:
        if error.code != _PLATFORM_NOT_FOUND:
            raise
        raise _refusal(
            "no OpenCL platform is installed; install your device's OpenCL driver (ICD), or for "
            f"the processor: apt install ocl-icd-libopencl1 pocl-opencl-icd ({error})"
        ) from error
    if not platforms:
        raise Error(_ErrorRecord("create_some_context", 0, "there are no platforms"))
    return platforms


def _menu(what: str, objects: Sequence[Any], show: Callable[[Any], str]) -> None:
    print(f"Choose {what}:")
    for index, item in enumerate(objects):
        print(f"[{index}] {show(item)}")


def _choose_platform(answers: _Answers) -> Any:
    platforms = _platforms()
    if len(platforms) == 1 and not answers.was_given:
        return platforms[0]
    if answers.interactive:
        _menu("platform", platforms, repr)
    return _select(platforms, answers.next("Choice [0]:"), "platform", last_wins=True)


def _choose_devices(platform: Any, answers: _Answers) -> list[Device]:
    devices = platform.get_devices()
    if not devices:
        raise Error(_ErrorRecord("create_some_context", 0, f"{platform.name} has no devices"))
    if len(devices) == 1 and not answers.given:
        return devices
    if answers.interactive:
        _menu("device(s)", devices, repr)
    text = answers.next("Choice, comma-separated [0]:")
    return [_select(devices, a.strip(), "device", last_wins=False) for a in text.split(",")]


def _described(cl_object: Any) -> str:
    return f"{cl_object.name} {cl_object.vendor}".lower()


def _find(objects: Sequence[Any], wanted: str, what: str) -> Any:
    found = _by_index(objects, wanted)
    if found is not None:
        return found
    for item in objects:
        if wanted.lower() in _described(item):
            return item
    names = ", ".join(repr(item.name) for item in objects)
    raise builtins.RuntimeError(f"no {what} matches {wanted!r}: there is {names}")


def _parse_devices(entry: str) -> tuple[Any, list[Any]]:
    parts = entry.split(":")
    if len(parts) > 2:
        raise builtins.RuntimeError(
            f"{entry!r} has more than one ':': platform:device,device is wanted"
        )
    platform = _find(get_platforms(), parts[0].strip(), "platform")
    devices = platform.get_devices()
    if len(parts) == 1:
        return platform, devices
    return platform, [_find(devices, d.strip(), "device") for d in parts[1].split(",")]


def get_test_platforms_and_devices(
    plat_dev_string: str | None = None,
) -> list[tuple[Any, list[Any]]]:
    """Platforms with devices: those PYOPENCL_TEST names (platform:device,device;...) or all."""
    text = os.environ.get("PYOPENCL_TEST") if plat_dev_string is None else plat_dev_string
    if text:
        return [_parse_devices(entry) for entry in text.split(";")]
    return [(platform, platform.get_devices()) for platform in get_platforms()]


def choose_devices(
    interactive: bool | None = None, answers: Sequence[str | int] | None = None
) -> list[Device]:
    """The devices named by answers, PYOPENCL_TEST, PYOPENCL_CTX, TREADLE_DEVICE or the user."""
    if answers is None:
        if "PYOPENCL_TEST" in os.environ:
            for _, devices in get_test_platforms_and_devices():
                return devices[:1]
        text = os.environ.get("PYOPENCL_CTX")
        if text is None:  # "opencl:0:1" answers the same questions
            text = os.environ.get("TREADLE_DEVICE", "")
            text = text.removeprefix("opencl:") if text.startswith("opencl:") else None
        answers = text.split(":") if text is not None else []
    if interactive is None:
        interactive = sys.stdin is not None and sys.stdin.isatty()
    wanted = "a list of str", "str, or an int that is an index"
    answers = list_of((str, int, np.integer), "choose_devices", "answers", answers, wanted)
    given = _Answers([str(answer) for answer in answers], interactive)
    devices = _choose_devices(_choose_platform(given), given)
    if given.given:
        raise _refusal(f"answers that no question was left for: {':'.join(given.given)}")
    if given.interactive and given.used:
        print("Set the environment variable PYOPENCL_CTX=", end="")
        print(f"'{':'.join(given.used)}' to avoid being asked again.")
    return devices


def create_some_context(
    interactive: bool | None = None, answers: Sequence[str | int] | None = None
) -> Context:
    """A context over the devices that choose_devices() chooses."""
    return Context(choose_devices(interactive, answers))
