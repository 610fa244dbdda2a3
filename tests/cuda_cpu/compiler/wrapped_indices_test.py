# SPDX-License-Identifier: MIT
"""Indices that wrap: LLVM's vectoriser took some of them for consecutive ones."""

import numpy as np

FORMS = {
    **{f"(unsigned)t * {m} % {n}": (m, 0, n) for m in range(1, 18) for n in (4, 8, 32, 128)},
    **{f"(t * {m} + 5) & 31": (m, 5, 32) for m in (1, 2, 3, 6, 11, 31, 33, -1, -3)},
    **{f"(unsigned char)(t * {m} + 1)": (m, 1, 256) for m in (1, 2, 3, 7, 100, 255)},
    **{f"(unsigned short)(t * {m})": (m, 0, 1 << 16) for m in (1, 3, 96, 1000)},
    **{f"(unsigned)t * n % {n}": (7, 0, n) for n in (8, 32, 24)},
    "(unsigned)t * 7 % 24": (7, 0, 24),
}
KERNELS = "".join(
    f"""extern "C" __global__ void k{i}(int *o, const int *a, int n) {{
      const int t = threadIdx.x; o[t] = a[{form}]; }}
    extern "C" __global__ void s{i}(int *o, const int *a, int n) {{
      __shared__ int s[1024]; const int t = threadIdx.x; s[t] = a[t]; __syncthreads();
      o[t] = s[({form}) % blockDim.x]; }}"""
    for i, form in enumerate(FORMS)
)


def test_indices_wrap_wherever_they_are_told_to(machine):
    module = machine.compile(KERNELS)
    values = np.arange(1 << 16, dtype=np.int32) + 1000
    wrong = []
    for i, (form, (factor, add, modulus)) in enumerate(FORMS.items()):
        for threads in (8, 16, 31, 32, 33, 64, 256):
            index = (np.arange(threads) * factor + add) % modulus
            for kernel, expected in ((f"k{i}", values[index]), (f"s{i}", values[index % threads])):
                out = np.zeros(threads, np.int32)
                module.kernel(kernel)(out, values, np.int32(7), block=(threads,), grid=(1,))
                if out.tolist() != expected.tolist():
                    wrong.append(
                        f"{form}, {threads} threads: {out.tolist()} for {expected.tolist()}"
                    )
    assert not wrong, f"{len(wrong)} differ\n" + "\n".join(wrong[:10])
