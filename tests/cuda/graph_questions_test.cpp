// SPDX-License-Identifier: MIT
// What nodes tell of themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "cuda/graph_kernels.hpp"
#include "treadle/cuda/capture.hpp"
#include "treadle/cuda/graph.hpp"
#include "treadle/cuda/launch_attributes.hpp"
#include "treadle/cuda/occupancy.hpp"

namespace treadle::cuda {
namespace {

using testing::HasSubstr;

class GraphQuestions : public OnGraphKernels {};
INSTANTIATE_TEST_SUITE_P(Providers, GraphQuestions, each_provider, provider_name);

TEST_P(GraphQuestions, AKernelsNodeTellsWhatItLaunches) {
  const DeviceMemory memory = on_device({1, 2, 3, 4});
  const Graph graph;
  const GraphNode node =
      graph.add_kernel({}, kernel("add"), {.grid = {3, 2}, .block = {4}}, memory, 5);
  const NodeKernel told = node.kernel();
  EXPECT_EQ(told.function, kernel("add").raw());
  EXPECT_EQ(told.name, "add");
  EXPECT_EQ(told.grid.x, 3u);
  EXPECT_EQ(told.grid.y, 2u);
  EXPECT_EQ(told.block.x, 4u);
  EXPECT_EQ(told.shared_bytes, 0u);
  if (!is_present(device().driver().table().cuFuncGetParamInfo)) return;
  ASSERT_EQ(told.arguments.size(), 2u);
  DevicePointer address = 0;
  int summand = 0;
  ASSERT_EQ(told.arguments[0].size(), sizeof address);
  ASSERT_EQ(told.arguments[1].size(), sizeof summand);
  std::memcpy(&address, told.arguments[0].data(), sizeof address);
  std::memcpy(&summand, told.arguments[1].data(), sizeof summand);
  EXPECT_EQ(address, memory.address());
  EXPECT_EQ(summand, 5);
}

TEST_P(GraphQuestions, CopiesAndFillsAreToldAsTheyWereDescribed) {
  const DeviceMemory from = on_device({1, 2, 3, 4}), to = on_device({0, 0, 0, 0});
  const Graph graph;
  const GraphNode filled =
      graph.add_fill({}, {.area = {from.address(), 0, 3, 1}, .value = 7, .element_bytes = 4});
  const GraphNode copied = graph.add_copy(filled, to.address(), from.address(), 16);
  const GraphFill fill = filled.fill();
  EXPECT_EQ(fill.area.destination, from.address());
  EXPECT_EQ(fill.area.width, 3u);
  EXPECT_EQ(fill.value, 7u);
  EXPECT_EQ(fill.element_bytes, 4u);
  const Copy3D copy = copied.copy();
  EXPECT_EQ(copy.source.device, from.address());
  EXPECT_EQ(copy.destination.device, to.address());
  EXPECT_EQ(copy.width_bytes, 16u);
  // What was told describes the same work again.
  const DeviceMemory other = on_device({9, 9, 9, 9});
  Copy3D again = copy;
  again.destination.device = other.address();
  copied.set_copy(again);
  const GraphExec exec = graph.instantiate();
  exec.launch(stream());
  stream().synchronize();
  EXPECT_EQ(on_host(other), (std::vector{7, 7, 7, 4}));
  EXPECT_EQ(on_host(to)[0], 0);
}

TEST_P(GraphQuestions, TheOthersTellWhatTheyAreOf) {
  const Event event(EventFlags::disable_timing);
  const Graph graph;
  const GraphNode recorded = graph.add_record({}, event), waits = graph.add_wait(recorded, event);
  EXPECT_EQ(recorded.event(), event.raw());
  EXPECT_EQ(waits.event(), event.raw());
  const GraphNode called = graph.add_host({}, [] {});
  const NodeHost host = called.host();
  EXPECT_NE(host.function, nullptr);
  EXPECT_NE(host.data, nullptr);
  const GraphAllocation made = graph.add_allocation({}, 4096);
  const GraphNode freed = graph.add_free(made.node, made.address);
  EXPECT_EQ(made.node.allocation().address, made.address);
  EXPECT_EQ(made.node.allocation().size_bytes, 4096u);
  EXPECT_EQ(freed.freed(), made.address);
  EXPECT_THROW(called.kernel(), DeviceError);
  EXPECT_THROW(called.copy(), DeviceError);
  EXPECT_THROW(called.fill(), DeviceError);
  EXPECT_THROW(called.event(), DeviceError);
  EXPECT_THROW(called.operations(), DeviceError);
  EXPECT_THROW(called.allocation(), DeviceError);
  EXPECT_THROW(called.freed(), DeviceError);
  EXPECT_THROW(called.attributes(), DeviceError);
  EXPECT_THROW(recorded.host(), DeviceError);
}

TEST_P(GraphQuestions, OperationsOnMemoryAreNodes) {
  const HostMemory words(8, HostMemoryFlags::device_map);
  auto* const word = words.as<std::uint32_t>().data();
  word[0] = word[1] = 0;
  using Kind = MemoryOperation::Kind;
  const DevicePointer at = words.device_pointer();
  const std::vector<MemoryOperation> both{{Kind::write32, at, 3},
                                          {Kind::wait32, at, 3, WaitCondition::equal}};
  const Graph graph;
  const GraphNode node = graph.add_operations({}, both);
  EXPECT_EQ(node.type(), GraphNodeType::memory_operations);
  const std::vector<MemoryOperation> told = node.operations();
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].kind, Kind::write32);
  EXPECT_EQ(told[0].address, at);
  EXPECT_EQ(told[0].value, 3u);
  EXPECT_EQ(told[1].kind, Kind::wait32);
  EXPECT_EQ(told[1].condition, WaitCondition::equal);
  const GraphExec exec = graph.instantiate();
  const auto run = [&] {
    exec.launch(stream());
    stream().synchronize();
  };
  run();
  EXPECT_EQ(word[0], 3u);
  const std::vector<MemoryOperation> other{{Kind::write32, at + 4, 5}};
  node.set_operations(other);
  EXPECT_EQ(node.operations().size(), 1u);
  word[1] = 8;
  exec.set_operations(
      node, std::vector<MemoryOperation>{{Kind::write32, at, 9},
                                         {Kind::wait32, at + 4, 8, WaitCondition::equal}});
  run();
  EXPECT_EQ(word[0], 9u);
  EXPECT_THROW(exec.set_operations(node, other), DeviceError) << "fewer than it has";
  graph.instantiate().launch(stream());
  stream().synchronize();
  EXPECT_EQ(word[1], 5u);
  EXPECT_THROW(graph.add_operations({}, {}), InvalidArgument);
  EXPECT_THROW(node.set_operations({}), InvalidArgument);
}

TEST_P(GraphQuestions, AttributesGoFromNodeToNode) {
  const DeviceMemory memory = on_device({1, 2, 3, 4});
  const Graph graph;
  const int greatest = context().stream_priorities().greatest;
  const LaunchAttributes urgent{.priority = greatest};
  const GraphNode from = graph.add_kernel({}, kernel("add"), {.block = {4}, .attributes = &urgent},
                                          memory, 1),
                  to = graph.add_kernel(from, kernel("add"), {.block = {4}}, memory, 1);
  to.copy_attributes(from);
  const LaunchAttributes told = to.attributes();
  ASSERT_TRUE(told.cluster.has_value());
  EXPECT_EQ(told.cluster->x, 1u);
  EXPECT_FALSE(told.access_window.has_value());
  if (GetParam() == Provider::nvidia) {
    EXPECT_EQ(told.priority, greatest);
  }
  EXPECT_THROW(graph.add_empty({}).copy_attributes(from), DeviceError);
}

TEST_P(GraphQuestions, AnExecutableGraphKnowsItsFlags) {
  const Graph graph;
  graph.add_empty({});
  EXPECT_EQ(graph.instantiate().flags(), InstantiateFlags::none);
  EXPECT_EQ(graph.instantiate(InstantiateFlags::free_on_launch).flags(),
            InstantiateFlags::free_on_launch);
}

TEST_P(GraphQuestions, AnEventRecordedForOutsideBecomesANode) {
  const DeviceMemory memory = on_device({1, 2, 3, 4});
  const Event event(EventFlags::disable_timing);
  Capture capture(stream());
  add(memory, 1, {.stream = stream()});
  record_external(event, stream());
  const Graph graph = capture.end();
  bool has_record = false;
  for (const GraphNode& node : graph.nodes())
    has_record =
        has_record || (node.type() == GraphNodeType::record && node.event() == event.raw());
  EXPECT_TRUE(has_record);
  graph.instantiate().launch(stream());
  event.synchronize();
  EXPECT_EQ(on_host(memory)[0], 2);
  record_external(event, stream());  // without a capture: as record()
  event.synchronize();
  EXPECT_TRUE(event.is_done());
}

TEST_P(GraphQuestions, ClustersThatFitAreCountedOrRefusedByName) {
  const Function add = kernel("add");
  const LaunchAttributes pairs{.cluster = Dim3{2}};
  const LaunchConfig plain{.grid = {64}, .block = {4}},
      clustered{.grid = {64}, .block = {4}, .attributes = &pairs};
  EXPECT_THROW(max_active_clusters(add, plain), InvalidArgument);
  if (device().attribute(DeviceAttribute::cluster_launch) == 0) {
    try {
      max_active_clusters(add, clustered);
      FAIL();
    } catch (const NotSupported& error) {
      EXPECT_THAT(error.message(), HasSubstr("cuOccupancyMaxActiveClusters"));
    } catch (const DeviceError&) {  // a GPU before sm_90
      EXPECT_EQ(GetParam(), Provider::nvidia);
    }
    EXPECT_THROW(max_cluster_blocks(add, plain), Error);
    return;
  }
  EXPECT_GE(max_active_clusters(add, clustered), 1u);
  EXPECT_GE(max_cluster_blocks(add, plain), 8u);
}

}  // namespace
}  // namespace treadle::cuda
