# SPDX-License-Identifier: MIT
"""`python -m treadle doctor | info`: what this machine has, and what would help."""

from __future__ import annotations

import os
import platform
import sys
from typing import Any

import treadle
from treadle import Error, LibraryNotFound, __version__, cuda, pyopencl
from treadle import compile as compiling
from treadle._core.device import opencl_library, opencl_vendor_files

Report = dict[str, Any]


def _device(device: cuda.Device) -> Report:
    return {
        "name": device.name,
        "target": device.target,
        "compute_capability": str(device.compute_capability),
        "total_memory": device.total_memory,
        "multiprocessors": device.attribute(cuda.DeviceAttribute.multiprocessor_count),
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


def _opencl_device(device: pyopencl.Device) -> Report:
    return {
        "name": device.name,
        "version": device.version,
        "driver_version": device.driver_version,
        "type": pyopencl.device_type.to_string(device.type),
        "total_memory": device.global_mem_size,
        "compute_units": device.max_compute_units,
    }


def _opencl_platform(platform: pyopencl.Platform) -> Report:
    report: Report = {
        "name": platform.name,
        "vendor": platform.vendor,
        "version": platform.version,
        "devices": [],
        "problem": None,
    }
    try:
        report["devices"] = [_opencl_device(device) for device in platform.get_devices()]
    except Error as error:
        report["problem"] = error.message
    return report


def _opencl() -> Report:
    """The loader, the files that name platforms to it, and the platforms."""
    report: Report = {
        "library": None,
        "tried": [],
        "vendor_files": opencl_vendor_files(),
        "platforms": [],
        "problem": None,
        "hint": None,
    }
    try:
        report["library"] = str(opencl_library())
        report["platforms"] = [_opencl_platform(p) for p in pyopencl.get_platforms()]
        if not any(platform["devices"] for platform in report["platforms"]):
            report["problem"] = "no platform has a device"
    except LibraryNotFound as error:
        report.update(
            problem=f"{error.library} was not found", tried=list(error.tried), hint=error.hint
        )
    except Error as error:
        report.update(problem=error.message.split("\n")[0], hint=error.hint)
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
        device = treadle.default_device()
        chosen = treadle.settings().device
        reason = f"TREADLE_DEVICE={chosen}" if chosen else "the best there is"
        return {"id": device.id, "name": device.name, "reason": reason}
    except Error as error:
        return {"id": None, "name": None, "reason": error.message, "hint": error.hint}


def _advice(report: Report) -> list[str]:
    """What keeps kernels from running, each with the one thing to do."""
    advice = []
    nvidia, cpu = report["drivers"]
    compilers = {c["name"]: c for c in report["compilers"]}
    opencl_devices = [d for p in report["opencl"]["platforms"] for d in p["devices"]]
    no_device = not (nvidia["devices"] or cpu["devices"] or opencl_devices)
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
        "opencl": _opencl(),
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


def _opencl_text(opencl: Report) -> list[str]:
    lines = _part_text({"name": "OpenCL loader", "version": None, **opencl})
    lines += [f"    looked at {place}" for place in opencl["vendor_files"]]
    for found in opencl["platforms"]:
        lines.append(f"    {found['name']}: {found['version']}")
        if found["problem"]:
            lines.append(f"        problem: {found['problem']}")
        lines += ["    " + _opencl_device_text(device) for device in found["devices"]]
    return lines


def _opencl_device_text(device: Report) -> str:
    return (
        f"    {device['name']}: {device['type']}, {device['version']}, driver "
        f"{device['driver_version']}, {device['total_memory'] / 2**30:.1f} GiB, "
        f"{device['compute_units']} compute units"
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
    lines += ["  " + line for line in _opencl_text(report["opencl"])]
    default = report["default_device"]
    name = f"{default['id']}, {default['name']}" if default["id"] else "none"
    lines += [
        "",
        f"Default device: {name} ({default['reason']})",
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
    opencl_devices = _describe_opencl_devices()
    report = {"devices": devices, "opencl_devices": opencl_devices}
    return report, 0 if devices or opencl_devices else 1


def _describe_opencl_devices() -> list[Report]:
    found = []
    try:
        for platform in pyopencl.get_platforms():
            found += [
                {
                    "platform": platform.name,
                    **_opencl_device(device),
                    "attributes": _opencl_attributes(device),
                }
                for device in platform.get_devices()
            ]
    except Error:
        pass  # doctor says why
    return found


def _opencl_attributes(device: pyopencl.Device) -> Report:
    values = {}
    for name, parameter in vars(pyopencl.device_info).items():
        if not name.isupper():
            continue
        try:
            value = device.get_info(parameter)
        except Error:
            continue  # newer than the platform
        if isinstance(value, int | str | list):
            values[name] = value if not isinstance(value, list) else [str(part) for part in value]
    return values


def _attributes(device: cuda.Device) -> dict[str, int]:
    values = {}
    for attribute in cuda.DeviceAttribute:
        try:
            values[attribute.name.upper()] = device.attribute(attribute)
        except Error:
            continue  # newer than the driver
    return values


def _attribute_text(device: Report) -> list[str]:
    return [f"        {name} = {value}" for name, value in device["attributes"].items()]


def devices_as_text(report: Report) -> str:
    """What describe_devices() says, an attribute a line."""
    lines = []
    for device in report["devices"]:
        lines.append(f"{device['driver']}:")
        lines.append(_device_text(device))
        lines += _attribute_text(device)
    for device in report["opencl_devices"]:
        lines.append(f"{device['platform']}:")
        lines.append(_opencl_device_text(device))
        lines += _attribute_text(device)
    return "\n".join(lines) or "no device; `python -m treadle doctor` says why"
