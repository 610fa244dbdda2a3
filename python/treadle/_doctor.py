# SPDX-License-Identifier: MIT
"""`python -m treadle doctor | info`: what this machine has, and what would help."""

from __future__ import annotations

import os
import platform
import sys
from typing import Any

from treadle import Error, LibraryNotFound, __version__, cuda
from treadle import compile as compiling

Report = dict[str, Any]


def _device(device: cuda.Device) -> Report:
    return {
        "name": device.name,
        "target": device.target,
        "compute_capability": "{}.{}".format(*device.compute_capability),
        "total_memory": device.total_memory,
        "multiprocessors": device.attribute("MULTIPROCESSOR_COUNT"),
    }


def _driver(name: str, load: Any) -> Report:
    report: Report = {
        "name": name,
        "library": None,
        "version": None,
        "devices": [],
        "tried": [],
        "problem": None,
        "hint": None,
    }
    try:
        driver = load()
        report["library"] = str(driver.library)
        report["version"] = driver.version()
        driver.initialize()
        report["devices"] = [_device(device) for device in driver.devices()]
    except LibraryNotFound as error:
        report.update(
            problem=f"{error.library} was not found", tried=list(error.tried), hint=error.hint
        )
    except Error as error:
        report.update(problem=error.message, hint=error.hint)
    return report


def _compiler(status: compiling.CompilerStatus) -> Report:
    return {
        "name": status.name,
        "path": str(status.path) if status.path.name else None,
        "version": status.version,
        "tried": list(status.tried),
        "problem": status.problem or None,
        "hint": status.hint or None,
    }


def _cache() -> Report:
    state = compiling.cache_state()
    return {
        "folder": str(state.folder),
        "enabled": state.enabled,
        "exists": state.exists,
        "programs": state.programs,
        "bytes": state.bytes,
        "max_bytes": state.max_bytes,
        "problem": state.problem or None,
    }


def _default_device() -> Report:
    try:
        return {"name": cuda.default_device().name, "reason": cuda.default_driver_reason()}
    except Error as error:
        return {"name": None, "reason": error.message, "hint": error.hint}


def _advice(report: Report) -> list[str]:
    """What keeps kernels from running, each with the one thing to do."""
    advice = []
    nvidia, cpu = report["drivers"]
    compilers = {c["name"]: c for c in report["compilers"]}
    no_device = not nvidia["devices"] and not cpu["devices"]
    if no_device:
        advice.append(f"no device at all: {cpu['problem']}. {cpu['hint'] or ''}".strip())
    for devices, name in ((nvidia["devices"], "NVRTC"), (cpu["devices"], "CPU compiler")):
        compiler = compilers.get(name)
        if devices and compiler is not None and compiler["problem"]:
            advice.append(f"{name}: {compiler['problem']}. {compiler['hint'] or ''}".strip())
    if report["cache"]["problem"]:
        advice.append(f"disk cache: {report['cache']['problem']}")
    if report["default_device"]["name"] is None and not no_device:
        default = report["default_device"]
        advice.append(f"{default['reason']} {default.get('hint') or ''}".strip())
    return advice


def examine() -> tuple[Report, int]:
    """The whole state; status 1 if something keeps kernels from running."""
    report: Report = {
        "treadle": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "executable": sys.executable,
        "drivers": [_driver("NVIDIA", cuda.Driver.nvidia), _driver("CPU", cuda.Driver.cpu)],
        "default_device": _default_device(),
        "compilers": [_compiler(status) for status in compiling.compiler_status()],
        "cache": _cache(),
        "environment": {
            name: value
            for name, value in sorted(os.environ.items())
            if name.startswith(("TREADLE_", "PYCUDA_")) or name == "CUDA_DEVICE"
        },
    }
    report["advice"] = _advice(report)
    return report, 1 if report["advice"] else 0


def _part_text(part: Report) -> list[str]:
    where = part.get("library") or part.get("path")
    lines = [
        f"{part['name']}: {where or 'not found'}"
        + (f", version {part['version']}" if part["version"] else "")
    ]
    if part["problem"]:
        lines.append(f"    problem: {part['problem']}")
    if part["hint"]:
        lines.append(f"    try: {part['hint']}")
    lines += [f"    tried {place}" for place in part["tried"]]
    return lines


def _device_text(device: Report) -> str:
    return (
        f"    {device['name']}: {device['target']}, compute capability "
        f"{device['compute_capability']}, {device['total_memory'] / 2**30:.1f} GiB, "
        f"{device['multiprocessors']} multiprocessors"
    )


def as_text(report: Report) -> str:
    """What the report says, as `python -m treadle doctor` prints it."""
    lines = [
        f"Treadle {report['treadle']}, Python {report['python']}, {report['platform']}",
        "",
        "Drivers",
    ]
    for driver in report["drivers"]:
        lines += ["  " + line for line in _part_text(driver)]
        lines += ["  " + _device_text(device) for device in driver["devices"]]
    default = report["default_device"]
    lines += [
        "",
        f"Default device: {default['name'] or 'none'} ({default['reason']})",
        "",
        "Compilers",
    ]
    for compiler in report["compilers"]:
        lines += ["  " + line for line in _part_text(compiler)]
    cache = report["cache"]
    lines += [
        "",
        f"Cache: {cache['folder']}, {cache['programs']} programs, {cache['bytes']} bytes"
        + ("" if cache["enabled"] else ", disabled by TREADLE_CACHE"),
    ]
    lines += [f"Set: {name}={value}" for name, value in report["environment"].items()]
    lines += ["", "Everything needed to run kernels is here." if not report["advice"] else "To do:"]
    lines += [f"  - {text}" for text in report["advice"]]
    return "\n".join(lines)


def describe_devices() -> tuple[Report, int]:
    """Every device of every driver, with all attributes the driver tells."""
    devices = []
    for provider, load in (("nvidia", cuda.Driver.nvidia), ("cpu", cuda.Driver.cpu)):
        try:
            driver = load()
            driver.initialize()
            found = driver.devices()
        except Error:
            continue  # doctor says why
        devices += [
            {"driver": provider, **_device(device), "attributes": _attributes(device)}
            for device in found
        ]
    return {"devices": devices}, 0 if devices else 1


def _attributes(device: cuda.Device) -> dict[str, int]:
    values = {}
    for name in cuda.device_attribute_names():
        try:
            values[name] = device.attribute(name)
        except Error:
            continue  # newer than the driver
    return values


def devices_as_text(report: Report) -> str:
    """What describe_devices() says, an attribute a line."""
    lines = []
    for device in report["devices"]:
        lines.append(f"{device['driver']}:")
        lines.append(_device_text(device))
        lines += [f"        {name} = {value}" for name, value in device["attributes"].items()]
    return "\n".join(lines) or "no device; `python -m treadle doctor` says why"
