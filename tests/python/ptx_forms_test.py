# SPDX-License-Identifier: MIT
"""Inline PTX that people write: each form against what the PTX manual says of it. A GPU's driver
takes the text as it is, the CPU device translates it."""

import dataclasses
import pathlib
import sys

import numpy as np
import pycuda.driver as cuda
import pytest

# Tests are imported by path: the modules they share lie beside them.
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import ptx_references as ptx  # noqa: E402
from ptx_references import M32, signed  # noqa: E402

COUNT = 64
U32, S32, U64, S64 = np.uint32, np.int32, np.uint64, np.int64
F32, F64 = np.float32, np.float64
C_TYPES = {U32: "unsigned", S32: "int", U64: "unsigned long long", S64: "long long",
           F32: "float", F64: "double"}  # fmt: skip
LETTERS = {U32: "r", S32: "r", U64: "l", S64: "l", F32: "f", F64: "d"}


@dataclasses.dataclass(frozen=True)
class Form:
    """`text` with %0 the result and %1, %2, ... the inputs; reference(*inputs) for one element."""

    text: str
    result: type
    inputs: tuple
    reference: object


def field(value, start, length, bits, is_signed):
    start, length = start & 255, length & 255
    taken = 0
    for i in range(min(length, bits)):
        place = start + i
        bit = value >> place & 1 if place < bits else (value >> (bits - 1) & 1 if is_signed else 0)
        taken |= bit << i
    if is_signed and 0 < length < bits and taken >> (length - 1) & 1:
        taken -= 1 << length
    return taken


def inserted(part, into, start, length, bits):
    start, length = start & 255, length & 255
    for i in range(length):
        if start + i < bits:
            into = into & ~(1 << (start + i)) | (part >> i & 1) << (start + i)
    return into


def permuted(a, b, selector):
    octets = (b << 32 | a).to_bytes(8, "little")
    result = 0
    for i in range(4):
        nibble = selector >> (4 * i) & 15
        octet = octets[nibble & 7]
        result |= (255 * (octet >> 7) if nibble & 8 else octet) << (8 * i)
    return result


def looked_up(a, b, c, table):
    return sum(
        (table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i
        for i in range(32)
    )


PAIR, THREE = (U32, U32), (U32, U32, U32)
FORMS = [
    Form("add.u32 %0, %1, %2;", U32, PAIR, lambda a, b: a + b),
    Form("sub.s64 %0, %1, %2;", U64, (U64, U64), lambda a, b: a - b),
    Form("mul.lo.u32 %0, %1, %2;", U32, PAIR, lambda a, b: a * b),
    Form("mul.hi.u32 %0, %1, %2;", U32, PAIR, lambda a, b: a * b >> 32),
    Form("mul.hi.s32 %0, %1, %2;", S32, (S32, S32), lambda a, b: a * b >> 32),
    Form("mul.hi.u64 %0, %1, %2;", U64, (U64, U64), lambda a, b: a * b >> 64),
    Form("mul.wide.u32 %0, %1, %2;", U64, PAIR, lambda a, b: a * b),
    Form("mul.wide.s32 %0, %1, %2;", S64, (S32, S32), lambda a, b: a * b),
    Form("mad.lo.u32 %0, %1, %2, %3;", U32, THREE, lambda a, b, c: a * b + c),
    Form("mad.hi.u32 %0, %1, %2, %3;", U32, THREE, lambda a, b, c: (a * b >> 32) + c),
    Form("mad.wide.u32 %0, %1, %2, %3;", U64, (U32, U32, U64), lambda a, b, c: a * b + c),
    Form("bfe.u32 %0, %1, %2, %3;", U32, THREE, lambda a, b, c: field(a, b, c, 32, False)),
    Form("bfe.s32 %0, %1, %2, %3;", U32, THREE, lambda a, b, c: field(a, b, c, 32, True)),
    Form("bfe.u64 %0, %1, %2, %3;", U64, (U64, U32, U32),
         lambda a, b, c: field(a, b, c, 64, False)),
    Form("bfe.s64 %0, %1, %2, %3;", U64, (U64, U32, U32),
         lambda a, b, c: field(a, b, c, 64, True)),
    Form("bfi.b32 %0, %1, %2, %3, %4;", U32, (U32,) * 4,
         lambda a, b, c, d: inserted(a, b, c, d, 32)),
    Form("bfi.b64 %0, %1, %2, %3, %4;", U64, (U64, U64, U32, U32),
         lambda a, b, c, d: inserted(a, b, c, d, 64)),
    Form("prmt.b32 %0, %1, %2, %3;", U32, THREE, permuted),
    Form("popc.b32 %0, %1;", U32, (U32,), lambda a: a.bit_count()),
    Form("popc.b64 %0, %1;", U32, (U64,), lambda a: a.bit_count()),
    Form("clz.b32 %0, %1;", U32, (U32,), lambda a: 32 - a.bit_length()),
    Form("clz.b64 %0, %1;", U32, (U64,), lambda a: 64 - a.bit_length()),
    Form("brev.b32 %0, %1;", U32, (U32,), lambda a: int(f"{a:032b}"[::-1], 2)),
    Form("shf.l.wrap.b32 %0, %1, %2, %3;", U32, THREE,
         lambda a, b, c: (b << 32 | a) << (c & 31) >> 32),
    Form("shf.r.wrap.b32 %0, %1, %2, %3;", U32, THREE, lambda a, b, c: (b << 32 | a) >> (c & 31)),
    Form("shf.l.clamp.b32 %0, %1, %2, %3;", U32, THREE,
         lambda a, b, c: (b << 32 | a) << min(c, 32) >> 32),
    Form("shf.r.clamp.b32 %0, %1, %2, %3;", U32, THREE,
         lambda a, b, c: (b << 32 | a) >> min(c, 32)),
    Form("lop3.b32 %0, %1, %2, %3, 0xE8;", U32, THREE, lambda a, b, c: looked_up(a, b, c, 0xE8)),
    Form("lop3.b32 %0, %1, %2, %3, 0x96;", U32, THREE, lambda a, b, c: a ^ b ^ c),
    Form("shl.b32 %0, %1, %2;", U32, PAIR, lambda a, b: a << b if b < 32 else 0),
    Form("shr.u32 %0, %1, %2;", U32, PAIR, lambda a, b: a >> min(b, 32)),
    Form("shr.s32 %0, %1, %2;", U32, PAIR, lambda a, b: signed(a, 32) >> min(b, 31)),
    Form("and.b32 %0, %1, %2;", U32, PAIR, lambda a, b: a & b),
    Form("xor.b64 %0, %1, %2;", U64, (U64, U64), lambda a, b: a ^ b),
    Form("not.b32 %0, %1;", U32, (U32,), lambda a: ~a),
    Form("min.s32 %0, %1, %2;", S32, (S32, S32), min),
    Form("max.u32 %0, %1, %2;", U32, PAIR, max),
    Form("abs.s32 %0, %1;", S32, (S32,), abs),
    Form("neg.s32 %0, %1;", S32, (S32,), lambda a: -a),
    Form("cvt.s64.s32 %0, %1;", S64, (S32,), int),
    Form("cvt.u64.u32 %0, %1;", U64, (U32,), int),
    Form("cvt.u8.u32 %0, %1;", U32, (U32,), lambda a: a & 255),
    Form("mov.b64 %0, {%1, %2};", U64, PAIR, lambda a, b: b << 32 | a),
    Form("{ .reg .u32 t; mov.b64 {t, %0}, %1; }", U32, (U64,), lambda a: a >> 32),
    Form("mov.b32 %0, %1;", U32, (F32,), lambda a: int(F32(a).view(U32))),
    Form("mov.u32 %0, 0x2A;", U32, (U32,), lambda a: 42),
    # 96 bits in three words: chains of carries.
    Form("{ .reg .u32 lo; add.cc.u32 lo, %1, %2; addc.u32 %0, %3, 0; }", U32, THREE,
         lambda a, b, c: c + (a + b >> 32)),
    Form("{ .reg .u32 lo; sub.cc.u32 lo, %1, %2; subc.u32 %0, %3, 0; }", U32, THREE,
         lambda a, b, c: c - (a < b)),
    Form("{ .reg .u32 t; mad.lo.cc.u32 t, %1, %2, %3; madc.hi.u32 %0, %1, %2, 0; }", U32, THREE,
         lambda a, b, c: a * b + c >> 32),
    Form("{ .reg .pred p; setp.lt.u32 p, %1, %2; selp.u32 %0, 7, 9, p; }", U32, PAIR,
         lambda a, b: 7 if a < b else 9),
    Form("{\\n\\t.reg .pred %%p; // which?\\n\\tsetp.ge.s32 %%p, %1, %2;\\n\\tmov.s32 %0, %1;\\n\\t"
         "@!%%p mov.s32 %0, %2; /* the larger */\\n\\t}", S32, (S32, S32), max),
    Form("fma.rn.f32 %0, %1, %2, %2;", F32, (F32, F32), lambda a, b: F32(F64(a) * F64(b) + F64(b))),
    Form("add.rn.f32 %0, %1, %2;", F32, (F32, F32), lambda a, b: F32(a) + F32(b)),
    Form("mul.f64 %0, %1, %2;", F64, (F64, F64), lambda a, b: a * b),
    Form("mul.f32 %0, %1, 0f3F000000;", F32, (F32,), lambda a: F32(a) / 2),
    Form("cvt.rzi.s32.f32 %0, %1;", S32, (F32,), int),
    Form("cvt.rni.s32.f32 %0, %1;", S32, (F32,), lambda a: int(np.rint(a))),
    Form("cvt.rn.f32.u32 %0, %1;", F32, (U32,), lambda a: F32(F64(a))),
    Form("{ .reg .b16 h; cvt.rn.f16.f32 h, %1; cvt.f32.f16 %0, h; }", F32, (F32,),
         lambda a: F32(np.float16(a))),
    Form("rcp.approx.ftz.f32 %0, %1;", F32, (F32,), lambda a: F32(1) / F32(a)),
    Form("tanh.approx.f32 %0, %1;", F32, (F32,), np.tanh),
    Form("bfind.u32 %0, %1;", U32, (U32,), lambda a: ptx.highest_bit(a, 32, False)),
    Form("bfind.s32 %0, %1;", U32, (U32,), lambda a: ptx.highest_bit(a, 32, True)),
    Form("bfind.shiftamt.u64 %0, %1;", U32, (U64,), lambda a: ptx.highest_bit(a, 64, False, True)),
    Form("bfind.s64 %0, %1;", U32, (U64,), lambda a: ptx.highest_bit(a, 64, True)),
    Form("{ .reg .u32 b; and.b32 b, %2, 31; fns.b32 %0, %1, b, 3; }", U32, PAIR,
         lambda a, b: ptx.nth_bit(a, b & 31, 3)),
    Form("{ .reg .u32 b; and.b32 b, %2, 31; fns.b32 %0, %1, b, -2; }", U32, PAIR,
         lambda a, b: ptx.nth_bit(a, b & 31, -2)),
    Form("{ .reg .u32 b; and.b32 b, %2, 31; fns.b32 %0, %1, b, 0; }", U32, PAIR,
         lambda a, b: ptx.nth_bit(a, b & 31, 0)),
    Form("szext.clamp.u32 %0, %1, %2;", U32, PAIR, lambda a, b: ptx.extended(a, b, False, False)),
    Form("szext.clamp.s32 %0, %1, %2;", U32, PAIR, lambda a, b: ptx.extended(a, b, True, False)),
    Form("szext.wrap.s32 %0, %1, %2;", U32, PAIR, lambda a, b: ptx.extended(a, b, True, True)),
    Form("bmsk.clamp.b32 %0, %1, %2;", U32, PAIR, lambda a, b: ptx.mask(a, b, False)),
    Form("bmsk.wrap.b32 %0, %1, %2;", U32, PAIR, lambda a, b: ptx.mask(a, b, True)),
    Form("sad.u32 %0, %1, %2, %3;", U32, THREE, lambda a, b, c: abs(a - b) + c),
    Form("sad.s32 %0, %1, %2, %3;", S32, (S32, S32, S32), lambda a, b, c: abs(a - b) + c),
    Form("mul24.lo.u32 %0, %1, %2;", U32, PAIR, lambda a, b: ptx.product_of_24_bits(a, b, False)),
    Form("mul24.hi.s32 %0, %1, %2;", U32, PAIR,
         lambda a, b: ptx.product_of_24_bits(a, b, True) >> 16),
    Form("mad24.lo.s32 %0, %1, %2, %3;", U32, THREE,
         lambda a, b, c: ptx.product_of_24_bits(a, b, True) + c),
    Form("dp4a.u32.u32 %0, %1, %2, %3;", U32, THREE,
         lambda a, b, c: ptx.dot(a, b, c, False, False)),
    Form("dp4a.s32.u32 %0, %1, %2, %3;", U32, THREE, lambda a, b, c: ptx.dot(a, b, c, True, False)),
    Form("dp2a.lo.s32.s32 %0, %1, %2, %3;", U32, THREE, lambda a, b, c: ptx.dot_of_two(a, b, c, 0)),
    Form("dp2a.hi.s32.s32 %0, %1, %2, %3;", U32, THREE, lambda a, b, c: ptx.dot_of_two(a, b, c, 2)),
    *(Form(f"prmt.b32.{mode} %0, %1, %2, %3;", U32, THREE, ptx.byte_mode(mode))
      for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16")),
    Form("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;", U32, THREE,
         ptx.by_parts(lambda x, y: abs(x - y), 8, False)),
    Form("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;", U32, THREE,
         lambda a, b, c: c + sum(ptx.parts(ptx.by_parts(lambda x, y: abs(x - y), 8, False)(a, b, c),
                                           8, False))),
    Form("vadd4.u32.u32.u32.sat %0, %1, %2, %3;", U32, THREE,
         ptx.by_parts(lambda x, y: x + y, 8, False, True)),
    Form("vsub2.s32.s32.s32.sat %0, %1, %2, %3;", U32, THREE,
         ptx.by_parts(lambda x, y: x - y, 16, True, True)),
    Form("vmax4.s32.s32.s32 %0, %1, %2, %3;", U32, THREE, ptx.by_parts(max, 8, True)),
    Form("vmin2.u32.u32.u32 %0, %1, %2, %3;", U32, THREE, ptx.by_parts(min, 16, False)),
    Form("vabsdiff.u32.u32.u32.add %0, %1.b0, %2.b3, %3;", U32, THREE,
         lambda a, b, c: abs((a & 255) - (b >> 24)) + c),
    Form("vadd.s32.s32.s32.sat %0, %1, %2;", S32, (S32, S32),
         lambda a, b: ptx.limited(a + b, 32, True)),
    Form("vmax.s32.s32.s32 %0, %1.h1, %2;", S32, (S32, S32), lambda a, b: max(a >> 16, b)),
    Form("add.sat.s32 %0, %1, %2;", S32, (S32, S32), lambda a, b: ptx.limited(a + b, 32, True)),
    Form("sub.sat.s32 %0, %1, %2;", S32, (S32, S32), lambda a, b: ptx.limited(a - b, 32, True)),
    Form("add.sat.f32 %0, %1, 0f3F000000;", F32, (F32,),
         lambda a: np.clip(F32(a) + F32(0.5), 0, 1)),
    Form("cvt.sat.u8.s32 %0, %1;", U32, (S32,), lambda a: ptx.limited(a, 8, False)),
    Form("cvt.sat.s32.u32 %0, %1;", U32, (U32,), lambda a: ptx.limited(a, 32, True)),
    Form("cvt.sat.f32.f32 %0, %1;", F32, (F32,), lambda a: min(max(F32(a), 0), 1)),
    Form("set.lt.u32.s32 %0, %1, %2;", U32, (S32, S32), lambda a, b: M32 if a < b else 0),
    Form("set.ge.f32.u32 %0, %1, %2;", F32, PAIR, lambda a, b: a >= b),
    Form("slct.u32.s32 %0, %1, %2, %3;", U32, (U32, U32, S32), lambda a, b, c: a if c >= 0 else b),
    Form("cnot.b32 %0, %1;", U32, (U32,), lambda a: a == 0),
    Form("copysign.f32 %0, %1, %2;", F32, (F32, F32), lambda a, b: np.copysign(F32(b), F32(a))),
    Form("mad.rn.f32 %0, %1, %2, %2;", F32, (F32, F32), lambda a, b: F32(F64(a) * F64(b) + F64(b))),
    Form("{ .reg .pred p, q; setp.ne.u32 q, %3, 0; setp.lt.and.u32 p, %1, %2, q;"
         " selp.u32 %0, 7, 9, p; }", U32, THREE, lambda a, b, c: 7 if a < b and c else 9),
    Form("{ .reg .pred p; testp.finite.f32 p, %1; selp.u32 %0, 7, 9, p; }", U32, (F32,),
         lambda a: 7),
]  # fmt: skip


def kernel_of(form, number):
    inputs = ", ".join(f'"{LETTERS[t]}"(a{k}[i])' for k, t in enumerate(form.inputs))
    parameters = ", ".join(f"const {C_TYPES[t]}* a{k}" for k, t in enumerate(form.inputs))
    return (
        f'extern "C" __global__ void f{number}({C_TYPES[form.result]}* o, {parameters}) {{\n'
        f"  int i = threadIdx.x; {C_TYPES[form.result]} r;\n"
        f'  asm("{form.text}" : "={LETTERS[form.result]}"(r) : {inputs});\n  o[i] = r;\n}}\n'
    )


def values(kind, position, generator):
    if kind in (F32, F64):
        return generator.uniform(-1000, 1000, COUNT).astype(kind)
    info = np.iinfo(kind)
    whole = generator.integers(info.min, info.max, COUNT, kind, endpoint=True)
    edges = np.array([0, 1, info.max, info.min], kind)
    whole[: len(edges)] = edges
    if position >= 1:  # often a place, a length, a distance
        whole[len(edges) : COUNT // 2] %= kind(70)
    return whole


def expected(form, inputs):
    results = [form.reference(*(x.item() for x in row)) for row in zip(*inputs, strict=True)]
    if form.result in (F32, F64):
        return np.array(results, form.result)
    bits = np.iinfo(form.result).bits
    unsigned = np.array([r & ((1 << bits) - 1) for r in results], f"u{bits // 8}")
    return unsigned.view(form.result)


def test_every_form_computes_what_the_manual_says(build):
    text = "".join(kernel_of(form, k) for k, form in enumerate(FORMS))
    module, wrong = build(text, no_extern_c=True), []
    for number, form in enumerate(FORMS):
        generator = np.random.default_rng(number)
        inputs = [values(kind, k, generator) for k, kind in enumerate(form.inputs)]
        if form.text.startswith(("bfe", "bfi")):
            # Places and lengths beyond a byte: an H200 takes them whole in the forms of 64 bits.
            inputs[-2:] = [numbers & 255 for numbers in inputs[-2:]]
        out, exact = np.zeros(COUNT, form.result), expected(form, inputs)
        module.get_function(f"f{number}")(
            cuda.Out(out), *map(cuda.In, inputs), block=(COUNT, 1, 1), grid=(1, 1)
        )
        # An approximate function of the GPU's own unit.
        close = 1e-3 if "tanh" in form.text else 1e-6
        same = np.allclose(out, exact, close) if ".approx" in form.text else (out == exact).all()
        if not same:
            wrong.append(form.text)
    assert wrong == []


MEMORY = r"""
extern "C" __global__ void special(unsigned* o) {
  unsigned r, t = threadIdx.x + blockDim.x * threadIdx.y; unsigned* p = o + 12 * t;
  asm("mov.u32 %0, %%laneid;" : "=r"(r)); p[0] = r;
  asm("mov.u32 %0, %laneid;" : "=r"(r)); p[1] = r;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(r)); p[2] = r;
  asm("mov.u32 %0, %%tid.y;" : "=r"(r)); p[3] = r;
  asm("mov.u32 %0, %%ntid.x;" : "=r"(r)); p[4] = r;
  asm("mov.u32 %0, %%ctaid.x;" : "=r"(r)); p[5] = r;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(r)); p[6] = r;
  asm("mov.u32 %0, %%smid;" : "=r"(r)); p[7] = r;
  unsigned long long c, d, g; unsigned low;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(c) :: "memory");
  asm volatile("mov.u32 %0, %%clock;" : "=r"(low));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(d) :: "memory");
  p[8] = d >= c && g != 0; p[9] = low != 0;
}
extern "C" __global__ void memory(int* o, const int* a, float4* v, unsigned* sum) {
  __shared__ int s[32]; int t = threadIdx.x, x, y;
  asm volatile("ld.global.nc.s32 %0, [%1];" : "=r"(x) : "l"(a + t));
  asm("ld.global.ca.s32 %0, [%1+4];" : "=r"(y) : "l"(a + t));
  s[t] = x;
  asm volatile("bar.sync 0;" ::: "memory");
  x = s[31 - t];
  asm volatile("membar.gl;");
  asm volatile("fence.acq_rel.gpu;");
  asm volatile("st.global.cs.s32 [%0], %1;" :: "l"(o + t), "r"(1000 * x + y) : "memory");
  float4 f;
  asm("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
      : "=f"(f.x), "=f"(f.y), "=f"(f.z), "=f"(f.w) : "l"(v + t));
  asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};"
      :: "l"(v + t), "f"(f.w), "f"(f.z), "f"(f.y), "f"(f.x) : "memory");
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %1, 5; @p st.global.s32 [%0], -1; }"
      :: "l"(o + t), "r"(t) : "memory");
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(sum), "r"(2) : "memory");
  asm volatile("red.global.max.u32 [%0], %1;" :: "l"(sum + 1), "r"(t) : "memory");
  asm volatile("prefetch.global.L2 [%0];" :: "l"(a));
  int both = t;
  asm("add.s32 %0, %0, %1;" : "+r"(both) : "n"(40));
  sum[2 + t] = both;
}
"""

ENDS = r"""
extern "C" __global__ void leave(int* o) {
  int t = threadIdx.x;
  o[t] = 1;
  asm volatile("{ .reg .pred p; setp.ge.s32 p, %0, 20; @p exit; }" :: "r"(t));
  o[t] = 2;
  if (t % 2) asm volatile("exit;");
  o[t] = 3;
}
extern "C" __global__ void exchange(unsigned* cells, unsigned* old) {
  unsigned t = threadIdx.x, seen;
  asm volatile("atom.global.inc.u32 %0, [%1], 9;" : "=r"(seen) : "l"(cells) : "memory");
  old[t] = seen;
  asm volatile("red.global.dec.u32 [%0], 5;" :: "l"(cells + 1) : "memory");
  unsigned expected = 0;
  do {
    seen = expected;
    asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
        : "=r"(expected) : "l"(cells + 2), "r"(seen), "r"(seen + t) : "memory");
  } while (expected != seen);
  asm volatile("{ .reg .pred p; .reg .u32 x; setp.lt.u32 p, %1, 4;"
      " @p atom.global.add.u32 x, [%0], 10; }" :: "l"(cells + 3), "r"(t) : "memory");
  asm volatile("discard.global.L2 [%0], 128;" :: "l"(cells + 64) : "memory");
  asm volatile("applypriority.global.L2::evict_normal [%0], 128;" :: "l"(cells) : "memory");
  asm volatile("prefetch.global.L2::evict_last [%0];" :: "l"(cells));
}
"""


def test_threads_that_leave(build):
    out = np.zeros(32, np.int32)
    leave = build(ENDS, no_extern_c=True).get_function("leave")
    leave(cuda.Out(out), block=(32, 1, 1), grid=(1, 1))
    t = np.arange(32)
    assert (out == np.where(t >= 20, 1, np.where(t % 2, 2, 3))).all()


def test_further_atomics_and_hints(build):
    cells, old = np.zeros(128, np.uint32), np.zeros(32, np.uint32)
    exchange = build(ENDS, no_extern_c=True).get_function("exchange")
    exchange(cuda.InOut(cells), cuda.Out(old), block=(32, 1, 1), grid=(1, 1))
    assert sorted(old) == sorted(i % 10 for i in range(32))
    assert cells[:4].tolist() == [2, 4, 31 * 16, 40]


@pytest.fixture
def memory(build):
    return build(MEMORY, no_extern_c=True)


def test_special_registers(memory):
    out = np.zeros((64, 12), np.uint32)
    memory.get_function("special")(cuda.Out(out), block=(32, 2, 1), grid=(1, 1))
    t = np.arange(64)
    assert (out[:, 0] == t % 32).all() and (out[:, 1] == t % 32).all()
    assert (out[:, 3] == t // 32).all()
    warps = out[:, 2].reshape(2, 32)  # any numbers, but one for each warp
    assert (warps == warps[:, :1]).all() and warps[0, 0] != warps[1, 0]
    processors = cuda.Context.get_device().multiprocessor_count
    assert (out[:, 4] == 32).all() and (out[:, 5] == 0).all() and (out[:, 7] < processors).all()
    assert (out[:, 6] == (1 << (t % 32).astype(np.uint64)) - 1).all()
    assert (out[:, 8] == 1).all() and (out[:, 9] == 1).all()


def test_loads_stores_barriers_and_atomics(memory):
    t, a = np.arange(32), np.arange(100, 133, dtype=np.int32)
    numbers = np.arange(128, dtype=np.float32).reshape(32, 4)
    stored, total, reversed_rows = np.zeros(32, np.int32), np.zeros(34, np.uint32), numbers.copy()
    memory.get_function("memory")(
        cuda.Out(stored), cuda.In(a), cuda.InOut(reversed_rows), cuda.InOut(total),
        block=(32, 1, 1), grid=(1, 1),
    )  # fmt: skip
    assert (stored == np.where(t < 5, -1, 1000 * a[31 - t] + a[t + 1])).all()
    assert (reversed_rows == numbers[:, ::-1]).all()
    assert total[0] == 64 and total[1] == 31 and (total[2:] == t + 40).all()
