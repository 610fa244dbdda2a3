// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <map>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/analysis/uniformity.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"
#include "cuda_cpu/compiler/passes/regions/live_values.hpp"
#include "cuda_cpu/compiler/passes/regions/region_graph.hpp"

namespace treadle::cuda_cpu {
namespace {

/// The offsets of the varying slots, by name.
std::map<std::string, std::uint64_t> offsets_of(const std::string& text) {
  const Lowered kernel(text);
  const RegionGraph graph(kernel.body, "k");
  const auto count = static_cast<unsigned>(graph.regions().size());
  LiveValues live(kernel.body, graph, Uniformity(kernel.body), llvm::BitVector(count));
  live.color_slots(kernel.body, graph);
  live.lay_out(kernel.body);
  std::map<std::string, std::uint64_t> offsets;
  for (const Slot& slot : live.slots())
    if (!slot.uniform) offsets[slot.value->getName().str()] = slot.offset;
  return offsets;
}

TEST(SlotColoring, ASumAndItsNextValueShareOne) {
  const auto offsets = offsets_of(walking_kernel(""));
  ASSERT_TRUE(offsets.contains("sum") && offsets.contains("next"));
  EXPECT_EQ(offsets.at("sum"), offsets.at("next"));
  EXPECT_NE(offsets.at("sum"), offsets.at("v")) << "both are needed behind the first barrier";
}

TEST(SlotColoring, ValuesThatABarrierFindsBothAliveHaveTheirOwn) {
  const auto offsets = offsets_of(walking_kernel("store float %sum, ptr addrspace(1) %a"));
  EXPECT_NE(offsets.at("sum"), offsets.at("next"));
}

TEST(SlotColoring, ValuesThatChangePlacesHaveTheirOwn) {
  const auto offsets = offsets_of(R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %x = call spir_func i32 @__treadle_thread_index(i32 0)
    %a = getelementptr float, ptr addrspace(1) %p, i32 %x
    %v = load float, ptr addrspace(1) %a
    br label %loop
   loop:
    %m = phi i32 [ 0, %0 ], [ %m.next, %loop ]
    %one = phi float [ 0.0, %0 ], [ %two, %loop ]
    %two = phi float [ %v, %0 ], [ %one, %loop ]
    call spir_func void @__treadle_barrier(i32 1)
    %m.next = add i32 %m, 1
    %more = icmp slt i32 %m.next, %n
    br i1 %more, label %loop, label %end
   end:
    store float %one, ptr addrspace(1) %a
    ret void })");
  EXPECT_NE(offsets.at("one"), offsets.at("two"));
}

}  // namespace
}  // namespace treadle::cuda_cpu
