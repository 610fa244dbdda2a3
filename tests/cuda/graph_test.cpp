// SPDX-License-Identifier: MIT
#include "treadle/cuda/graph.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/graph_kernels.hpp"

namespace treadle::cuda {
namespace {

using testing::HasSubstr;

class OnGraph : public OnGraphKernels {
 protected:
  void run(const GraphExec& exec) const {
    exec.launch(stream());
    stream().synchronize();
  }
  void run(const Graph& graph) const { run(graph.instantiate()); }
};

/// What `holder` was given is destroyed on a thread of Treadle's: soon, not at once.
bool is_released(const std::weak_ptr<int>& holder) {
  for (int i = 0; i < 2000 && !holder.expired(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return holder.expired();
}

TEST_P(OnGraph, NodesRunInTheOrderOfTheirEdges) {
  const DeviceMemory memory = on_device({1, 2, 3, 4}), copy = on_device({0, 0, 0, 0});
  const Graph graph;
  const GraphNode filled =
      graph.add_fill({}, {.area = {memory.address(), 0, 4, 1}, .value = 7, .element_bytes = 4});
  const GraphNode added = graph.add_kernel(filled, kernel("add"), {.block = {4}}, memory, 5);
  std::atomic<int> seen{0};
  const GraphNode told = graph.add_host(added, [&] { seen = 1; });
  const GraphNode copied = graph.add_copy({added, told}, copy.address(), memory.address(), 16);
  const GraphNode end = graph.add_empty(copied);
  EXPECT_EQ(filled.type(), GraphNodeType::fill);
  EXPECT_EQ(added.type(), GraphNodeType::kernel);
  EXPECT_EQ(told.type(), GraphNodeType::host);
  EXPECT_EQ(copied.type(), GraphNodeType::copy);
  EXPECT_EQ(end.type(), GraphNodeType::empty);
  EXPECT_EQ(graph.nodes().size(), 5u);
  EXPECT_EQ(graph.edges().size(), 5u);
  EXPECT_EQ(graph.roots(), std::vector{filled});
  EXPECT_EQ(added.dependents().size(), 2u);
  EXPECT_EQ(on_host(memory)[0], 1);
  run(graph);
  EXPECT_EQ(on_host(copy), (std::vector{12, 12, 12, 12}));
  EXPECT_EQ(seen, 1);
}

TEST_P(OnGraph, EdgesAddedLaterCount) {
  const DeviceMemory memory = on_device({1, 1, 1, 1});
  const Graph graph;
  const GraphNode second = graph.add_kernel({}, kernel("add"), {.block = {4}}, memory, 5);
  const GraphNode first = graph.add_fill({}, {.area = {memory.address(), 0, 4, 1}, .value = 100});
  graph.connect(first, second);
  run(graph);
  EXPECT_EQ(on_host(memory)[0], 105);
  EXPECT_THROW(graph.connect(first, second), DeviceError);
  graph.disconnect(first, second);
  EXPECT_THROW(graph.disconnect(first, second), DeviceError);
  graph.connect(first, second);
  graph.connect(second, first);
  EXPECT_THROW(graph.instantiate(), DeviceError);
}

TEST_P(OnGraph, IsFixedOnceItIsInstantiated) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  const Graph graph;
  const GraphNode node = graph.add_kernel({}, kernel("add"), {.block = {4}}, memory, 1);
  const GraphExec exec = graph.instantiate();
  node.set_kernel({kernel("add"), {.block = {4}}, memory, 100});
  run(exec);
  EXPECT_EQ(on_host(memory)[0], 1);
  run(graph);
  EXPECT_EQ(on_host(memory)[0], 101);
  node.remove();
  EXPECT_TRUE(graph.nodes().empty());
  run(exec);
  EXPECT_EQ(on_host(memory)[0], 102);
}

TEST_P(OnGraph, ParametersChangeBetweenLaunches) {
  const DeviceMemory memory = on_device({0, 0, 0, 0}), other = on_device({0, 0, 0, 0});
  std::atomic<int> seen{0};
  const Graph graph;
  const GraphNode filled = graph.add_fill({}, {.area = {memory.address(), 0, 4, 1}, .value = 1});
  const GraphNode added = graph.add_kernel(filled, kernel("add"), {.block = {4}}, memory, 1);
  const GraphNode told = graph.add_host(added, [&] { seen = 1; });
  graph.add_copy(told, other.address(), memory.address(), 16);
  GraphExec exec = graph.instantiate();
  exec.set_fill(filled, {.area = {memory.address(), 0, 4, 1}, .value = 10});
  exec.set_kernel(added, {kernel("add"), {.block = {4}}, memory, 20});
  exec.set_host(told, [&] { seen = 2; });
  run(exec);
  EXPECT_EQ(on_host(other)[3], 30);
  EXPECT_EQ(seen, 2);
  exec.set_enabled(filled, false);
  EXPECT_FALSE(exec.is_enabled(filled));
  EXPECT_TRUE(exec.is_enabled(added));
  run(exec);
  EXPECT_EQ(on_host(other)[3], 50);
  EXPECT_THROW(exec.set_enabled(told, false), DeviceError);
}

TEST_P(OnGraph, AnotherGraphOfTheSameFormReplacesAllParameters) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  const auto make = [&](int summand) {
    const Graph graph;
    const GraphNode first = graph.add_kernel({}, kernel("add"), {.block = {4}}, memory, summand);
    graph.add_kernel(first, kernel("add"), {.block = {4}}, memory, summand);
    return graph;
  };
  GraphExec exec = make(1).instantiate();
  EXPECT_FALSE(exec.try_update(make(10)));
  run(exec);
  EXPECT_EQ(on_host(memory)[0], 20);
  const Graph different;
  different.add_empty({});
  const auto refusal = exec.try_update(different);
  ASSERT_TRUE(refusal);
  EXPECT_FALSE(refusal->reason.empty());
  try {
    exec.update(different);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.message(), HasSubstr("cannot become this graph"));
  }
  run(exec);
  EXPECT_EQ(on_host(memory)[0], 40);
}

TEST_P(OnGraph, ChildrenAreCopiesOfGraphs) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  const Graph inner;
  const GraphNode node = inner.add_kernel({}, kernel("add"), {.block = {4}}, memory, 3);
  const Graph graph;
  const GraphNode first = graph.add_child({}, inner);
  graph.add_child(first, inner);
  node.set_kernel({kernel("add"), {.block = {4}}, memory, 1000});
  EXPECT_EQ(first.type(), GraphNodeType::child);
  EXPECT_EQ(first.child().nodes().size(), 1u);
  EXPECT_THROW(first.child().nodes()[0].child(), DeviceError);
  GraphExec exec = graph.instantiate();
  run(exec);
  EXPECT_EQ(on_host(memory)[0], 6);
  exec.set_child(first, inner);
  run(exec);
  EXPECT_EQ(on_host(memory)[0], 1009);
}

TEST_P(OnGraph, ACloneIsAGraphOfItsOwn) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  const Graph graph;
  const GraphNode node = graph.add_kernel({}, kernel("add"), {.block = {4}}, memory, 3);
  const Graph clone = graph.clone();
  EXPECT_NE(clone, graph);
  const GraphNode copy = clone.find(node);
  EXPECT_NE(copy, node);
  copy.set_kernel({kernel("add"), {.block = {4}}, memory, 50});
  EXPECT_THROW(graph.find(node), DeviceError);
  run(clone);
  run(graph);
  EXPECT_EQ(on_host(memory)[0], 53);
}

TEST_P(OnGraph, RecordsEventsThatStreamsKnowAndWaitsForThem) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  const Event before(EventFlags::disable_timing), after;
  const Graph graph;
  const GraphNode waited = graph.add_wait({}, before);
  const GraphNode added = graph.add_kernel(waited, kernel("add"), {.block = {4}}, memory, 1);
  const GraphNode recorded = graph.add_record(added, after);
  EXPECT_EQ(waited.type(), GraphNodeType::wait);
  EXPECT_EQ(recorded.type(), GraphNodeType::record);
  const Stream other(StreamFlags::non_blocking);
  fill32_async(memory.address(), 41, 4, other);
  before.record(other);
  const GraphExec exec = graph.instantiate();
  exec.launch(stream());
  after.synchronize();
  stream().synchronize();
  EXPECT_EQ(on_host(memory)[0], 42);
  const Event third;
  exec.set_event(recorded, third);
  exec.launch(stream());
  third.synchronize();
  stream().synchronize();
  EXPECT_EQ(on_host(memory)[0], 43);
}

TEST_P(OnGraph, AllocatesMemoryForItsOwnNodes) {
  const DeviceMemory out = on_device({0, 0, 0, 0});
  const Graph graph;
  const auto [allocated, address] = graph.add_allocation({}, 16);
  EXPECT_EQ(allocated.type(), GraphNodeType::allocate);
  const GraphNode filled = graph.add_fill(allocated, {.area = {address, 0, 4, 1}, .value = 9});
  const GraphNode added =
      graph.add_kernel(filled, kernel("add_values"), {.block = {4}}, out, address);
  const GraphNode freed = graph.add_free(added, address);
  EXPECT_EQ(freed.type(), GraphNodeType::free);
  const GraphExec exec = graph.instantiate();
  run(exec);
  run(exec);
  EXPECT_EQ(on_host(out)[0], 18);
  EXPECT_THROW(graph.clone(), DeviceError);
}

TEST_P(OnGraph, LaunchesOfOneNeverOverlap) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  const Graph graph;
  for (int i = 0; i < 20; ++i) {
    const auto nodes = graph.nodes();
    graph.add_kernel(nodes.empty() ? After() : After(nodes.back()), kernel("add"), {.block = {4}},
                     memory, 1);
  }
  const GraphExec exec = graph.instantiate(InstantiateFlags::upload);
  exec.upload(stream());
  const Stream other(StreamFlags::non_blocking);
  for (int i = 0; i < 50; ++i) exec.launch(i % 2 == 0 ? stream() : other);
  stream().synchronize();
  other.synchronize();
  EXPECT_EQ(on_host(memory)[0], 1000);
}

TEST_P(OnGraph, KeepsWhatItIsGivenUntilTheLastLaunchIsDone) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  auto object = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = object;
  {
    std::optional<Graph> graph(std::in_place);
    graph->keep(std::move(object));
    graph->add_kernel({}, kernel("add"), {.block = {4}}, memory, 1);
    std::optional<GraphExec> exec(graph->instantiate());
    unload();
    graph.reset();
    EXPECT_FALSE(watch.expired());
    exec->launch(stream());
    exec.reset();
  }
  stream().synchronize();
  EXPECT_EQ(on_host(memory)[0], 1);
  EXPECT_TRUE(is_released(watch));
}

TEST_P(OnGraph, WhatAHostFunctionThrowsIsAWarning) {
  const fake::Warnings warnings;
  const Graph graph;
  graph.add_host({}, [] { throw std::runtime_error("no such file"); });
  run(graph);
  EXPECT_THAT(warnings.texts(), testing::Contains(HasSubstr("no such file")));
  EXPECT_THROW(graph.add_host({}, nullptr), InvalidArgument);
}

TEST_P(OnGraph, BadInputIsRefused) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  const Graph graph, other;
  const GraphNode foreign = other.add_empty({});
  EXPECT_THROW(graph.add_kernel({}, kernel("add"), {.block = {4}}, memory), InvalidArgument);
  EXPECT_THROW(graph.add_kernel({}, kernel("add"), {.block = {4}}, memory, 1.0), InvalidArgument);
  EXPECT_THROW(graph.add_empty(foreign), DeviceError);
  EXPECT_THROW(graph.add_copy({}, memory.address(), 0, 16), InvalidArgument);
  EXPECT_THROW(graph.add_copy({}, memory.address(), memory.address(), static_cast<std::size_t>(-4)),
               InvalidArgument);
  EXPECT_THROW(graph.add_fill({}, {.area = {memory.address(), 0, 4, 1}, .element_bytes = 8}),
               InvalidArgument);
  EXPECT_THROW(graph.add_copy({}, Copy3D{.width_bytes = 4, .height = 1, .depth = 1}),
               InvalidArgument);
  EXPECT_TRUE(graph.nodes().empty());
}

TEST_P(OnGraph, IsWrittenAsText) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  const Graph graph;
  const GraphNode first = graph.add_empty({});
  graph.add_kernel(first, kernel("add"), {.block = {4}}, memory, 1);
  // Of this process: others run the same test at the same time.
  const auto path = std::filesystem::path(testing::TempDir()) /
                    ("graph_test_" + std::to_string(::getpid()) + ".dot");
  graph.write_dot(path, true);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_THAT(text.str(), HasSubstr("digraph"));
  std::filesystem::remove(path);
  EXPECT_THROW(graph.write_dot("/nowhere/graph.dot"), DeviceError);
}

TEST_P(OnGraph, ABodyRunsIfTheConditionHolds) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  const Graph graph;
  const Condition condition = graph.add_condition();
  const GraphNode asked = graph.add_kernel({}, kernel("decide"), {}, condition, memory, 5);
  const ConditionalNode branch = graph.add_if(asked, condition);
  ASSERT_EQ(branch.bodies.size(), 1u);
  EXPECT_EQ(branch.node.type(), GraphNodeType::conditional);
  branch.bodies[0].add_kernel({}, kernel("add"), {.block = {4}}, memory, 4);
  graph.add_kernel(branch.node, kernel("add"), {.block = {4}}, memory, 100);
  const GraphExec exec = graph.instantiate();
  run(exec);
  EXPECT_EQ(on_host(memory)[0], 104);
  run(exec);
  EXPECT_EQ(on_host(memory)[0], 204);
}

TEST_P(OnGraph, ABodyRunsAsLongAsTheConditionHolds) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  const Graph graph;
  const Condition condition = graph.add_condition(1);
  const ConditionalNode loop = graph.add_while({}, condition);
  const GraphNode added = loop.bodies[0].add_kernel({}, kernel("add"), {.block = {4}}, memory, 1);
  loop.bodies[0].add_kernel(added, kernel("decide"), {}, condition, memory, 10);
  graph.add_kernel(loop.node, kernel("add"), {.block = {4}}, memory, 100);
  const GraphExec exec = graph.instantiate();
  exec.launch(stream());
  add(memory, 1000, {.stream = stream()});
  stream().synchronize();
  EXPECT_EQ(on_host(memory)[0], 1110);
  run(exec);  // the loop's body runs once: its condition is 1 again at first
  EXPECT_EQ(on_host(memory)[0], 1211);
}

TEST_P(OnGraph, TheBodyOfThatNumberRuns) {
  const Graph graph;
  const DeviceMemory which = on_device({0, 0, 0, 0}), out = on_device({0, 0, 0, 0});
  const Condition condition = graph.add_condition();
  const GraphNode asked = graph.add_kernel({}, kernel("choose"), {}, condition, which);
  ConditionalNode choice{asked, {}};
  try {
    choice = graph.add_switch(asked, condition, 3);
  } catch (const DeviceError&) {
    GTEST_SKIP() << "the driver is older than CUDA 12.8";
  }
  for (int i = 0; i < 3; ++i)
    choice.bodies[static_cast<std::size_t>(i)].add_kernel({}, kernel("add"), {.block = {4}}, out,
                                                          i == 0 ? 1 : i * 10);
  const GraphExec exec = graph.instantiate();
  for (int value : {0, 2, 1, 7}) {
    fill32_async(which.address(), static_cast<std::uint32_t>(value), 4, stream());
    run(exec);
  }
  EXPECT_EQ(on_host(out)[0], 31);
}

INSTANTIATE_TEST_SUITE_P(Providers, OnGraph, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda
