# SPDX-License-Identifier: MIT
"""The corpus of the fuzz tests is of this version: else inputs are refused and test nothing."""

import pathlib
import re
import struct

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_modules_of_the_corpus_have_the_version_of_modules():
    header = (ROOT / "src/base/cpu_module_header.hpp").read_text()
    version = int(re.search(r"module_abi_version = (\d+);", header)[1])
    corpus = ROOT / "tests/fuzz/corpus/module_image"
    for name, place in (("descriptor", 0), ("header", 8)):
        found = struct.unpack_from("<I", (corpus / name).read_bytes(), place)[0]
        assert found == version, f"write {version} into word {place // 4} of {corpus / name}"
