// SPDX-License-Identifier: MIT
// What Thrust's headers read first.
#error Thrust is not available in kernels: <complex>, <tuple>, <functional> and <cuda/std/...> have what device code uses of it
