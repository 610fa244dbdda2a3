# SPDX-License-Identifier: MIT
"""`python -m treadle cache stat|ls|verify|clear`."""

from __future__ import annotations

from typing import Any

from treadle import compile as compiling

Report = dict[str, Any]


def _stat(folder: str | None) -> tuple[Report, int]:
    state = compiling.cache_state(folder)
    names = ("enabled", "exists", "problem", "programs", "manifests", "bytes", "max_bytes")
    report = {"folder": str(state.folder), **{name: getattr(state, name) for name in names}}
    return report, 1 if state.problem else 0


def _stat_text(report: Report) -> str:
    lines = [
        f"folder     {report['folder']}{'' if report['exists'] else ' (not there yet)'}",
        f"programs   {report['programs']}",
        f"manifests  {report['manifests']}",
        f"size       {report['bytes']} of {report['max_bytes']} bytes",
    ]
    if not report["enabled"]:
        lines.append("disabled by TREADLE_CACHE")
    if report["problem"]:
        lines.append(f"problem    {report['problem']}")
    return "\n".join(lines)


def _ls(folder: str | None) -> tuple[Report, int]:
    entries = [
        {
            "name": e.name,
            "kind": "manifest" if e.is_manifest else "program",
            "damaged": e.damaged,
            "bytes": e.bytes,
            "last_used": e.last_used.isoformat(timespec="seconds"),
            "target": e.target,
            "source_name": e.source_name,
            "compiler": e.compiler,
            "image_bytes": e.image_bytes,
        }
        for e in compiling.list_cache(folder)
    ]
    return {"entries": entries}, 0


def _ls_text(report: Report) -> str:
    lines = [
        f"{e['last_used']}  {e['bytes']:>9}  {e['kind']:<8}  {e['target']:<12}  "
        f"{e['source_name']}  {e['name']}{'  DAMAGED' if e['damaged'] else ''}"
        for e in report["entries"]
    ]
    return "\n".join(lines) or "the cache is empty"


def _verify(folder: str | None) -> tuple[Report, int]:
    check = compiling.verify_cache(folder)
    return {"sound": check.sound, "damaged": list(check.damaged)}, 1 if check.damaged else 0


def _verify_text(report: Report) -> str:
    lines = [f"{report['sound']} entries are sound"]
    lines += [f"damaged, deleted: {name}" for name in report["damaged"]]
    return "\n".join(lines)


def _clear(folder: str | None) -> tuple[Report, int]:
    return {"freed_bytes": compiling.clear_cache(folder)}, 0


def _clear_text(report: Report) -> str:
    return f"{report['freed_bytes']} bytes freed"


ACTIONS = {
    "stat": (_stat, _stat_text),
    "ls": (_ls, _ls_text),
    "verify": (_verify, _verify_text),
    "clear": (_clear, _clear_text),
}
