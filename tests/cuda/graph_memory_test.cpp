// SPDX-License-Identifier: MIT
#include "treadle/cuda/graph_memory.hpp"

#include <gtest/gtest.h>

#include "cuda/providers.hpp"
#include "treadle/cuda/graph.hpp"
#include "treadle/cuda/stream.hpp"

namespace treadle::cuda {
namespace {

class GraphsMemory : public OnEachProvider {};
INSTANTIATE_TEST_SUITE_P(Providers, GraphsMemory, each_provider, provider_name);

TEST_P(GraphsMemory, IsCountedAndGivenBack) {
  const Graph graph;
  const GraphAllocation made = graph.add_allocation({}, 1 << 20);
  graph.add_free(made.node, made.address);
  {
    const GraphExec exec = graph.instantiate();
    exec.launch();
    context().synchronize();
  }
  const GraphMemoryUse use = graph_memory_use(device());
  EXPECT_GE(use.most_used, 1u << 20);
  EXPECT_GE(use.most_reserved, use.reserved);
  trim_graph_memory(device());
  reset_most_graph_memory(device());
  EXPECT_LE(graph_memory_use(device()).reserved, use.reserved);
  EXPECT_EQ(graph_memory_use(device()).most_used, graph_memory_use(device()).used);
}

TEST_P(GraphsMemory, GoesWithItsGraphs) {
  trim_graph_memory(device());  // what earlier graphs had would be used again
  const std::uint64_t before = graph_memory_use(device()).reserved;
  reset_most_graph_memory(device());
  {
    const Graph graph;
    const GraphAllocation made = graph.add_allocation({}, 3 << 20);
    graph.add_free(made.node, made.address);
    graph.instantiate().launch();
    context().synchronize();
    EXPECT_GE(graph_memory_use(device()).most_reserved, before + (3 << 20));
  }
  trim_graph_memory(device());
  EXPECT_LE(graph_memory_use(device()).reserved, before);
}

}  // namespace
}  // namespace treadle::cuda
