// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/analysis/uniformity.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"
#include "cuda_cpu/compiler/passes/regions/live_values.hpp"
#include "cuda_cpu/compiler/passes/regions/region_exits.hpp"
#include "cuda_cpu/compiler/passes/regions/region_graph.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::ElementsAre;

TEST(Regions, ABranchOnTheThreadLeavesDifferently) {
  const Lowered kernel(crossing_kernel("%t"));
  const RegionGraph graph(kernel.body, "k");
  ASSERT_EQ(graph.regions().size(), 2u);
  const RegionExits exits = find_exits(graph, Uniformity(kernel.body), 0);
  EXPECT_THAT(exits.successors, ElementsAre(1, 255));
  EXPECT_FALSE(exits.uniform);
  EXPECT_FALSE(exits.scatters());
  EXPECT_EQ(find_exits(graph, Uniformity(kernel.body), 1).only_successor(), 255);
}

TEST(Regions, ABranchOnAParameterLeavesAlike) {
  const Lowered kernel(crossing_kernel("%n"));
  const RegionGraph graph(kernel.body, "k");
  const RegionExits exits = find_exits(graph, Uniformity(kernel.body), 0);
  EXPECT_TRUE(exits.uniform);
  EXPECT_EQ(exits.only_successor(), -1);
}

TEST(Regions, ThreadsThatMeetABarrierInAnotherTurnScatter) {
  const Lowered kernel(R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    br label %turn
  turn:
    %i = phi i32 [ 0, %0 ], [ %j, %next ]
    %c = icmp ult i32 %t, 5
    br i1 %c, label %meet, label %next
  meet:
    call spir_func void @__treadle_barrier(i32 0)
    br label %next
  next:
    %j = add i32 %i, 1
    %more = icmp ult i32 %j, %n
    br i1 %more, label %turn, label %end
  end:
    ret void })");
  const RegionGraph graph(kernel.body, "k");
  const RegionExits exits = find_exits(graph, Uniformity(kernel.body), 0);
  EXPECT_THAT(exits.successors, ElementsAre(1, 255));
  EXPECT_TRUE(exits.scatters()) << "one barrier, but some threads have passed it by before";
}

/// A loop that threads leave one by one, between two barriers; behind it a value all have.
std::string loop_between_barriers(const std::string& kind, const std::string& behind) {
  return R"(define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {
    %t = call spir_func i32 @__treadle_thread_index(i32 0)
    %c = icmp ult i32 %t, 5
    br label %loop
  loop:
    %i = phi i32 [ %t, %0 ], [ %j, %loop ]
    call spir_func void @__treadle_barrier(i32 )" +
         kind + R"()
    %j = add i32 %i, 3
    %d = icmp ult i32 %j, %n
    br i1 %d, label %loop, label %end
  end:
    )" + behind +
         R"(
    call spir_func void @__treadle_barrier(i32 1)
    %u = udiv i32 %n, 7
    call spir_func void @__treadle_barrier(i32 1)
    store i32 %u, ptr addrspace(1) %p
    ret void })";
}

/// The regions of a kernel that threads run apart, and those of its values that all threads share.
std::pair<std::vector<int>, std::vector<std::string>> apart_and_shared(const std::string& text) {
  const Lowered kernel(text);
  const RegionGraph graph(kernel.body, "k");
  const Uniformity uniformity(kernel.body);
  std::vector<RegionExits> exits;
  for (unsigned i = 0; i < graph.regions().size(); ++i)
    exits.push_back(find_exits(graph, uniformity, i));
  const llvm::BitVector apart = divergent_regions(graph, exits);
  const LiveValues live(kernel.body, graph, uniformity, apart);
  std::pair<std::vector<int>, std::vector<std::string>> result;
  for (unsigned region : apart.set_bits()) result.first.push_back(static_cast<int>(region));
  for (const Slot& slot : live.slots())
    if (slot.uniform) result.second.push_back(slot.value->getName().str());
  return result;
}

TEST(Regions, ThreadsThatPartMeetAtTheNextBarrierOfTheBlock) {
  const auto [apart, shared] = apart_and_shared(loop_between_barriers("0", ""));
  EXPECT_THAT(apart, ElementsAre(1)) << "the steps";
  EXPECT_THAT(shared, ElementsAre("u"));
}

TEST(Regions, ThreadsThatMayStandAtDifferentBarriersStayApart) {
  const auto [apart, shared] = apart_and_shared(loop_between_barriers("1", ""));
  EXPECT_THAT(apart, ElementsAre(0, 1, 2, 3)) << "some in the loop, some behind it";
  EXPECT_TRUE(shared.empty());
  const auto [branch, none] = apart_and_shared(
      loop_between_barriers("0",
                            "br i1 %c, label %some, label %all\nsome:\n"
                            "call spir_func void @__treadle_barrier(i32 1)\nbr label %all\nall:"));
  EXPECT_EQ(branch.size(), 5u);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace treadle::cuda_cpu
