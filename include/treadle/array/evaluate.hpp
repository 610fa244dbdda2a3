// SPDX-License-Identifier: MIT
// When arrays are computed. An expression is computed
//
//   by                                                      what
//   a value for the host: get(), item(), printing           it
//   memory asked for: buffer(), location(), a view of it,   it
//   a launch with it
//   an operand that has escaped, eager evaluation           it, when it is recorded
//   an expression that would exceed what one kernel takes   its largest operand
//   a change of memory that it reads, or its end: an        it, before the change
//   in-place operator, a copy, a fill, a launch, free()
//   a mark: an event that is recorded or waited for, a      all that wait for this stream
//   wait for a stream
//   evaluate()                                              all that are named, together
//   memory that is short: the pool grows much, or the       all that keep more memory than their
//   device refuses                                          results take, which nobody else keeps
//
// and by nothing else. Of what is computed together, expressions of one shape that read the same
// are one kernel. Memory has escaped when its address or its bytes are known to code that the
// library does not see: location(), DLPack, memory that somebody else allocated. Buffers and arrays
// that are passed to copies, fills and launches have not: these say so before they write
// (treadle/device/deferred.hpp).
#pragma once

#include <string>

namespace treadle::array {

class Array;

/// Whether expressions wait until they are looked at: true, unless set_lazy() said otherwise. Of
/// the process.
bool is_lazy() noexcept;
/// Returns what it was.
bool set_lazy(bool lazy) noexcept;

/// How an array was made or will be made, as text for people: its kernel, the bytes that it reads
/// and writes, an estimate of its instructions, the operations with their lines where the host
/// language tells them (Python does), the arrays that were computed before and why, and the
/// generated text. Computes nothing; the kernel of a pending array is compiled. Throws as
/// evaluate().
std::string explain(const Array& array);

/// As long as it lives this thread defers expressions on escaped memory, too: the program promises
/// that no other code changes that memory before they are computed.
class [[nodiscard]] Fusing {
 public:
  Fusing() noexcept;  ///< scopes may lie within each other
  ~Fusing();
  Fusing(const Fusing&) = delete;
  Fusing& operator=(const Fusing&) = delete;
};
/// Whether such an object lives on this thread.
bool is_fusing() noexcept;

/// A lock of the host language, as Python's, that threads hold while they call the library. It is
/// released while expressions are computed: that may take long and wait for a thread that needs it.
struct HostLock {
  void* (*release)();           ///< null if this thread did not hold it
  void (*acquire)(void* what);  ///< with what release() gave, if that was not null
};
/// Once, before arrays are used.
void set_host_lock(const HostLock& lock) noexcept;

}  // namespace treadle::array
