# SPDX-License-Identifier: MIT
"""`python -m treadle trace`: what a trace says, as tables and as a page."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from treadle import InvalidArgument

Report = dict[str, Any]
Event = dict[str, Any]

# Of events that are work of a device, where the trace has its times.
_DEVICE_CATEGORIES = ("kernel", "copy", "fill")
_TRY = "try: make one by python -m treadle run --trace trace.json program.py"


def _refuse(path: Path, problem: str) -> InvalidArgument:
    return InvalidArgument(f"{str(path)!r} is no trace: {problem}\n{_TRY}")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == value


def read(path: Path) -> list[Event]:
    """The events of a trace: of ours, or of any in the Trace Event format. Raises OSError and
    InvalidArgument."""
    try:
        data = json.loads(path.read_bytes())
    except ValueError as error:
        raise _refuse(path, f"{error}") from None
    events = data.get("traceEvents") if isinstance(data, dict) else data
    if not isinstance(events, list):
        raise _refuse(path, 'it has no list "traceEvents"')
    for number, event in enumerate(events):
        if not isinstance(event, dict) or not isinstance(event.get("ph"), str):
            raise _refuse(path, f'event {number} has no phase "ph"')
        if event["ph"] == "X" and not all(_is_number(event.get(key)) for key in ("ts", "dur")):
            raise _refuse(path, f'event {number} has no times "ts" and "dur"')
        if not isinstance(event.get("args", {}), dict):
            raise _refuse(path, f'"args" of event {number} is no object')
    return events


class Trace:
    """The events that have a duration, and who they belong to."""

    def __init__(self, events: Iterable[Event]) -> None:
        self.spans: list[Event] = []
        self.processes: dict[Any, str] = {}
        self.threads: dict[tuple[Any, Any], str] = {}
        self.ranks: dict[Any, int] = {}
        for event in events:
            arguments = event.get("args", {})
            track = event.get("pid"), event.get("tid")
            if event["ph"] == "X":
                self.spans.append(event)
            elif event["ph"] == "M" and event.get("name") == "process_name":
                self.processes[track[0]] = str(arguments.get("name"))
            elif event["ph"] == "M" and event.get("name") == "thread_name":
                self.threads[track] = str(arguments.get("name"))
            elif event["ph"] == "M" and event.get("name") == "process_sort_index":
                self.ranks[track[0]] = arguments.get("sort_index", 0)
        self.spans.sort(key=lambda event: event["ts"])

    def is_device(self, process: Any) -> bool:
        return self.ranks.get(process, 0) > 0

    def work(self) -> list[Event]:
        """What devices did; calls of the host are among them where no device tells its times."""
        return [
            event
            for event in self.spans
            if event.get("cat") in _DEVICE_CATEGORIES and self.is_device(event.get("pid"))
        ]

    def of(self, *categories: str) -> list[Event]:
        return [event for event in self.spans if event.get("cat") in categories]


def _groups(events: Iterable[Event], key: Callable[[Event], Any]) -> dict[Any, list[Event]]:
    groups: dict[Any, list[Event]] = {}
    for event in events:
        groups.setdefault(key(event), []).append(event)
    return groups


def _total(events: Iterable[Event]) -> float:
    return float(sum(event["dur"] for event in events))


def _covered(events: Iterable[Event]) -> float:
    """Microseconds in which at least one of the events lasts."""
    covered, end = 0.0, float("-inf")
    for event in sorted(events, key=lambda event: event["ts"]):
        stop = event["ts"] + event["dur"]
        covered += max(0.0, stop - max(end, event["ts"]))
        end = max(end, stop)
    return covered


def _devices(trace: Trace) -> list[Report]:
    rows = []
    gaps = _groups(trace.of("gap"), lambda event: event.get("pid"))
    for process, events in _groups(trace.work(), lambda event: event.get("pid")).items():
        first = min(event["ts"] for event in events)
        last = max(event["ts"] + event["dur"] for event in events)
        rows.append(
            {
                "device": trace.processes.get(process, str(process)),
                "from first to last (ms)": (last - first) / 1e3,
                "busy (ms)": _covered(events) / 1e3,
                "busy (%)": 100 * _covered(events) / (last - first) if last > first else 100.0,
                "waits for the host (ms)": _total(gaps.get(process, [])) / 1e3,
                "gaps": len(gaps.get(process, [])),
            }
        )
    return rows


def _kernels(trace: Trace) -> list[Report]:
    work = [event for event in trace.work() if event.get("cat") == "kernel"]
    everything = _total(work)
    rows = []
    for (name, process), events in _groups(work, lambda e: (e["name"], e.get("pid"))).items():
        times = [event["dur"] for event in events]
        rows.append(
            {
                "kernel": name,
                "device": trace.processes.get(process, str(process)),
                "launches": len(events),
                "total (ms)": sum(times) / 1e3,
                "share (%)": 100 * sum(times) / everything if everything else 0.0,
                "mean (us)": sum(times) / len(times),
                "least (us)": min(times),
                "most (us)": max(times),
            }
        )
    return sorted(rows, key=lambda row: -row["total (ms)"])


def _copies(trace: Trace) -> list[Report]:
    work = [event for event in trace.work() if event.get("cat") in ("copy", "fill")]
    rows = []
    for (name, process), events in _groups(work, lambda e: (e["name"], e.get("pid"))).items():
        size = sum(event.get("args", {}).get("bytes", 0) for event in events)
        microseconds = _total(events)
        rows.append(
            {
                "copy": name,
                "device": trace.processes.get(process, str(process)),
                "times": len(events),
                "bytes": size,
                "total (ms)": microseconds / 1e3,
                "GB/s": size / microseconds / 1e3 if microseconds else 0.0,
            }
        )
    return sorted(rows, key=lambda row: -row["total (ms)"])


def _compiles(trace: Trace) -> list[Report]:
    def text(event: Event) -> tuple[str, ...]:
        told = event.get("args", {})
        name = str(event["name"]).removeprefix("compile ").removeprefix("cache hit ")
        return name, *(str(told.get(key, "")) for key in ("kernels", "target", "outcome"))

    rows = []
    for key, events in _groups(trace.of("compile", "hit"), text).items():
        columns = dict(zip(("text", "kernels", "target", "outcome"), key, strict=True))
        rows.append({**columns, "times": len(events), "total (ms)": _total(events) / 1e3})
    return sorted(rows, key=lambda row: -row["total (ms)"])


def _host(trace: Trace) -> list[Report]:
    events = [event for event in trace.spans if not trace.is_device(event.get("pid"))]
    kinds = ("launch", "copy", "fill", "wait", "memory", "load", "range")
    rows = []
    chosen = [event for event in events if event.get("cat") in kinds]
    # The names of launches are those of kernels, which have their own table.
    for name, group in _groups(
        chosen, lambda e: "launch" if e["cat"] == "launch" else e["name"]
    ).items():
        rows.append(
            {
                "call": name,
                "times": len(group),
                "total (ms)": _total(group) / 1e3,
                "mean (us)": _total(group) / len(group),
                "most (us)": max(event["dur"] for event in group),
            }
        )
    return sorted(rows, key=lambda row: -row["total (ms)"])


def _gaps(trace: Trace) -> list[Report]:
    rows = []
    for before, events in _groups(
        trace.of("gap"), lambda event: event.get("args", {}).get("before", "")
    ).items():
        rows.append(
            {
                "before": before,
                "gaps": len(events),
                "total (ms)": _total(events) / 1e3,
                "mean (us)": _total(events) / len(events),
                "most (us)": max(event["dur"] for event in events),
            }
        )
    return sorted(rows, key=lambda row: -row["total (ms)"])


TABLES = {
    "Devices": _devices,
    "Kernels": _kernels,
    "Copies and fills": _copies,
    "Compiles": _compiles,
    "Calls of the host": _host,
    "Times in which a device waits for the host": _gaps,
}


def tables(trace: Trace) -> dict[str, list[Report]]:
    return {title: make(trace) for title, make in TABLES.items()}


def cell(value: Any) -> str:
    text = f"{value:,.3f}" if isinstance(value, float) else str(value)
    return text if len(text) <= 48 else text[:45] + "..."


def as_text(report: dict[str, list[Report]]) -> str:
    lines: list[str] = []
    for title, rows in report.items():
        lines += ["", title] if lines else [title]
        if not rows:
            lines.append("  none")
            continue
        cells = [list(rows[0]), *([cell(value) for value in row.values()] for row in rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        is_number = [not isinstance(value, str) for value in rows[0].values()]
        for row in cells:
            words = (
                word.rjust(width) if right else word.ljust(width)
                for word, width, right in zip(row, widths, is_number, strict=True)
            )
            lines.append(("  " + "  ".join(words)).rstrip())
    return "\n".join(lines)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("trace", type=Path, help="a file that run --trace or TREADLE_TRACE made")
    parser.add_argument("--html", type=Path, metavar="PAGE", help="write a page with a timeline")
    parser.add_argument("--json", action="store_true", help="the tables, machine-readable")


def report(options: argparse.Namespace) -> dict[str, list[Report]]:
    """The tables; the page is written, if one is asked for. Raises OSError, InvalidArgument."""
    trace = Trace(read(options.trace))
    found = tables(trace)
    if options.html is not None:
        from treadle import _trace_page  # late: nobody else needs it

        options.html.write_text(
            _trace_page.page(trace, found, options.trace.name), encoding="utf-8"
        )
    return found
