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
    "own_steps": "instructions of an expression",
    "most_folds": "of one reduction: a limit of the interface",
    "many_elements": "for texts that are asked for without a launch",
    "least_bytes": "of a stream's workspace",
    "line": "characters of a line of text",
    "line_width": "the same",
    "most_inside_each_other": "nodes that go: a stack has an end",
    "deepest": "a tree that contains itself is found",
    "hash_prime": "of FNV",
    "kind_count": "of nodes of trees",
    "kept_launches": "of a cache",
    "tag_at": "of a part's layout",
    "most_few": "the same of a node",
    "most_spare": "nodes whose memory a thread keeps",
    "half_one": "bits of float16",
    "most_kept": "of the largest elements: a limit of the interface",
    "most_ranks": "of a median's kernel: a limit of the interface",
    "numbers_of_place": "that a place of the order is found by: a layout",
    "room_alignment": "of what changes places in local memory: a layout",
    "most_counted": "by counters of 32 bits",
    "most": "of an integer's width, or of what float32 has room for",
    "least": "the same, and when an iteration over vectors ends",
    "single": "what float32 rounds by",
    "twice": "the same of float64",
    "infinity": "of float64",
    "infinite": "the same",
    "most_outputs": "of a node: a layout",
    "nowhere": "an index that no array has",
    "limit": "behind which a signal's function is zero",
    "end": "of 64 bits",
    "steps": "of an expression, and the next three: kernels take so many parameters",
    "leaves": "the same",
    "computations": "the same",
    "instructions": "the same",
    "most_operands": "of a node: a layout",
    "reference": "of a counter's bits",
    "most_lines": "of what explain() prints",
    "most_parts": "beyond it elements are gathered: another kernel, of the tiling",
    "few_enough_for_pairs": "beyond it they are sorted, too",
    "few_elements": "whose sum is rounded once: not speed",
    "least_donation_bytes": "of memory that a result takes over",
    "least_limit": "of memory under pressure",
    "running": "of an iteration that goes on",
    "tolerated": "how far a residual may be off",
    "replacement": "when a residual is computed anew",
    "most_in_stencil": "bits of a row",
    "most_arguments": "of a kernel that puts numbers side by side",
    "own_numbers": "of conjugate gradients' state: a layout",
    "row_classes": "of rows by length: a layout",
    "most_rows": "whose numbers have 32 bits",
    "vectors": "whose elements a step of conjugate gradients reads or writes for each row",
}
FILES_OF_NUMBERS = re.compile(r"host_\w+\.cpp|host_value\.hpp|interpret\.cpp")  # no kernels

CONSTANT = re.compile(
    r"constexpr (?:std::)?(?:unsigned|int|size_t|u?int\d+_t|double|float) "
    r"(\w+)(?:\[\])?(?: =|\{)[^;]*;"
)


def constants() -> dict[str, str]:
    found = {}
    for room in ("codegen", "kernel", "array", "sparse"):
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


def test_groups_have_no_size_but_that_of_the_tiling() -> None:
    literal = re.compile(r"\bgroup_size *(?:= *\{?|\{) *(\d+)")
    sizes = [
        f"{path.relative_to(ROOT)}: {size}"
        for room in ("codegen", "kernel", "array", "sparse")
        for path in (ROOT / "src" / room).glob("*.?pp")
        for size in literal.findall(path.read_text())
        if size != "1"
    ]
    assert not sizes


# The class that writes the kernels of a family, and how often it is constructed: around an
# expression and around a user's text, or around a text alone.
WRITERS = {
    "ElementwiseWriter": 2,
    "ReductionWriter": 2,
    "ScanWriter": 1,
    "SegmentedFoldWriter": 1,
    "SparseRowsWriter": 2,  # a kernel, and what a row's arrays are for those who do more
    "ByLengthWriter": 1,
    "ConjugateWriter": 1,
    "SparseTableWriter": 3,  # of columns: transposition, product, sums of lengths
    "RadixSortWriter": 1,
    "RowSortWriter": 1,
    "WideRowWriter": 1,  # by digits, in a group
    "ProductWriter": 1,
    "SortWriter": 1,
    "RandomWriter": 1,
    "RanksWriter": 1,
    "TopKWriter": 1,
    "CountWriter": 1,
    "MaskedWriter": 1,
    "SearchWriter": 2,  # of elements, and of numbers
    "ListWriter": 1,
}
# What work-items of a group do together.
TOGETHER = {
    "atomic_add": "block.cpp",
    "shuffle_down": "block.cpp",
    "shuffle_up": "block.cpp",
}
# Tables and nodes that are a language's own.
LANGUAGES = {
    "dialect.cpp": "the tables",
    "dialect_header.cpp": "a header for each",
    "tree_builders.cpp": "a node that only CUDA has",
    "tree_writer_pieces.cpp": "a node with OpenCL's names",
}


def sources(room: str = "codegen") -> dict[str, str]:
    """Of the room, without comments."""
    return {
        str(path.relative_to(ROOT / "src" / room)): re.sub(r"//.*", "", path.read_text())
        for path in sorted((ROOT / "src" / room).rglob("*.?pp"))
    }


def test_each_family_of_kernels_has_one_generator() -> None:
    texts = sources()
    rooms = [*texts.values(), *sources("kernel").values(), *sources("array").values()]
    found = [name for text in rooms for name in re.findall(r"\bclass (\w+Writer)\b", text)]
    others = {"TreeWriter"}
    assert sorted(set(found) - others) == sorted(WRITERS)
    for name, count in WRITERS.items():
        made = sum(len(re.findall(rf"(?:return|=) \{{?{name}\(", text)) for text in rooms)
        assert made == count, name
    for word, where in TOGETHER.items():
        users = [file for file, text in texts.items() if re.search(rf"\.{word}\b", text)]
        assert set(users) - {"dialect.cpp"} == {where}, word


def test_only_tables_know_a_language_by_name() -> None:
    for file, text in sources().items():
        if file not in LANGUAGES:
            assert not re.search(r"\bLanguage::\w|\bis_(cuda|opencl)\b", text), file
    for name in ("cuda_c", "opencl_c"):
        assert any(f"Language::{name}" in text for text in sources().values()), "a broken search"


# What kernels are made of, beside the expression or the statement that a family takes as a user's:
# loops and definitions, lines, and spellings of a language or of treadle/dialect.h.
KERNEL_TEXT = re.compile(
    r"\b(?:for|while|do|switch)\b ?[({]|\b(?:typedef|struct|return) \w|[;{}]\\n|^(?:#|//)"
    r"|\bTREADLE_(?!\w*=)\w+ |\btreadle_(?:global|local|group|barrier|fence|atomic|sub)\w*\("
    r"|__(?:kernel|global|local|shared|device|syncthreads)|\bget_\w+_id\b|\b(?:thread|block)Idx\b"
)


def literals(text: str) -> list[str]:
    """Those of a C++ file; raw ones are text of several lines."""
    text = re.sub(r"#include.*", "", text)
    raw = re.compile(r'\bR"(\w*)\((.*?)\)\1"', re.DOTALL)
    long = [body + r";\n" for _, body in raw.findall(text)]
    return [*long, *re.findall(r'"((?:[^"\\\n]|\\.)*)"', raw.sub("", text))]


def test_rooms_above_the_generators_write_no_kernels() -> None:
    for room in ("kernel", "array", "linalg", "fft", "sparse", "tune"):
        for file, text in sources(room).items():
            if file in ("store.cpp", "report.cpp", "double_shadow.cpp"):
                continue  # their texts are SQL, HTML, and macros before a user's kernel
            found = [piece for piece in literals(text) if KERNEL_TEXT.search(piece)]
            if file == "judged_kernel.cpp":
                found.remove("__global__")  # by which CUDA C is told from OpenCL C
            assert not found, f"src/{room}/{file}: texts of kernels are written in src/codegen"
    assert literals('f(R"(a; b)", "c")') == [r"a; b;\n", "c"]
    for piece in ("for (;;)", r"x = 1;\n", "__kernel void f", "treadle_barrier()", "#define A"):
        assert KERNEL_TEXT.search(piece), "a broken search"


# Where text becomes lines, and why: what prints trees, and what passes texts of others on.
LINES = {
    "device_functions.cpp": "finds functions in headers",
    "keywords.cpp": "the lines of a user's template",
    "specialize.cpp": "the same",
    "text_with_lines.cpp": "the same",
    "cuda_words.cpp": "the same",
    "tree_builders.cpp": "the indent of somebody's lines",
    "tree_printer.cpp": "prints",
    "tree_text.cpp": "reads texts of trees",
    "tree_writer.cpp": "prints",
    "tree_writer_pieces.cpp": "prints",
    "words.cpp": "reads headers",
    "words.hpp": "the same",
    "dialect.cpp": "tables",
    "dialect_header.cpp": "a header for each language",
    "op_text.cpp": "texts with holes",
    "block_builder.cpp": "the end of a user's statements",
    "interval_text.hpp": "a user's expression stands on lines of its own",
    "snippet_reading.cpp": "reads a user's text",
}
STATEMENT = re.compile(
    r"\b(?:for|if|while|else|return|typedef|struct|switch|do)\b ?[({]|[;{}]$|^[;{}]|\\n|^(?:#|//)"
)


def test_no_generator_writes_text_by_lines() -> None:
    texts = sources()
    for file, text in texts.items():
        if file in LINES:
            continue
        written = re.findall(r'"((?:[^"\\]|\\.)*)"', re.sub(r"#include.*", "", text))
        lines = [piece for piece in written if STATEMENT.search(piece)]
        assert not lines, f"{file}: statements, blocks and lines are nodes"
    assert set(LINES) <= set(texts), "a file is gone"
    # The one class that makes lines of statements, and the one that makes statements of a family.
    makers = [file for file, text in texts.items() if re.search(r"\bindent_|\bdepth_ ?[*+-]", text)]
    assert sorted(makers) == ["tree_writer.cpp", "tree_writer.hpp", "tree_writer_pieces.cpp"]
