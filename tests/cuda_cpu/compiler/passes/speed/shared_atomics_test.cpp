// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/speed/shared_atomics.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(SharedAtomics, OnlyThoseOnSharedMemoryBecomePlain) {
  const Lowered kernel(R"(
    @a = internal addrspace(3) global i32 undef
    define spir_kernel void @k(ptr addrspace(1) %p) {
      %x = atomicrmw add ptr addrspace(3) @a, i32 1 seq_cst
      %y = atomicrmw add ptr addrspace(1) %p, i32 %x seq_cst
      ret void })");
  mark_shared_atomics(kernel.body);
  make_shared_atomics_plain(*kernel.body.function);
  EXPECT_THAT(kernel.text(), Not(HasSubstr("atomicrmw add ptr addrspace(3)")));
  EXPECT_THAT(kernel.text(), HasSubstr("atomicrmw add ptr addrspace(1)"));
}

}  // namespace
}  // namespace treadle::cuda_cpu
