// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include "cuda_cpu/compiler/lowered.hpp"
#include "cuda_cpu/compiler/passes/analysis/uniformity.hpp"
#include "cuda_cpu/compiler/passes/kernel_texts.hpp"
#include "cuda_cpu/compiler/passes/regions/live_values.hpp"
#include "cuda_cpu/compiler/passes/regions/region_graph.hpp"

namespace treadle::cuda_cpu {
namespace {

using testing::ElementsAre;

TEST(LiveValues, IndicesAreRecomputedOtherValuesGetSlots) {
  const Lowered kernel(crossing_kernel("%n"));
  const RegionGraph graph(kernel.body, "k");
  const LiveValues live(kernel.body, graph, Uniformity(kernel.body), llvm::BitVector(2));
  std::vector<std::string> slots;
  for (const Slot& slot : live.slots())
    slots.push_back(slot.value->getName().str() + (slot.uniform ? " uniform" : " varying"));
  EXPECT_THAT(slots, ElementsAre("u uniform", "v varying"));
  EXPECT_EQ(live.varying_size(), 4u);
  EXPECT_EQ(live.needed_by(1).size(), 3u);
}

}  // namespace
}  // namespace treadle::cuda_cpu
