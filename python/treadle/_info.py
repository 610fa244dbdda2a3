# SPDX-License-Identifier: MIT
"""`treadle info`: what this machine has, what is missing, and what mends it."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from typing import Any

import treadle
from treadle import Error, LibraryNotFound, __version__, cuda, pyopencl, tune
from treadle import compile as compiling
from treadle._core.device import opencl_library, opencl_vendor_files
from treadle._core.library import LibraryStatus, library_status

Report = dict[str, Any]

# What not every driver has, each with an entry point that comes with it.
_FAMILIES = {
    "clusters": "cuOccupancyMaxActiveClusters",
    "green contexts": "cuGreenCtxCreate",
    "tensor maps": "cuTensorMapEncodeTiled",
    "multicast objects": "cuMulticastGetGranularity",
    "sparse arrays": "cuArrayGetSparseProperties",
    "external memory and semaphores": "cuImportExternalMemory",
    "memory pools shared between processes": "cuMemPoolExportToShareableHandle",
    "OpenGL": "cuGraphicsGLRegisterBuffer",
    "memory budgets": "cuDeviceRegisterAsyncNotification",
    "logs of the driver": "cuLogsRegisterCallback",
    "coredumps": "cuCoredumpGetAttributeGlobal",
    "checkpoints": "cuCheckpointProcessGetState",
}


def _lacks(library: str) -> list[str]:
    """The families that a driver does not export."""
    exported = ctypes.CDLL(library)  # loaded already
    return [family for family, name in _FAMILIES.items() if not hasattr(exported, name)]


def _device(device: cuda.Device) -> Report:
    return {
        "name": device.name,
        "target": device.target,
        "compute_capability": str(device.compute_capability),
        "total_memory": device.total_memory,
        "multiprocessors": device.attribute(cuda.DeviceAttribute.multiprocessor_count),
        "attributes": _attributes(device),
    }


def _attributes(device: cuda.Device) -> dict[str, int]:
    values = {}
    for attribute in cuda.DeviceAttribute:
        try:
            values[attribute.name.upper()] = device.attribute(attribute)
        except Error:
            continue  # newer than the driver
    return values


def _driver(name: str, load: Any) -> Report:
    report: Report = {
        "name": name,
        "library": None,
        "version": None,
        "devices": [],
        "lacks": [],
        "tried": [],
        "problem": None,
        "hint": None,
    }
    try:
        driver = load()
        report["library"] = str(driver.library)
        report["version"] = driver.version()
        report["lacks"] = _lacks(report["library"])
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
        "attributes": _opencl_attributes(device),
    }


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


# Libraries that are measured against generated kernels, and under which names the tuner's store
# keeps the times.
_MEASURED = {"cufft": "fft by cufft", "clblast": "product by clblast"}


def _measured(setting: str) -> str | None:
    """For how many classes of problems a library was measured, and was the faster one."""
    if setting not in _MEASURED or not (compiling.cache_state().folder / "tuning.db").exists():
        return None
    kernel, store = _MEASURED[setting], tune.Store.of_user()
    classes = [store.attempts(key) for key in store.keys(kernel)]
    taken = sum(a.measured.won and a.values["way"] == setting for one in classes for a in one)
    return (
        f"measured for {len(classes)} classes of problems, taken for {taken}: "
        f"treadle tune ls '{kernel}'"
    )


def _library(status: LibraryStatus) -> Report:
    return {
        "measured": _measured(status.name),
        "name": status.title,
        "setting": status.name,
        "path": str(status.path) if status.path.name else None,
        "version": None,
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
        return {"id": device.id, "name": device.name, "reason": reason, "hint": None}
    except Error as error:
        return {"id": None, "name": None, "reason": error.message, "hint": error.hint}


def _devices() -> list[Report]:
    """Every device that programs can choose, the best first."""
    return [
        {
            "id": device.id,
            "name": device.name,
            "runtime": device.runtime,
            "kind": device.kind,
            "memory_bytes": device.memory_bytes,
        }
        for device in treadle.devices()
    ]


def _missing(report: Report) -> list[Report]:
    """What is not here, each with the one thing to do; `needed`: kernels do not run without it."""
    found = []

    def add(name: str, part: Report, needed: bool) -> None:
        found.append(
            {"name": name, "problem": part["problem"], "hint": part["hint"], "needed": needed}
        )

    nvidia, cpu = report["drivers"]
    opencl = report["opencl"]
    compilers = {c["name"]: c for c in report["compilers"]}
    for driver, compiler in ((nvidia, "NVRTC"), (cpu, "CPU compiler")):
        part = compilers.get(compiler)
        if driver["devices"] and part is not None and part["problem"]:
            add(compiler, part, needed=True)
    for library in report["libraries"]:
        is_of_nvidia = library["setting"].startswith("cu")
        if library["problem"] and (nvidia["devices"] or not is_of_nvidia):
            add(library["name"], library, needed=False)
    default = report["default_device"]
    if default["id"] is None and report["devices"]:
        add("the chosen device", {"problem": default["reason"], "hint": default["hint"]}, True)
    if report["cache"]["problem"]:
        add("disk cache", {**report["cache"], "hint": None}, needed=True)
    for name, part in (("CPU device", cpu), ("NVIDIA driver", nvidia), ("OpenCL", opencl)):
        if part["problem"]:
            add(name, part, needed=not report["devices"] and part is cpu)
    return found


def examine() -> tuple[Report, int]:
    """The whole state; status 1 if something keeps kernels from running."""
    report: Report = {
        "treadle": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "executable": sys.executable,
        "devices": _devices(),
        "default_device": _default_device(),
        "drivers": [_driver("NVIDIA", cuda.Driver.nvidia), _driver("CPU", cuda.Driver.cpu)],
        "opencl": _opencl(),
        "compilers": [_compiler(status) for status in compiling.compiler_status()],
        "libraries": [_library(status) for status in library_status()],
        "cache": _cache(),
        "environment": {
            name: value
            for name, value in sorted(os.environ.items())
            if name.startswith(("TREADLE_", "PYCUDA_")) or name == "CUDA_DEVICE"
        },
    }
    report["missing"] = _missing(report)
    return report, 1 if any(part["needed"] for part in report["missing"]) else 0


def _size(number: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.4g} {unit}"
        number /= 1024
    return f"{number:.1f} GiB"


def _devices_text(report: Report) -> list[str]:
    """A line for each device; the default one is marked."""
    default = report["default_device"]
    rows = [
        (
            f"{'*' if device['id'] == default['id'] else ' '} {device['id']}",
            device["name"],
            _size(device["memory_bytes"]),
            device["runtime"].split("  ")[0],  # PoCL goes on with how it was built
        )
        for device in report["devices"]
    ]
    if not rows:
        return ["  none"]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        f"{row[0]:{widths[0]}}  {row[1]:{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}"
        for row in rows
    ]
    if default["id"]:
        lines.append(f"  * the default: {default['reason']}")
    return lines


def _missing_text(missing: list[Report]) -> list[str]:
    lines = []
    for part in missing:
        lines.append(f"  {part['name']}: {part['problem']}")
        if part["hint"]:
            lines.append(f"      {part['hint']}")
    return lines


def _verdict(report: Report) -> list[str]:
    """What is missing: first what kernels need, then what they can do without."""
    needed = [part for part in report["missing"] if part["needed"]]
    other = [part for part in report["missing"] if not part["needed"]]
    lines = []
    if needed:
        lines += ["Missing, and needed to run kernels", *_missing_text(needed)]
    if other:
        lines += ["Missing, for more devices", *_missing_text(other)]
    return lines or ["Nothing is missing."]


def _lacks_text(report: Report) -> list[str]:
    """What programs for a GPU may ask of the CPU device in vain."""
    cpu = report["drivers"][1]
    if not cpu["devices"]:
        return []
    return [
        "Not on the CPU device: kernels that launch kernels, " + ", ".join(cpu["lacks"]),
        "    docs/cpu-device.md has more; a call that needs one says so",
    ]


def _cache_text(cache: Report) -> str:
    return (
        f"Cache: {cache['folder']}, {cache['programs']} programs, {_size(cache['bytes'])}"
        f" of at most {_size(cache['max_bytes'])}"
        + ("" if cache["enabled"] else ", disabled by TREADLE_CACHE")
    )


def short_text(report: Report) -> str:
    """One page: devices, compilers, cache, what is missing."""
    compilers = [
        f"{part['name']} {part['version'] or ''}".strip()
        for part in report["compilers"]
        if part["path"]
    ]
    lines = [
        f"Treadle {report['treadle']}, Python {report['python']}",
        "",
        "Devices",
        *_devices_text(report),
        "",
        f"Compilers: {', '.join(compilers) or 'none'}",
        _cache_text(report["cache"]),
        *_lacks_text(report),
        "",
        *_verdict(report),
        "",
        "--all shows every place that was looked at and every attribute of the devices.",
    ]
    return "\n".join(lines)


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
    if part.get("measured"):
        lines.append(f"    {part['measured']}")
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
        for device in found["devices"]:
            lines += ["    " + _opencl_device_text(device), *_attribute_text(device)]
    return lines


def _opencl_device_text(device: Report) -> str:
    return (
        f"    {device['name']}: {device['type']}, {device['version']}, driver "
        f"{device['driver_version']}, {device['total_memory'] / 2**30:.1f} GiB, "
        f"{device['compute_units']} compute units"
    )


def full_text(report: Report) -> str:
    """Everything the report says; what is missing stands last."""
    default = report["default_device"]
    lines = [
        f"Treadle {report['treadle']}, Python {report['python']}, {report['platform']}",
        f"Interpreter: {report['executable']}",
        "",
        "Devices",
        *_devices_text(report),
        "",
        "Drivers",
    ]
    for driver in report["drivers"]:
        lines += ["  " + line for line in _part_text(driver)]
        if driver["lacks"]:
            lines.append(f"      has no {', '.join(driver['lacks'])}")
        for device in driver["devices"]:
            lines += ["  " + _device_text(device), *_attribute_text(device)]
    lines += ["  " + line for line in _opencl_text(report["opencl"])]
    name = f"{default['id']}, {default['name']}" if default["id"] else "none"
    lines += ["", f"Default device: {name} ({default['reason']})", "", "Compilers"]
    for compiler in report["compilers"]:
        lines += ["  " + line for line in _part_text(compiler)]
    lines += ["", "Libraries of others, opened when they are first used"]
    for library in report["libraries"]:
        lines += ["  " + line for line in _part_text(library)]
    lines += ["", _cache_text(report["cache"]), *_lacks_text(report)]
    lines += [f"Set: {name}={value}" for name, value in report["environment"].items()]
    return "\n".join([*lines, "", *_verdict(report)])


def _attribute_text(device: Report) -> list[str]:
    return [f"        {name} = {value}" for name, value in device["attributes"].items()]
