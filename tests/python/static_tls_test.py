# SPDX-License-Identifier: MIT
"""What libraries that are opened late may ask of the C library."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

LIBRARIES = pathlib.Path(os.environ.get("TREADLE_LIBRARY_DIR", "build/lib"))


@pytest.mark.parametrize(("name", "most"), [("libtreadle_clang.so", 0), ("libtreadle_cpu.so", 512)])
def test_the_block_of_static_thread_local_data_is_left_to_others(name, most):
    """glibc keeps 1,664 bytes for all of them: with scikit-learn's libraries in the process there
    was no room for LLVM's, although one variable alone wanted to be there."""
    if not (library := LIBRARIES / name).exists() or not shutil.which("readelf"):
        pytest.skip(f"no {library}, or no readelf")
    words = ["readelf", "-lWd", library]
    told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    size = re.search(r"^ *TLS +\S+ \S+ \S+ \S+ (0x[0-9a-f]+)", told, re.MULTILINE)
    is_static = "STATIC_TLS" in told
    assert (int(size[1], 16) if size and is_static else 0) <= most
