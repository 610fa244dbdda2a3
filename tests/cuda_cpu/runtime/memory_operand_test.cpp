// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/memory_operand.hpp"

#include <gtest/gtest.h>
#include <ucontext.h>

#include <initializer_list>
#include <vector>

namespace treadle::cuda_cpu {
namespace {

#if defined(__x86_64__)

/// Registers hold 0x1000 times their number, but rax 0x10000 and r9 -0x20.
MemoryOperand operand_of(std::vector<std::uint8_t> code) {
  code.resize(32);
  ucontext_t state{};
  auto& registers = state.uc_mcontext.gregs;
  registers[REG_RAX] = 0x10000;
  registers[REG_RCX] = 0x1000;
  registers[REG_RDX] = 0x2000;
  registers[REG_RSP] = 0x4000;
  registers[REG_RDI] = 0x7000;
  registers[REG_R8] = 0x8000;
  registers[REG_R9] = -0x20;
  registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(code.data()));
  return memory_operand(&state);
}

struct Row {
  const char* text;
  std::vector<std::uint8_t> code;
  std::uintptr_t address;
};

TEST(MemoryOperand, of_the_forms_compiled_kernels_have) {
  const Row rows[] = {
      {"mov [rax], ecx", {0x89, 0x08}, 0x10000},
      {"mov [rax + 4], ecx", {0x89, 0x48, 0x04}, 0x10004},
      {"mov [rax - 8], ecx", {0x89, 0x48, 0xf8}, 0xfff8},
      {"mov rcx, [r8 + r9*4 + 0x100]", {0x4b, 0x8b, 0x8c, 0x88, 0, 1, 0, 0}, 0x8080},
      {"mov dword [rsp + 16], 1", {0xc7, 0x44, 0x24, 0x10, 1, 0, 0, 0}, 0x4010},
      {"mov eax, [rcx*8 + 0x20]", {0x8b, 0x04, 0xcd, 0x20, 0, 0, 0}, 0x8020},
      {"movaps [rdi], xmm0", {0x0f, 0x29, 0x07}, 0x7000},
      {"movdqa xmm1, [rcx + rdx]", {0x66, 0x0f, 0x6f, 0x0c, 0x11}, 0x3000},
      {"vmovaps [rdi + 8], ymm0", {0xc5, 0xfc, 0x29, 0x47, 0x08}, 0x7008},
      {"vmovaps ymm0, [r8 + rcx*2]", {0xc4, 0xc1, 0x7c, 0x28, 0x04, 0x48}, 0xa000},
      // EVEX counts the displacement in vectors: one of 64 bytes, two of 16.
      {"vmovaps [rax + 64], zmm0", {0x62, 0xf1, 0x7c, 0x48, 0x29, 0x40, 0x01}, 0x10040},
      {"vmovdqa32 xmm0, [rdx + 32]", {0x62, 0xf1, 0x7d, 0x08, 0x6f, 0x42, 0x02}, 0x2020},
  };
  for (const Row& row : rows) {
    const MemoryOperand operand = operand_of(row.code);
    EXPECT_TRUE(operand.known) << row.text;
    EXPECT_EQ(operand.address, row.address) << row.text;
  }
}

TEST(MemoryOperand, is_unknown_where_there_is_none_or_more_than_one) {
  const Row rows[] = {
      {"mov eax, ecx", {0x89, 0xc8}, 0},
      {"mov eax, [rip + 4]", {0x8b, 0x05, 4, 0, 0, 0}, 0},
      {"ret", {0xc3}, 0},
      {"vgatherdps ymm0, [rax + ymm1*4], ymm2", {0xc4, 0xe2, 0x6d, 0x92, 0x04, 0x88}, 0},
      {"vaddps zmm0, zmm0, [rax + 64]", {0x62, 0xf1, 0x7c, 0x48, 0x58, 0x40, 0x01}, 0},
  };
  for (const Row& row : rows) EXPECT_FALSE(operand_of(row.code).known) << row.text;
}

TEST(MemoryOperand, addresses_have_48_bits) {
  EXPECT_TRUE((MemoryOperand{true, 0x7fffffffffff}.well_formed()));
  EXPECT_TRUE((MemoryOperand{true, 0xffff800000000000}.well_formed()));
  EXPECT_FALSE((MemoryOperand{true, 0x800000000000}.well_formed()));
  EXPECT_FALSE((MemoryOperand{true, 0x1234567812345678}.well_formed()));
}

#endif

}  // namespace
}  // namespace treadle::cuda_cpu
