# SPDX-License-Identifier: MIT
"""What generators of kernels may not have: numbers of their own, languages, twins."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What no tuner may turn, and why. All that shapes a kernel is in treadle/codegen/tiling.def.
CONSTANTS = {
    "sub_group": "work-items that shuffle with each other: CUDA's number",
    "decodable": "of 32 bits: beyond it positions are decoded in 64",
    "decoded_in_32_bits": "the same",
    "usual_compute_units": "of a device that does not tell",
    "cost_of_call": "an estimate, as those of operations",
    "most_folds": "of one reduction: a limit of the interface",
    "many_elements": "for texts that are asked for without a launch",
    "least_bytes": "of a stream's workspace",
    "places": "of the cache of launches",
    "line": "characters of a line of text",
    "line_width": "the same",
    "deepest": "a tree that contains itself is found",
    "hash_prime": "of FNV",
    "kind_count": "of nodes of trees",
    "tag_at": "of a part's layout",
    "half_one": "bits of float16",
}
FILES_OF_NUMBERS = re.compile(r"host_\w+\.cpp|host_value\.hpp|interpret\.cpp")  # no kernels

CONSTANT = re.compile(
    r"constexpr (?:std::)?(?:unsigned|int|size_t|u?int\d+_t|double|float) "
    r"(\w+)(?:\[\])?(?: =|\{)[^;]*;"
)


def constants() -> dict[str, str]:
    found = {}
    for room in ("codegen", "kernel"):
        for folder in (ROOT / "src" / room, ROOT / "include/treadle" / room):
            for path in folder.glob("*.?pp"):
                if FILES_OF_NUMBERS.fullmatch(path.name):
                    continue
                for match in CONSTANT.finditer(path.read_text()):
                    found[match[1]] = f"{path.relative_to(ROOT)}: {match[0].splitlines()[0]}"
    return found


def test_every_number_that_shapes_a_kernel_is_in_the_tiling() -> None:
    found = constants()
    unknown = [where for name, where in found.items() if name not in CONSTANTS]
    assert not unknown, "belongs into tiling.def, or is no number of a kernel's shape"
    assert set(CONSTANTS) <= set(found), "a constant is gone, or the search is broken"
