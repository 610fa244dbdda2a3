# SPDX-License-Identifier: MIT
"""The table "Refused" of docs/cuda-without-nvcc.md: a text for each row, and what refuses it."""

import os
import pathlib

import pytest

import treadle

ROOT = pathlib.Path(os.environ.get("TREADLE_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
PAGE = ROOT / "docs/cuda-without-nvcc.md"


def kernel(body, before=""):
    return f'{before}\nextern "C" __global__ void k(int* o) {{ {body} }}\n'


def ptx(statement, *operands, before="int v = 0;"):
    """Inline PTX with `statement`, whose %0 is v."""
    return kernel(
        f'{before} asm volatile("{statement}" : "+r"(v) : {", ".join(operands)}); o[0] = v;'
    )


BARRIER = "__device__ void f(int* a) { __syncthreads(); }"
INTEGERS = '"r"(o[0]), "r"(o[1])'
SHARED = "__shared__ int s[4]; int v = s[0]; unsigned at = (unsigned)__cvta_generic_to_shared(s);"
UNKNOWN = "the instruction is not known on the CPU device"
# Row: target -> what the message says, and the texts.
CPU, BOTH = ("cpu",), ("cpu", "sm_90")
ROWS = {
    "launches": (
        {"cpu": "require separate compilation mode", "sm_90": "device-side kernel launch"},
        [kernel("j<<<1, 1>>>(o);", "__global__ void j(int* o) { o[0] = 1; }")],
    ),
    "sizes": (
        {
            "cpu": "uses 65536 bytes of static shared|39992 bytes of parameters",
            "sm_90": "too much shared data|Formal parameter space overflowed",
        },
        [
            kernel("__shared__ int s[1 << 14]; s[threadIdx.x] = 1; o[0] = s[o[1]];"),
            "struct S { int a[9990]; };\n__global__ void k(int* o, int* p, int* q, int* r, S s)"
            " { o[0] = s.a[o[1]] + p[0] + q[0] + r[0]; }",
        ],
    ),
    "constants": (
        {"cpu": "the __constant__ variable 'c' cannot be written by a kernel"},
        [
            kernel("c[o[0]] = 1; o[1] = c[0];", "__constant__ int c[4];"),
            kernel("atomicAdd(c, 1);", "__constant__ int c[4];"),
        ],
    ),
    "dlto": (dict.fromkeys(BOTH, '"-dlto" is refused'), [kernel("o[0] = 1;")]),
    "void pointers": (
        {
            "cpu": "arithmetic on a?.*pointers? to void|comparison between pointer and integer",
            "sm_90": "pointer to a complete object type|operand types are incompatible",
        },
        [
            kernel("void* p = o; p++; o[0] = p == o;"),
            kernel("void* p = o; o[0] = 4 + p == o;"),
            kernel("void *p = o, *q = o; o[0] = p - q;"),
            kernel("o[0] = o > 1;"),
        ],
    ),
    "zero arguments": (
        {"cpu": "ordered comparison between pointer and zero"},
        [kernel("o[0] = LESS(0, o);", "#define LESS(a, b) ((a) < (b))")],
    ),
    "const alignas": (
        {"cpu": "attribute list cannot appear", "sm_90": "attribute does not apply"},
        [kernel("const alignas(16) float x = 1; o[0] = x;")],
    ),
    "alignas behind a type": (
        {"cpu": "cannot be applied to types", "sm_90": "alignas does not apply here"},
        [kernel("float alignas(16) x[2]; o[0] = sizeof x;")],
    ),
    "GNU": (
        {"sm_90": "expected an? (expression|identifier)"},
        [
            kernel("o[0] = ({ int a = o[1]; a + 1; });"),
            kernel("int* s = (int[]){1, 2}; o[0] = s[1];"),
            kernel("S s = {.a = 1, .b = 2}; o[0] = s.b;", "struct S { int a, b; };"),
            kernel("int s[3] = {[1] = 4}; o[0] = s[1];"),
        ],
    ),
    "int128": ({"cpu": "'__int128' type support"}, [kernel("__int128 a = o[0]; o[1] = a >> 1;")]),
    "registers": (
        {"cpu": "unknown register name"},
        [kernel('register int a asm("r1"); a = o[0]; o[1] = a;')],
    ),
    "alloca": (
        {"cpu": "'alloca'", "sm_90": '"alloca"'},
        [kernel("int* p = (int*)alloca(o[0]); *p = 1;")],
    ),
    "computed goto": (
        {"cpu": "computed goto is not supported", "sm_90": "expected an expression"},
        [kernel("void* a[2] = {&&x, &&y}; goto *a[o[0]]; x: o[1] = 1; y: o[2] = 2;")],
    ),
    "exceptions": (
        {"cpu": "cannot use '(try|throw)'", "sm_90": "does not support exception handling"},
        [kernel("try { o[0] = 1; } catch (...) {}"), kernel("throw 1;")],
    ),
    "indirect barriers": (
        {"cpu": "recursive or called through a pointer, is not supported on the CPU device"},
        [
            kernel("t[o[0]](o);", BARRIER + " __device__ void (*t[1])(int*) = {f};"),
            kernel(
                "o[0] = f(o[1]);",
                "__device__ int f(int n) { __syncthreads(); return n ? f(n - 1) : 0; }",
            ),
            kernel(
                "o[0] = f(o[1]);",
                "__device__ int f(int n) { return n ? f(__shfl_sync(~0u, n, 0) - 1) : 0; }",
            ),
        ],
    ),
    "clusters": (
        {"cpu": "undeclared identifier '__cluster|.cluster is not known here|clusters? of"},
        [
            kernel("o[0] = __clusterDim().x;"),
            kernel("__cluster_barrier_arrive();"),
            'extern "C" __global__ void __cluster_dims__(2, 1, 1) k(int *o) { o[0] = 1; }',
            kernel('asm volatile("barrier.cluster.arrive;");'),
        ],
    ),
    "CUB": (
        {"cpu": "not for the CPU device"},
        [
            "#include <cub/block/block_reduce.cuh>\n" + kernel("cub::BlockReduce<int, 64> r;"),
            "#include <thrust/sort.h>\n" + kernel("thrust::sort(o, o + 3);"),
        ],
    ),
    "experimental wmma": (
        {"cpu": "no member named 'experimental'"},
        ["#include <mma.h>\n" + kernel("nvcuda::wmma::experimental::precision::s4 a;")],
    ),
    "MTGP32": (
        {"cpu": "curandStateMtgp32", "sm_90": "curandStateMtgp32"},
        ["#include <curand_kernel.h>\n" + kernel("curandStateMtgp32 s; o[0] = curand(&s);")],
    ),
    "PTX of warps": (
        {"cpu": UNKNOWN},
        [
            ptx("activemask.b32 %0;"),
            ptx("shfl.sync.down.b32 %0, %1, 1, 31, 0xffffffff;", INTEGERS),
            ptx("vote.sync.ballot.b32 %0, 1, 0xffffffff;"),
            ptx("redux.sync.add.s32 %0, %1, 0xffffffff;", INTEGERS),
        ],
    ),
    "PTX of matrices": (
        {"cpu": UNKNOWN},
        [
            ptx("cp.async.ca.shared.global [%1], [%2], 16;", '"r"(at), "l"(o)', before=SHARED),
            ptx("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];", '"r"(at)', before=SHARED),
            ptx(
                "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %0}, {%1}, {%2}, {%0, %0};",
                INTEGERS,
            ),
            ptx("mbarrier.init.shared.b64 [%1], 1;", '"r"(at)', before=SHARED),
        ],
    ),
    "PTX barriers": (
        {"cpu": "only barrier 0|it has 1 operands"},
        [ptx("bar.sync 1;"), ptx("bar.sync 1, 64;")],
    ),
    "PTX labels": (
        {"cpu": f"not a statement of PTX|{UNKNOWN}"},
        [
            ptx("{ .reg .pred p; setp.eq.s32 p, %1, 0; @p bra L; mov.s32 %0, 1; L: }", INTEGERS),
            ptx("call f;"),
        ],
    ),
    "PTX vset4": ({"cpu": UNKNOWN}, [ptx("vset4.u32.u32.eq %0, %1, %2, %0;", INTEGERS)]),
    "PTX 32-bit addresses": (
        {"cpu": "addresses have 64 bits on the CPU device"},
        [ptx("ld.shared.u32 %0, [%1];", '"r"(at)', before=SHARED)],
    ),
    "architecture": (
        {"cpu": "no code for newer"},
        ["#if __CUDA_ARCH__ <= 700\n#error no code for newer\n#endif\n" + kernel("o[0] = 1;")],
    ),
}


def rows_of_the_page():
    table = PAGE.read_text().partition("\n## Refused\n")[2]
    return [line for line in table.splitlines() if line.startswith("| ")][1:]


def test_each_row_of_the_page_has_its_texts():
    rows = rows_of_the_page()
    assert len(rows) == len(ROWS), "a text of ROWS for each row, in their order"
    for row, (says, _) in zip(rows, ROWS.values(), strict=True):
        by = row.split(" | ")[1]
        assert ("sm_90" in says) == ("both" in by or "NVRTC" in by), row
        assert ("cpu" in says) == ("both" in by or "CPU device" in by), row


def targets():
    yield "cpu"
    try:
        treadle.compile_cuda("__global__ void k() {}", "sm_90", cache=False)
    except treadle.LibraryNotFound:
        return
    yield "sm_90"


@pytest.mark.parametrize("row", ROWS)
def test_the_texts_of_a_row_are_refused_and_told_why(row):
    says, texts = ROWS[row]
    flags = ["-dlto"] if row == "dlto" else []
    for target in targets():
        if target not in says:
            continue
        for text in texts:
            with pytest.raises(treadle.Error, match=says[target]):
                treadle.compile_cuda(text, target, flags=flags, cache=False)
