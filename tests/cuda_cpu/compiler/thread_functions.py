# SPDX-License-Identifier: MIT
"""The lists atomics, warp and memory of tests/cuda_cpu/device_functions as programs: kernels that
show what a function does when threads meet."""

import dataclasses

import device_functions
import numpy as np

BLOCK, GRID = 64, 3
COUNT = BLOCK * GRID
VECTORS = {"float2": (np.float32, 2), "float4": (np.float32, 4), "longlong2": (np.int64, 2)}
GLOBAL_ONLY = ("float2", "float4")
PLUS = """template <class T> __device__ T plus(T a, T b) { return a + b; }
__device__ longlong2 plus(longlong2 a, longlong2 b) {
  a.x += b.x; a.y += b.y; return a; }
template <class T> __device__ bool same(T a, T b) { return a == b; }
__device__ bool same(longlong2 a, longlong2 b) { return a.x == b.x && a.y == b.y; }
"""


@dataclasses.dataclass(frozen=True)
class Atomic:
    """An operation on one type, with the scopes it has: plain, _system and _block."""

    name: str
    kind: str
    scopes: tuple

    @property
    def dtype(self):
        """Of an element; vectors are rows."""
        return VECTORS.get(self.kind, (device_functions.DTYPES.get(self.kind), 1))

    def call(self, name, place):
        if not name.startswith("atomicCAS"):
            return f"{name}({place}, v[i])"
        return f"swap([](T* a, T b, T c) {{ return {name}(a, b, c); }}, {place}, v[i])"

    def kernel(self, symbol):
        """Every thread meets every other in two cells, and its block's in shared memory: a name for
        the block's own cell where CUDA has the operation for global memory only."""
        system = self.name + ("_system" if "_system" in self.scopes else "")
        block = self.name + ("_block" if "_block" in self.scopes else "")
        shared = "T& s = cells[2 + blockIdx.x];" if self.kind in GLOBAL_ONLY else "__shared__ T s;"
        return (
            f'extern "C" __global__ void {symbol}({self.kind}* cells, const {self.kind}* v,'
            f" {self.kind}* old) {{\n  typedef {self.kind} T; {shared}\n"
            "  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;\n"
            "  if (threadIdx.x == 0) s = cells[2 + blockIdx.x];\n  __syncthreads();\n"
            f"  old[i] = {self.call(self.name, '&cells[0]')};\n"
            f"  old[n + i] = {self.call(system, '&cells[1]')};\n"
            f"  old[2 * n + i] = {self.call(block, '&s')};\n"
            "  __syncthreads();\n  if (threadIdx.x == 0) cells[2 + blockIdx.x] = s;\n}\n"
        )

    def next(self, old, value):
        """What is there behind an operation that found `old`."""
        with np.errstate(over="ignore"):
            return {
                "Add": lambda: old + value,
                "CAS": lambda: old + value,
                "Sub": lambda: old - value,
                "Exch": lambda: value,
                "Min": lambda: np.minimum(old, value),
                "Max": lambda: np.maximum(old, value),
                "And": lambda: old & value,
                "Or": lambda: old | value,
                "Xor": lambda: old ^ value,
                "Inc": lambda: np.where(old >= value, 0, old + 1).astype(old.dtype),
                "Dec": lambda: np.where((old == 0) | (old > value), value, old - 1).astype(
                    old.dtype
                ),
            }[self.name.removeprefix("atomic")]()


def atomics():
    found = {}
    for function in device_functions.family("atomics"):
        name, _, scope = function.name.partition("_")
        found.setdefault((name, function.result), []).append("_" + scope if scope else "")
    return [Atomic(*key, tuple(scopes)) for key, scopes in found.items()]


def atomics_program():
    swap = """template <class T, class F> __device__ T swap(F cas, T* place, T value) {
      T seen = *place;
      for (;;) { const T found = cas(place, seen, plus(seen, value));
        if (same(found, seen)) return found;
        seen = found; } }
    """
    kernels = "".join(atomic.kernel(f"f{k}") for k, atomic in enumerate(atomics()))
    return PLUS + swap + kernels


EVEN, ODD = 0x55555555, 0xAAAAAAAA
WIDTH = 16


def warp_call(function, mask):
    """A call in which no lane reads one outside `mask`: the lanes read are an even step away."""
    name = function.name
    if name == "__activemask":
        return f"{name}()"
    if name == "__syncwarp":
        return f"({name}({mask}), 1)"
    more = ""
    if "shfl" in name:
        step = {"__shfl_sync": "4 + (t & 1)", "__shfl_xor_sync": "6"}.get(name, "2")
        more = f", {step}, {WIDTH}"
    if "match_all" in name:
        more = ", &all"
    return f"{name}({mask}, v[t]{more})"


def warp_kernel(function, symbol):
    """The function in both sides of a branch that the bits `odd` of the thread decide, with a mask
    for each; or in whole warps, where there are none."""
    kind = function.parameters[1] if len(function.parameters) > 1 else "int"
    result = function.result if function.result != "void" else "int"
    return (
        f'extern "C" __global__ void {symbol}(const {kind}* v, {result}* out, int* matched,'
        " int odd, unsigned yes, unsigned no) {\n  int t = threadIdx.x, all = 7;\n"
        f"  if (t & odd) {{ out[t] = {warp_call(function, 'yes')}; }}\n"
        f"  else {{ out[t] = {warp_call(function, 'no')}; }}\n"
        "  matched[t] = all;\n}\n"
    )


def warp_program():
    functions = device_functions.family("warp")
    return "".join(warp_kernel(function, f"f{k}") for k, function in enumerate(functions))


def memory_functions():
    """{type: (loads, stores)}"""
    kinds = {}
    for function in device_functions.family("memory"):
        load = function.name.startswith("__ld")
        kind = device_functions.value_type(function.parameters[0])
        kinds.setdefault(kind, ([], []))[0 if load else 1].append(function.name)
    return kinds


def memory_program():
    """One kernel a type: out[k * n + i] comes through the k-th function."""
    text = ""
    for number, (kind, (loads, stores)) in enumerate(memory_functions().items()):
        body = [f"out[{k} * n + i] = {name}(in + i);" for k, name in enumerate(loads)]
        body += [f"{name}(&out[{len(loads) + k} * n + i], in[i]);" for k, name in enumerate(stores)]
        text += (
            f'extern "C" __global__ void f{number}(const {kind}* in, {kind}* out, int n) {{\n'
            "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  " + "\n  ".join(body) + "\n}\n"
        )
    return text


THREADS_SOURCE = """
__device__ int in_global;
extern "C" __global__ void k(int* out, const int* in) {
  __shared__ int in_shared[40]; int t = threadIdx.x;
  volatile int local[4]; local[t & 3] = in[t]; in_shared[t % 40] = t;
  long long then = clock64(); clock_t other = clock();
  __threadfence(); __threadfence_block(); __threadfence_system(); __threadfence_cluster();
  __prof_trigger(3); __nanosleep(20); __barrier_sync(0); __syncthreads();
  int* o = out + 16 * t; void* shared = &in_shared[7]; void* own = (void*)&local[1];
  o[0] = __syncthreads_count(t < 10); o[1] = __syncthreads_and(t < 10);
  o[2] = __syncthreads_or(t < 10);
  o[3] = syncthreads_count(t > 3); o[4] = syncthreads_and(t < 64); o[5] = syncthreads_or(t > 64);
  o[6] = __isShared(shared) | __isShared(own) << 1 | __isShared(in) << 2
    | __isCtaShared(shared) << 3;
  o[7] = __isGlobal(shared) | __isGlobal(own) << 1 | __isGlobal(in) << 2
    | __isGlobal(&in_global) << 3;
  o[8] = __isLocal(shared) | __isLocal(own) << 1 | __isLocal(in) << 2;
  o[9] = __isConstant(in) | __isConstant(shared) << 1 | __isGridConstant(in) << 2;
  o[10] = __cvta_shared_to_generic(__cvta_generic_to_shared(shared)) == shared
    && __cvta_generic_to_shared(shared) < 1024 * 1024;
  o[11] = __cvta_global_to_generic(__cvta_generic_to_global(in)) == in;
  o[12] = *(volatile int*)__cvta_local_to_generic(__cvta_generic_to_local((void*)&local[t & 3]));
  o[13] = clock64() >= then && clock() != other + 1;
}
// Taken by both compilers; what they give is no number to compare.
extern "C" __global__ void taken(const void* p, size_t* out) {
  out[0] = __cvta_generic_to_constant(p); out[1] = __cvta_generic_to_grid_constant(p);
  out[2] = (size_t)__cvta_constant_to_generic(out[0]);
  out[3] = (size_t)__cvta_grid_constant_to_generic(out[1]);
  if (out == nullptr) __brkpt();
}
"""


PROGRAMS = {
    "atomics": atomics_program,
    "warp": warp_program,
    "memory": memory_program,
    "threads": lambda: THREADS_SOURCE,
}
