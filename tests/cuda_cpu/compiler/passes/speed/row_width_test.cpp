// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/speed/row_width.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

/// `shared[<pitch> * y + <stride> * x] = ..; barrier; q[x] = shared[0] * .. + ..`
std::string tile_kernel(const std::string& pitch, const std::string& stride) {
  return R"(@s = internal addrspace(3) global [4096 x float] undef
  define spir_kernel void @k(ptr addrspace(1) %q, float %f) {
    %x = call spir_func i32 @__treadle_thread_index(i32 0)
    %y = call spir_func i32 @__treadle_thread_index(i32 1)
    %row = mul i32 %y, )" +
         pitch + R"(
    %column = mul i32 %x, )" +
         stride + R"(
    %i = add i32 %row, %column
    %a = getelementptr float, ptr addrspace(3) @s, i32 %i
    store float %f, ptr addrspace(3) %a
    call spir_func void @__treadle_barrier(i32 1)
    %v = load float, ptr addrspace(3) @s
    %m = fmul contract float %v, %f
    %w = fsub contract float %f, %m
    %b = getelementptr float, ptr addrspace(1) %q, i32 %x
    store float %w, ptr addrspace(1) %b
    ret void })";
}

unsigned width_told_by(const std::string& pitch, const std::string& stride) {
  Lowered kernel(tile_kernel(pitch, stride));
  return likely_row_width(kernel.body);
}

TEST(RowWidth, IsToldByTilesInSharedMemory) {
  EXPECT_EQ(width_told_by("16", "1"), 16u);
  EXPECT_EQ(width_told_by("33", "1"), 32u) << "one column of padding";
  EXPECT_EQ(width_told_by("18", "1"), 16u) << "a halo";
}

TEST(RowWidth, IsNotToldByOtherMemory) {
  EXPECT_EQ(width_told_by("0", "1"), 0u) << "all rows the same";
  EXPECT_EQ(width_told_by("1", "32"), 0u) << "turned: x moves down";
  EXPECT_EQ(width_told_by("24", "1"), 0u) << "no power of two is near";
  EXPECT_EQ(width_told_by("512", "1"), 0u) << "wider than rows are";
}

TEST(RowWidth, AKernelThatTellsIsMadeForItAndForAny) {
  Lowered kernel(tile_kernel("16", "1"));
  kernel.make_regions();
  EXPECT_EQ(kernel.module.function_count("rows."), 2u);
  EXPECT_EQ(kernel.module.function_count("any."), 2u);
  const std::string text = kernel.module.text();
  EXPECT_THAT(text, ContainsRegex("icmp ult i32 %[0-9]+, 16\n")) << "the loop over x";
  EXPECT_THAT(text, HasSubstr("vectorize.followup_vectorized")) << "unrolled then, not before";
  Lowered plain(tile_kernel("0", "1"));
  plain.make_regions();
  EXPECT_EQ(plain.module.function_count("rows."), 0u);
}

TEST(RowWidth, ProductsAreFusedBeforeRowsCanShareThem) {
  Lowered kernel(tile_kernel("16", "1"));
  kernel.make_regions();
  const std::string text = kernel.module.text();
  EXPECT_THAT(text, HasSubstr("call contract float @llvm.fmuladd.f32"));
  EXPECT_EQ(text.find("fmul"), text.find("fmuladd")) << "no product of its own is left";
}

}  // namespace
}  // namespace treadle::cuda_cpu
