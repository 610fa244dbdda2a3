// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <cstring>

#include "cuda_cpu/compiler/backend.hpp"
#include "cuda_cpu/compiler/ir_module.hpp"
#include "cuda_cpu/module_abi.h"

namespace treadle::cuda_cpu {
namespace {

std::vector<char> build(const std::string& text, BackendOptions options = {}) {
  IrModule module(text);
  return build_module_image(module.take(), options);
}

constexpr const char* plain_kernel = R"(
  define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %i = zext i32 %t to i64
    %a = getelementptr float, ptr addrspace(1) %p, i64 %i
    %v = load float, ptr addrspace(1) %a
    %w = fadd float %v, %v
    store float %w, ptr addrspace(1) %a
    ret void })";

constexpr const char* barrier_kernel = R"(
  @s = internal addrspace(3) global [32 x i32] undef
  define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %c = icmp ult i32 %t, %n
    br i1 %c, label %work, label %end
  work:
    %i = zext i32 %t to i64
    %a = getelementptr i32, ptr addrspace(1) %p, i64 %i
    %v = load i32, ptr addrspace(1) %a
    %m = getelementptr i32, ptr addrspace(3) @s, i64 %i
    store i32 %v, ptr addrspace(3) %m
    call spir_func void @__treadle_barrier(i32 1)
    %o = getelementptr i32, ptr addrspace(3) %m, i64 -1
    %x = load i32, ptr addrspace(3) %o
    store i32 %x, ptr addrspace(1) %a
    br label %end
  end:
    ret void })";

TEST(ModuleImage, HeaderDescribesTheElfBehindIt) {
  const std::vector<char> image = build(plain_kernel);
  ModuleHeader header;
  ASSERT_GT(image.size(), sizeof header);
  std::memcpy(&header, image.data(), sizeof header);
  EXPECT_EQ(std::memcmp(header.magic, module_magic, sizeof header.magic), 0);
  EXPECT_EQ(header.abi_version, module_abi_version);
  EXPECT_EQ(header.header_size + header.payload_size, image.size());
  EXPECT_EQ(std::memcmp(image.data() + header.header_size,
                        "\x7f"
                        "ELF",
                        4),
            0);
}

TEST(ModuleImage, SameModuleSameBytes) {
  for (const char* text : {plain_kernel, barrier_kernel}) EXPECT_EQ(build(text), build(text));
}

TEST(ModuleImage, EveryOptimizationLevelBuilds) {
  for (unsigned level : {0u, 1u, 2u, 3u})
    for (const char* text : {plain_kernel, barrier_kernel})
      EXPECT_FALSE(build(text, {.optimization = level}).empty());
}

TEST(ModuleImage, AModuleWithoutKernelsIsValid) {
  EXPECT_FALSE(build("@x = addrspace(1) externally_initialized global i32 0").empty());
}

TEST(ModuleImage, TooManyBarriersAreRefusedWithTheirNumber) {
  std::string text = "define spir_kernel void @k() {\n";
  for (int i = 0; i < 300; ++i) text += "call spir_func void @__treadle_barrier(i32 1)\n";
  try {
    build(text + "ret void }");
    FAIL() << "accepted";
  } catch (const BackendError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("kernel 'k' has 300 barriers"));
  }
}

TEST(ModuleImage, ALibraryThatIsMissingIsNamed) {
  // 128-bit division is a call into the compiler's own library, which modules do not carry.
  try {
    build(R"(define spir_kernel void @k(ptr addrspace(1) %p, i128 %a, i128 %b) {
      %q = udiv i128 %a, %b
      store i128 %q, ptr addrspace(1) %p
      ret void })");
    FAIL() << "accepted";
  } catch (const BackendError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("__udivti3"));
  }
}

}  // namespace
}  // namespace treadle::cuda_cpu
