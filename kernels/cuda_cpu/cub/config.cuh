// SPDX-License-Identifier: MIT
// What CUB's headers read first.
#error CUB is not available on the CPU device: cooperative_groups/reduce.h and scan.h have reductions and scans of tiles and warps on every device
