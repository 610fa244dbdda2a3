// SPDX-License-Identifier: MIT
// The memory operand of an instruction that faulted. The processor names the address of a page
// fault, but none where a vector access is misaligned or an address is malformed: it is worked out
// from the instruction's bytes and the registers.
#pragma once

#include <cstdint>

namespace treadle::cuda_cpu {

struct MemoryOperand {
  bool known = false;
  std::uintptr_t address = 0;
  /// Whether an address can have this value at all (48 bits, sign-extended).
  bool well_formed() const {
    const auto value = static_cast<std::int64_t>(address);
    return value << 16 >> 16 == value;
  }
};

/// `machine_state`: the ucontext_t a signal handler gets. Callable from one. Unknown for forms that
/// compiled kernels do not fault on this way, and on other processors than x86-64.
MemoryOperand memory_operand(const void* machine_state);

}  // namespace treadle::cuda_cpu
