# SPDX-License-Identifier: MIT
"""`make demo`: runs each Python example in two processes and prints what the cache did.

The first process of each script starts from an empty cache and compiles; the second finds
everything on disk. Fails if a check fails, or if a second process had to compile or spent more
than SECOND_PROCESS_LIMIT_MS on look-ups (the machine may be busy: it is tried again for a while).
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

FOLDER = pathlib.Path(__file__).resolve().parent / "python"
SCRIPTS = (
    "double_array.py",
    "double_array_paper.py",
    "pooled_memory.py",
    "tiled_product.py",
    "vector_add_templates.py",
)
SECOND_PROCESS_LIMIT_MS = 5.0
SECOND_PROCESS_TRIES_S = 60


class DemoFailed(Exception):
    """A script ended with an error; its output was printed."""


def run_script(name, environment):
    """Runs one example under `python -m treadle run --stats`: (its output, the counters)."""
    command = [sys.executable, "-m", "treadle", "run", "--stats", str(FOLDER / name)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    output = result.stdout + result.stderr
    if result.returncode != 0:
        raise DemoFailed(f"{name} ended with status {result.returncode}\n{output}")
    if "nanobind: leaked" in output:
        raise DemoFailed(f"{name} left objects behind\n{output}")
    return result.stdout, read_counters(result.stderr)


def read_counters(text):
    """The last line of `text` that is a JSON object: what `--stats` prints at exit."""
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            return json.loads(line)
    raise DemoFailed(f"no line of counters in:\n{text}")


def compile_ms(counters):
    """Everything a process spent on having its kernels compiled, look-ups included."""
    return 1e3 * (counters["compile_seconds"] + counters["lookup_seconds"])


def describe(counters):
    hits = counters["disk_hits"] + counters["memory_hits"]
    return (
        f"{counters['misses']} cache misses, {hits} hits, "
        f"compile time in all {compile_ms(counters):.3f} ms"
    )


def demonstrate(name, environment):
    """Runs `name` cold, then warm; raises DemoFailed unless the warm one needs no compiler."""
    print(f"== {name}")
    output, counters = run_script(name, environment)
    print(output, end="")
    print(f"first process:  {describe(counters)}")
    warm = run_warm(name, environment)
    print(f"second process: {describe(warm)}\n", flush=True)
    if warm["misses"]:
        raise DemoFailed(f"the second process of {name} compiled again")
    if compile_ms(warm) > SECOND_PROCESS_LIMIT_MS:
        raise DemoFailed(f"the second process of {name} took over {SECOND_PROCESS_LIMIT_MS} ms")


def run_warm(name, environment):
    """Counters of a process that finds its kernels on disk: the first in the limit, or the best."""
    tries: list[dict] = []
    end = time.monotonic() + SECOND_PROCESS_TRIES_S
    while not tries or time.monotonic() < end:
        tries.append(run_script(name, environment)[1])
        if tries[-1]["misses"] or compile_ms(tries[-1]) <= SECOND_PROCESS_LIMIT_MS:
            return tries[-1]
    return min(tries, key=compile_ms)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scripts", nargs="*", default=SCRIPTS, help="default: all examples")
    parser.add_argument(
        "--cache-dir", help="cache folder to use; default: an empty one, removed at the end"
    )
    arguments = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="treadle-demo-") as scratch:
        environment = dict(os.environ, TREADLE_CACHE_DIR=arguments.cache_dir or scratch)
        try:
            for name in arguments.scripts:
                demonstrate(name, environment)
        except DemoFailed as failure:
            print(f"demo failed: {failure}", file=sys.stderr)
            return 1
    print("demo passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
