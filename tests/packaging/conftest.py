# SPDX-License-Identifier: MIT
"""Where the packaging tests find the build they install from."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def source() -> pathlib.Path:
    return ROOT


@pytest.fixture(scope="session")
def build() -> pathlib.Path:
    folder = ROOT / "build"
    if not (folder / "CMakeCache.txt").exists():
        pytest.skip("no build folder: make build")
    return folder


@pytest.fixture
def clean_environment(tmp_path) -> dict[str, str]:
    """Nothing of this tree by environment variables; a cache folder of its own."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("TREADLE_", "PYTHON"))}
    return {**kept, "TREADLE_CACHE_DIR": str(tmp_path / "cache"), "TREADLE_TEST_LEAKS": "1"}


@pytest.fixture
def run():
    """Runs a command; its output, which a failure shows whole."""

    def run(*command, **options) -> str:
        words = [str(word) for word in command]
        done = subprocess.run(
            words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options
        )
        assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}"
        assert "nanobind: leaked" not in done.stdout, done.stdout
        return done.stdout

    return run
