# SPDX-License-Identifier: MIT
"""`python -m treadle cache stat|ls|verify|prune|explain-miss|clear`."""

from __future__ import annotations

import argparse
from typing import Any

from treadle import compile as compiling

Report = dict[str, Any]

COUNTS = ("programs", "manifests", "debug_files")


def _state(state: compiling.CacheState) -> Report:
    names = ("enabled", "exists", "problem", *COUNTS, "bytes", "debug_bytes", "max_bytes")
    return {"folder": str(state.folder), **{name: getattr(state, name) for name in names}}


def _stat(options: argparse.Namespace) -> tuple[Report, int]:
    report = _state(compiling.cache_state(options.folder))
    report["shared"] = [_state(state) for state in compiling.shared_cache_states()]
    has_problem = report["problem"] or any(shared["problem"] for shared in report["shared"])
    return report, 1 if has_problem else 0


def _stat_text(report: Report) -> str:
    lines = [
        f"folder     {report['folder']}{'' if report['exists'] else ' (not there yet)'}",
        f"programs   {report['programs']}",
        f"manifests  {report['manifests']}",
        f"size       {report['bytes']} of {report['max_bytes']} bytes",
        f"debugging  {report['debug_files']} files, {report['debug_bytes']} bytes",
    ]
    if not report["enabled"]:
        lines.append("disabled by TREADLE_CACHE")
    if report["problem"]:
        lines.append(f"problem    {report['problem']}")
    for shared in report["shared"]:
        lines.append(
            f"shared     {shared['folder']}: {shared['programs']} programs, "
            f"{shared['manifests']} manifests, {shared['bytes']} bytes, read only"
        )
        if shared["problem"]:
            lines.append(f"problem    {shared['problem']}")
    return "\n".join(lines)


def _ls(options: argparse.Namespace) -> tuple[Report, int]:
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
        for e in compiling.list_cache(options.folder)
    ]
    return {"entries": entries}, 0


def _ls_text(report: Report) -> str:
    lines = [
        f"{e['last_used']}  {e['bytes']:>9}  {e['kind']:<8}  {e['target']:<12}  "
        f"{e['source_name']}  {e['name']}{'  DAMAGED' if e['damaged'] else ''}"
        for e in report["entries"]
    ]
    return "\n".join(lines) or "the cache is empty"


def _verify(options: argparse.Namespace) -> tuple[Report, int]:
    check = compiling.verify_cache(options.folder)
    return {"sound": check.sound, "damaged": list(check.damaged)}, 1 if check.damaged else 0


def _verify_text(report: Report) -> str:
    lines = [f"{report['sound']} entries are sound"]
    lines += [f"damaged, deleted: {name}" for name in report["damaged"]]
    return "\n".join(lines)


def _clear(options: argparse.Namespace) -> tuple[Report, int]:
    before = compiling.cache_state(options.folder)
    counts = {name: getattr(before, name) for name in (*COUNTS, "debug_bytes")}
    return {"freed_bytes": compiling.clear_cache(options.folder), **counts}, 0


def _clear_text(report: Report) -> str:
    return (
        f"{report['freed_bytes']} bytes freed: {report['programs']} programs, "
        f"{report['manifests']} manifests, {report['debug_files']} files for debuggers "
        f"({report['debug_bytes']} bytes)"
    )


def _prune(options: argparse.Namespace) -> tuple[Report, int]:
    limit = options.max_bytes
    if limit is None:
        limit = compiling.cache_state(options.folder).max_bytes
    return {"left_bytes": compiling.prune_cache(limit, options.folder), "max_bytes": limit}, 0


def _prune_text(report: Report) -> str:
    return f"{report['left_bytes']} of at most {report['max_bytes']} bytes are left"


def _explain_miss(options: argparse.Namespace) -> tuple[Report, int]:
    miss = compiling.explain_miss(options.entry, options.folder)
    differences = [
        {"field": d.field, "before": d.before, "after": d.after} for d in miss.differences
    ]
    return {"entry": miss.entry, "nearest": miss.nearest, "differences": differences}, 0


def _explain_miss_text(report: Report) -> str:
    if not report["nearest"]:
        return f"{report['entry']}: nothing in the cache is like it"
    lines = [f"{report['entry']} differs from {report['nearest']} in"]
    for d in report["differences"]:
        lines += [f"  {d['field']}", f"    before  {d['before']}", f"    after   {d['after']}"]
    return "\n".join(lines)


# Name: what it does, how its report is shown to people, and its help.
ACTIONS = {
    "stat": (_stat, _stat_text, "where it is, how much is in it, what is wrong with it"),
    "ls": (_ls, _ls_text, "every entry, the most recently used first"),
    "verify": (_verify, _verify_text, "read every entry, delete the damaged ones"),
    "prune": (_prune, _prune_text, "delete the least recently used entries"),
    "explain-miss": (_explain_miss, _explain_miss_text, "why a kernel was compiled again"),
    "clear": (_clear, _clear_text, "delete every entry and the files for debuggers"),
}
