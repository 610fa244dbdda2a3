// SPDX-License-Identifier: MIT
#include "treadle/cuda/stream_operations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cuda/fake_driver.hpp"
#include "cuda/providers.hpp"
#include "treadle/cuda/capture.hpp"
#include "treadle/cuda/copy.hpp"

namespace treadle::cuda {
namespace {

using testing::HasSubstr;
using Kind = MemoryOperation::Kind;

class OnStreamOperations : public OnEachProvider {
 protected:
  static std::vector<std::uint32_t> on_host(const DeviceMemory& memory) {
    std::vector<std::uint32_t> words(memory.size_bytes() / 4);
    memory.copy_to(words);
    return words;
  }
  static DeviceMemory zeros(std::size_t words) {
    DeviceMemory memory(4 * words);
    memory.copy_from(std::vector<std::uint32_t>(words));
    return memory;
  }
};

TEST_P(OnStreamOperations, TheHostIsCalledInTheOrderOfTheStream) {
  const Stream stream(StreamFlags::non_blocking);
  const DeviceMemory memory = zeros(4);
  const HostMemory host(16);
  std::uint32_t seen = 0;
  fill32_async(memory.address(), 7, 4, stream);
  copy_to_host_async(host.data(), memory.address(), 16, stream);
  call_host(stream, [&] { seen = host.as<std::uint32_t>()[3]; });
  stream.synchronize();
  EXPECT_EQ(seen, 7u);
  EXPECT_THROW(call_host(stream, nullptr), InvalidArgument);
}

TEST_P(OnStreamOperations, WhatAFunctionThrowsIsAWarning) {
  const fake::Warnings warnings;
  const Stream stream(StreamFlags::non_blocking);
  call_host(stream, [] { throw std::runtime_error("disk is full"); });
  stream.synchronize();
  EXPECT_THAT(warnings.texts(), testing::Contains(HasSubstr("disk is full")));
}

TEST_P(OnStreamOperations, AStreamWritesWordsAndAnotherWaitsForThem) {
  const Stream writer(StreamFlags::non_blocking), waiter(StreamFlags::non_blocking);
  const DeviceMemory flag = zeros(2), result = zeros(4);
  wait_value32(waiter, flag.address(), 5);
  fill32_async(result.address(), 9, 4, waiter);
  EXPECT_FALSE(waiter.is_done());
  write_value32(writer, flag.address(), 4);
  writer.synchronize();
  EXPECT_FALSE(waiter.is_done());
  write_value32(writer, flag.address(), 6);
  waiter.synchronize();
  EXPECT_EQ(on_host(result)[3], 9u);
  write_value64(writer, flag.address(), 0x100000002);
  wait_value64(waiter, flag.address(), 0x100000002, WaitCondition::equal);
  waiter.synchronize();
  EXPECT_EQ(on_host(flag), (std::vector<std::uint32_t>{2, 1}));
}

TEST_P(OnStreamOperations, TheHostLetsAStreamGoOn) {
  const Stream stream(StreamFlags::non_blocking);
  const HostMemory flag(4, HostMemoryFlags::device_map);
  flag.as<std::uint32_t>()[0] = 0;
  wait_value32(stream, flag.device_pointer(), 4, WaitCondition::any_bit);
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    std::atomic_ref(flag.as<std::uint32_t>()[0]).store(6);
  });
  stream.synchronize();
  host.join();
  EXPECT_EQ(flag.as<std::uint32_t>()[0], 6u);
}

TEST_P(OnStreamOperations, ABatchRunsInOrder) {
  const Stream stream(StreamFlags::non_blocking);
  const DeviceMemory words = zeros(4);
  const std::vector<MemoryOperation> operations = {
      {Kind::write32, words.address(), 3},
      {Kind::wait32, words.address(), 3, WaitCondition::equal},
      {Kind::write64, words.address() + 8, 0x500000004},
      {Kind::wait64, words.address() + 8, 0x500000004},
  };
  run_operations(stream, operations);
  stream.synchronize();
  EXPECT_EQ(on_host(words), (std::vector<std::uint32_t>{3, 0, 4, 5}));
  run_operations(stream, {});
}

TEST_P(OnStreamOperations, AreNodesOfACapturedGraph) {
  const Stream stream(StreamFlags::non_blocking);
  const DeviceMemory words = zeros(2);
  std::atomic<int> calls{0};
  Capture capture(stream);
  write_value32(stream, words.address(), 3);
  wait_value32(stream, words.address(), 3);
  call_host(stream, [&] { ++calls; });
  const Graph graph = capture.end();
  ASSERT_EQ(graph.nodes().size(), 3u);
  EXPECT_EQ(graph.nodes()[0].type(), GraphNodeType::memory_operations);
  EXPECT_EQ(graph.nodes()[2].type(), GraphNodeType::host);
  const GraphExec exec = graph.instantiate();
  exec.launch(stream);
  exec.launch(stream);
  stream.synchronize();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(on_host(words)[0], 3u);
}

TEST_P(OnStreamOperations, BadAddressesAreRefused) {
  const Stream stream(StreamFlags::non_blocking);
  const DeviceMemory words = zeros(2);
  EXPECT_THROW(write_value32(stream, 0, 1), InvalidArgument);
  EXPECT_THROW(write_value32(stream, words.address() + 2, 1), InvalidArgument);
  EXPECT_THROW(wait_value64(stream, words.address() + 4, 1), InvalidArgument);
}

INSTANTIATE_TEST_SUITE_P(Providers, OnStreamOperations, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda
