// SPDX-License-Identifier: MIT
// When arrays are computed. An expression is computed
//
//   by                                                      what
//   a value for the host: get(), item(), printing           it
//   memory asked for: buffer(), location(), a view of it    it
//   an operand that has escaped, eager evaluation           it, when it is recorded
//   an expression that would exceed what one kernel takes   its largest operand
//   a change of memory that it reads                        it, before the change
//   evaluate()                                              all that are named, together
//
// and by nothing else. Memory has escaped when its address or its bytes are known to code that the
// library does not see: buffer(), location(), DLPack, memory that somebody else allocated.
#pragma once

namespace treadle::array {

/// Whether expressions wait until they are looked at: true, unless set_lazy() said otherwise. Of
/// the process.
bool is_lazy() noexcept;
/// Returns what it was.
bool set_lazy(bool lazy) noexcept;

/// Within it this thread defers expressions on memory that has escaped, too: the promise that
/// nobody else changes that memory before they are computed.
class [[nodiscard]] Fusing {
 public:
  Fusing() noexcept;  ///< scopes may lie within each other
  ~Fusing();
  Fusing(const Fusing&) = delete;
  Fusing& operator=(const Fusing&) = delete;
};
/// Whether there is one on this thread.
bool is_fusing() noexcept;

}  // namespace treadle::array
