// SPDX-License-Identifier: MIT
// Asynchronous copies by the thread that asks for them, as C functions. They are done at once.
#pragma once

/// The last `zeros` of `size` bytes become zero.
__TREADLE_FUNCTION void __pipeline_memcpy_async(void* __restrict__ to,
                                                const void* __restrict__ from, size_t size,
                                                size_t zeros = 0) {
  memcpy(to, from, size - zeros);
  memset(static_cast<char*>(to) + (size - zeros), 0, zeros);
}
__TREADLE_FUNCTION void __pipeline_commit() {}
__TREADLE_FUNCTION void __pipeline_wait_prior(size_t) {}
