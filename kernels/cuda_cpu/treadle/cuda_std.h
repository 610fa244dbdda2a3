// SPDX-License-Identifier: MIT
// cuda::std has all that std has: the headers of both are read by device code alone. What is declared in cuda::std
// itself (atomic, barrier, chrono) comes before.
#pragma once

extern "C++" {
namespace std {}
namespace cuda {
namespace std {
using namespace ::std;
}  // namespace std
}  // namespace cuda
}
