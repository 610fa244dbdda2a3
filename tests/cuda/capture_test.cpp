// SPDX-License-Identifier: MIT
#include "treadle/cuda/capture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "cuda/graph_kernels.hpp"

namespace treadle::cuda {
namespace {

using testing::HasSubstr;

class OnCapture : public OnGraphKernels {};

/// The driver's name of what `call` fails with.
template <class Call>
std::string failure_of(Call&& call) {
  try {
    call();
  } catch (const DeviceError& error) {
    return error.code_name();
  }
  return "none";
}

TEST_P(OnCapture, RunsNothingUntilTheGraphIsLaunched) {
  const DeviceMemory memory = on_device({1, 2, 3, 4});
  Capture capture(stream());
  EXPECT_EQ(capture.status(), CaptureStatus::active);
  EXPECT_EQ(capture_status(stream()), CaptureStatus::active);
  for (int i = 0; i < 3; ++i) add(memory, 10, {.stream = stream()});
  const Graph graph = capture.end();
  EXPECT_EQ(capture.status(), CaptureStatus::none);
  EXPECT_EQ(graph.nodes().size(), 3u);
  EXPECT_EQ(graph.edges().size(), 2u);
  EXPECT_EQ(on_host(memory), (std::vector{1, 2, 3, 4}));
  const GraphExec exec = graph.instantiate();
  exec.launch(stream());
  exec.launch(stream());
  stream().synchronize();
  EXPECT_EQ(on_host(memory), (std::vector{61, 62, 63, 64}));
}

TEST_P(OnCapture, KeepsTheOrderOfCopiesFillsAndHostFunctions) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  std::vector<int> out(4);
  const HostMemory host(16);
  Capture capture(stream());
  fill32_async(memory.address(), 5, 4, stream());
  add(memory, 1, {.stream = stream()});
  copy_to_host_async(host.data(), memory.address(), 16, stream());
  const Graph graph = capture.end();
  const std::vector<GraphNode> nodes = graph.nodes();
  ASSERT_EQ(nodes.size(), 3u);
  EXPECT_EQ(nodes[0].type(), GraphNodeType::fill);
  EXPECT_EQ(nodes[1].type(), GraphNodeType::kernel);
  EXPECT_EQ(nodes[2].type(), GraphNodeType::copy);
  graph.instantiate().launch(stream());
  stream().synchronize();
  EXPECT_EQ(host.as<int>()[3], 6);
}

TEST_P(OnCapture, AnotherStreamJoinsThroughAnEventAndIsJoinedAgain) {
  const DeviceMemory left = on_device({1, 1, 1, 1}), right = on_device({2, 2, 2, 2});
  const Stream other(StreamFlags::non_blocking);
  const Event fork(EventFlags::disable_timing), join(EventFlags::disable_timing);
  Capture capture(stream());
  add(left, 1, {.stream = stream()});
  fork.record(stream());
  other.wait(fork);
  EXPECT_EQ(capture_status(other), CaptureStatus::active);
  add(right, 5, {.stream = other});
  add(left, 1, {.stream = stream()});
  join.record(other);
  stream().wait(join);
  EXPECT_EQ(capture.last().size(), 2u);
  add(left, right, {.stream = stream()});
  const Graph graph = capture.end();
  EXPECT_EQ(capture_status(other), CaptureStatus::none);
  EXPECT_EQ(graph.nodes().size(), 4u);
  EXPECT_EQ(graph.edges().size(), 4u);
  EXPECT_EQ(graph.roots().size(), 1u);
  EXPECT_EQ(graph.nodes().back().dependencies().size(), 2u);
  graph.instantiate().launch(stream());
  stream().synchronize();
  EXPECT_EQ(on_host(left)[0], 10);
}

TEST_P(OnCapture, AStreamThatWasNotJoinedIsNamed) {
  const DeviceMemory memory = on_device({1, 1, 1, 1});
  const Stream other(StreamFlags::non_blocking);
  const Event fork(EventFlags::disable_timing);
  Capture capture(stream());
  fork.record(stream());
  other.wait(fork);
  add(memory, 1, {.stream = other});
  try {
    capture.end();
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code_name(), "CUDA_ERROR_STREAM_CAPTURE_UNJOINED");
    EXPECT_THAT(error.message(), HasSubstr("record an event there and wait for it here"));
  }
  EXPECT_EQ(capture_status(stream()), CaptureStatus::none);
  EXPECT_EQ(capture_status(other), CaptureStatus::none);
}

TEST_P(OnCapture, WaitingForTheStreamMakesItInvalid) {
  Capture capture(stream());
  EXPECT_EQ(failure_of([&] { stream().synchronize(); }), "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED");
  EXPECT_EQ(capture.status(), CaptureStatus::invalidated);
  EXPECT_EQ(failure_of([&] { capture.end(); }), "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED");
  EXPECT_THROW(capture.end(), InvalidState);
  stream().synchronize();
}

TEST_P(OnCapture, AnAllocationIsRefusedUnlessTheThreadIsRelaxed) {
  {
    Capture capture(stream());
    EXPECT_EQ(failure_of([&] { const DeviceMemory memory(64); }),
              "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED");
    EXPECT_EQ(failure_of([&] { capture.end(); }), "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED");
  }
  Capture capture(stream(), CaptureMode::relaxed);
  const DeviceMemory memory(64);
  EXPECT_EQ(capture.status(), CaptureStatus::active);
  capture.end();
  Capture again(stream());
  {
    const CaptureModeScope relaxed(CaptureMode::relaxed);
    const DeviceMemory more(64);
  }
  EXPECT_EQ(again.status(), CaptureStatus::active);
}

TEST_P(OnCapture, TheDefaultStreamCannotWaitForOneThatCaptures) {
  const DeviceMemory memory = on_device({1, 1, 1, 1});
  const Stream blocking;
  Capture capture(blocking);
  EXPECT_EQ(failure_of([&] { add(memory, 1, {}); }), "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT");
  EXPECT_EQ(capture.status(), CaptureStatus::invalidated);
}

TEST_P(OnCapture, TheDefaultStreamItselfIsRefused) {
  EXPECT_EQ(failure_of([] { const Capture capture{StreamRef()}; }),
            "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED");
}

TEST_P(OnCapture, AnEventOfACaptureCannotBeWaitedFor) {
  const Event event(EventFlags::disable_timing);
  Capture capture(stream());
  event.record(stream());
  EXPECT_EQ(failure_of([&] { event.synchronize(); }), "CUDA_ERROR_CAPTURED_EVENT");
}

TEST_P(OnCapture, EndsWithoutAGraphWhenItIsDropped) {
  {
    const Capture capture(stream());
  }
  EXPECT_EQ(capture_status(stream()), CaptureStatus::none);
  stream().synchronize();
}

TEST_P(OnCapture, ALaunchOfAGraphIsRefused) {
  const Graph inner;
  inner.add_empty({});
  const GraphExec exec = inner.instantiate();
  Capture capture(stream());
  EXPECT_THROW(exec.launch(stream()), DeviceError);
  EXPECT_THROW(capture.end(), DeviceError);
}

TEST_P(OnCapture, GoesIntoAGraphThatIsThere) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  const Graph graph;
  const GraphNode first = graph.add_fill({}, {.area = {memory.address(), 16, 4, 1}, .value = 3});
  Capture capture(graph, first, stream());
  EXPECT_EQ(capture.graph(), graph);
  add(memory, 4, {.stream = stream()});
  EXPECT_EQ(capture.end(), graph);
  EXPECT_EQ(graph.nodes().size(), 2u);
  EXPECT_EQ(first.dependents().size(), 1u);
  graph.instantiate().launch(stream());
  stream().synchronize();
  EXPECT_EQ(on_host(memory)[0], 7);
}

TEST_P(OnCapture, DependenciesCanBeChangedInBetween) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  Capture capture(stream());
  add(memory, 1, {.stream = stream()});
  capture.set_last({});
  add(memory, 2, {.stream = stream()});
  const std::vector<GraphNode> last = capture.last();
  ASSERT_EQ(last.size(), 1u);
  const std::vector<GraphNode> nodes = capture.graph().nodes();
  capture.set_last(nodes);
  const Graph graph = capture.end();
  EXPECT_EQ(graph.roots().size(), 2u);
}

TEST_P(OnCapture, ALaunchOnAnotherThreadsStreamIsCapturedThere) {
  const DeviceMemory memory = on_device({0, 0, 0, 0});
  Capture capture(stream());
  std::thread([&] {
    const CurrentContext current(context());
    add(memory, 1, {.stream = stream()});
  }).join();
  EXPECT_EQ(capture.end().nodes().size(), 1u);
}

/// What a reference is bound to is written in the order of streams, which a graph is not part of.
TEST_P(OnCapture, AKernelWithBoundReferencesIsRefusedAndRunsElsewhere) {
  const Module module = compiled(R"(
texture<int, 1> table;
extern "C" __global__ void read(int* out) { out[threadIdx.x] = tex1Dfetch(table, threadIdx.x); }
)");
  const Function read = module.function("read");
  const DeviceMemory first = on_device({1, 2, 3, 4}), second = on_device({5, 6, 7, 8});
  const DeviceMemory out = on_device({0, 0, 0, 0});
  const Stream other(StreamFlags::non_blocking);
  TextureReference table = module.texture_reference("table");
  table.set_address(first.address(), first.size_bytes());
  read.launch({.block = {4}, .stream = other}, out);

  Capture capture(stream());
  add(out, 10, {.stream = stream()});
  try {
    read.launch({.block = {4}, .stream = stream()}, out);
    FAIL();
  } catch (const NotSupported& error) {
    EXPECT_THAT(error.message(), HasSubstr("\"read\" cannot be part of a graph"));
  }
  EXPECT_THROW(capture.graph().add_kernel({}, read, {.block = {4}}, out), NotSupported);
  table.set_address(second.address(), second.size_bytes());
  read.launch({.block = {4}, .stream = other}, out);
  read.launch({.block = {4}, .stream = other}, out);
  const Graph graph = capture.end();
  EXPECT_EQ(graph.nodes().size(), 1u);
  other.synchronize();
  graph.instantiate().launch(stream());
  stream().synchronize();
  EXPECT_EQ(on_host(out), (std::vector{15, 16, 17, 18}));
}

INSTANTIATE_TEST_SUITE_P(Providers, OnCapture, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda
