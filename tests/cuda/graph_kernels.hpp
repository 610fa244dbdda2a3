// SPDX-License-Identifier: MIT
// Kernels for tests of graphs, compiled for each driver.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda {

class OnGraphKernels : public OnEachProvider {
 protected:
  static constexpr const char* source = R"(
extern "C" __global__ void add(int* values, int summand) { values[threadIdx.x] += summand; }
extern "C" __global__ void add_values(int* values, const int* summands)
{
    values[threadIdx.x] += summands[threadIdx.x];
}
extern "C" __global__ void decide(cudaGraphConditionalHandle condition, const int* values, int limit)
{
    cudaGraphSetConditional(condition, values[0] < limit);
}
extern "C" __global__ void choose(cudaGraphConditionalHandle condition, const int* values)
{
    cudaGraphSetConditional(condition, values[0]);
}
)";

  void SetUp() override {
    OnEachProvider::SetUp();
    if (IsSkipped()) return;
    try {
      module_.emplace(compiled(source));
    } catch (const LibraryNotFound& error) {
      GTEST_SKIP() << "no compiler for " << device().target() << ": " << error.library();
    }
    stream_.emplace(StreamFlags::non_blocking);
  }
  void TearDown() override {
    stream_.reset();
    module_.reset();
    OnEachProvider::TearDown();
  }

  Module compiled(const char* text) const {
    return Module(compile::compile_cuda(text, compile::Target::parse(device().target()), {}).image);
  }
  Function kernel(const char* name) const { return module_->function(name); }
  const Stream& stream() const { return *stream_; }
  void unload() { module_.reset(); }
  /// Adds to four numbers, by one thread each.
  void add(const DeviceMemory& memory, int summand, LaunchConfig config) const {
    config.block = {4};
    kernel("add").launch(config, memory, summand);
  }
  void add(const DeviceMemory& memory, const DeviceMemory& summands, LaunchConfig config) const {
    config.block = {4};
    kernel("add_values").launch(config, memory, summands);
  }
  static DeviceMemory on_device(const std::vector<int>& values) {
    DeviceMemory memory(values.size() * sizeof(int));
    memory.copy_from(values);
    return memory;
  }
  static std::vector<int> on_host(const DeviceMemory& memory) {
    std::vector<int> values(memory.size_bytes() / sizeof(int));
    memory.copy_to(values);
    return values;
  }

 private:
  std::optional<Module> module_;
  std::optional<Stream> stream_;
};

}  // namespace treadle::cuda
