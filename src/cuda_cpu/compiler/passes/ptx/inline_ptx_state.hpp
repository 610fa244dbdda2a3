// SPDX-License-Identifier: MIT
// What inline PTX keeps or ends beyond its own text: the carry flag, and the thread.
#pragma once

namespace llvm {
class Module;
}

namespace treadle::cuda_cpu {

/// The functions that the translation of inline PTX calls, gone after lower_ptx_state().
namespace ptx_state {
inline constexpr const char* carry = "__treadle_ptx_carry";          ///< i1 ()
inline constexpr const char* set_carry = "__treadle_ptx_set_carry";  ///< void (i1)
inline constexpr const char* exit_if = "__treadle_ptx_exit_if";      ///< void (i1)
inline constexpr const char* trap_if = "__treadle_ptx_trap_if";      ///< void (i1)
}  // namespace ptx_state

/// Runs when functions are inlined. Throws BackendError for `exit` in a function that was not.
void lower_ptx_state(llvm::Module& module);

}  // namespace treadle::cuda_cpu
