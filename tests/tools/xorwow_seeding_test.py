# SPDX-License-Identifier: MIT
"""tools/xorwow_seeding.py finds the constants that a generator spreads its seed with."""

import importlib.util
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
specification = importlib.util.spec_from_file_location("seeding", ROOT / "tools/xorwow_seeding.py")
tool = importlib.util.module_from_spec(specification)
specification.loader.exec_module(tool)

KEYS = {"low": (0x12345678, 0x9E3779B1), "high": (0xFEDCBA98, 0x85EBCA6B)}


def draw(seed, keys):
    low, high = (
        ((half ^ key) * factor) & tool.MASK
        for half, (key, factor) in zip((seed & tool.MASK, seed >> 32), keys.values(), strict=True)
    )
    w = tool.WORDS
    words = [w[0] + low, w[1] ^ low, w[2] + high, w[3] ^ high, w[4] + low]
    counter = (tool.COUNTER + low + high) & tool.MASK
    return tool.draws_from([word & tool.MASK for word in words], counter)


def test_any_keys_are_found_from_the_draws_alone():
    assert tool.seeding(lambda seed: draw(seed, KEYS)) == KEYS


def test_what_is_no_xorwow_is_refused():
    with pytest.raises(ValueError, match="no draws of XORWOW"):
        tool.first_state([n * n & tool.MASK for n in range(tool.DRAWS)])


def test_the_header_spreads_the_seed_as_the_tool_understands_it():
    """The first number from seed 1234 is cuRAND's recorded one, with the header's own keys."""
    text = (ROOT / "kernels/cuda/treadle/curand_xorwow.h").read_text()
    found = re.findall(r"\^ 0x(\w+)u\) \* (\d+)u;", text)
    keys = {
        half: (int(key, 16), int(factor)) for half, (key, factor) in zip(KEYS, found, strict=True)
    }
    assert draw(1234, keys)[0] == 624778773
