// SPDX-License-Identifier: MIT
// When arrays are computed. A pending expression is computed
//
//   by                                                      which expressions
//   a value for the host: get(), item(), printing           this expression
//   memory asked for: buffer(), location(), a view of it,   this expression
//   a launch with it
//   an operand that has escaped, eager evaluation           this expression, when it is recorded
//   an expression that would exceed one kernel              its largest operand
//   a change or the end of memory that it reads: an         this expression, before the change
//   in-place operator, a copy, a fill, a launch, free()
//   a mark: an event that is recorded or waited for, a      all pending expressions of this stream
//   wait for a stream
//   evaluate()                                              all named expressions, together
//   memory that is short: the pool grows much, or the       expressions that alone keep more memory
//   device refuses                                          than their results take
//
// and for no other reason. Among the arrays that are computed together, expressions of one shape
// that read the same arrays become one kernel. Memory has escaped when code that the library does
// not see knows its address or its bytes: location(), DLPack, memory that somebody else allocated.
// Buffers and arrays that are passed to copies, fills and launches have not escaped: these calls
// tell the library before they write (treadle/device/deferred.hpp).
#pragma once

#include <string>

namespace treadle::array {

class Array;

/// Whether expressions stay pending until they are needed. True, unless set_lazy() changed it. This
/// is a setting of the process.
bool is_lazy() noexcept;
/// Returns the earlier setting.
bool set_lazy(bool lazy) noexcept;

/// Describes for people how an array was made or will be made: its kernel, the bytes that the
/// kernel reads and writes, an estimate of its instructions, the operations with their source lines
/// if the host language tells them (Python does), the arrays that were computed before and why, and
/// the generated text. Computes nothing, but compiles the kernel of a pending array. Throws as
/// evaluate().
std::string explain(const Array& array);

/// While this object lives, expressions of this thread on escaped memory stay pending, too. The
/// program promises that no other code changes that memory before the expressions are computed.
class [[nodiscard]] Fusing {
 public:
  Fusing() noexcept;  ///< scopes may be nested
  ~Fusing();
  Fusing(const Fusing&) = delete;
  Fusing& operator=(const Fusing&) = delete;
};
/// Whether this thread has a Fusing object.
bool is_fusing() noexcept;

/// A lock of the host language, such as Python's, that threads hold while they call the library.
/// The library releases the lock while it computes expressions: computing may take long, and may
/// wait for a thread that needs the lock.
struct HostLock {
  void* (*release)();           ///< null if this thread did not hold it
  void (*acquire)(void* what);  ///< takes the result of release(), if that was not null
};
/// Sets the lock. Call this once, before arrays are used.
void set_host_lock(const HostLock& lock) noexcept;

}  // namespace treadle::array
