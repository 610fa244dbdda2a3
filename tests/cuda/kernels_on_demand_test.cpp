// SPDX-License-Identifier: MIT
// A text of many kernels, on each provider. The CPU device compiles each when it is asked for; a
// program sees the same everywhere.
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda {
namespace {

constexpr int kernels = 6;

/// Kernels "add0" to "add5", which count their launches in one variable. `seed` makes it a text
/// that no test before has had compiled.
std::string many_kernels(const std::string& seed) {
  std::string text = "// " + seed + "\n__device__ int launches = 0;\n";
  for (int i = 0; i < kernels; ++i)
    text += "extern \"C\" __global__ void add" + std::to_string(i) +
            "(int* out) {\n  __shared__ int s[64];\n  s[threadIdx.x] = threadIdx.x;\n"
            "  __syncthreads();\n  out[threadIdx.x] += s[63 - threadIdx.x] + " +
            std::to_string(i) + ";\n  if (threadIdx.x == 0) atomicAdd(&launches, 1);\n}\n";
  return text;
}

class KernelsOnDemand : public OnEachProvider {
 protected:
  /// Skips the test where the device has no compiler.
  void compile(const std::string& seed) {
    try {
      const auto target = compile::Target::parse(device().target());
      module_.emplace(compile_cuda(many_kernels(seed), target).image);
    } catch (const LibraryNotFound& error) {
      GTEST_SKIP() << "no compiler for " << device().target() << ": " << error.library();
    }
  }
  void TearDown() override {
    module_.reset();
    OnEachProvider::TearDown();
  }
  /// Launches a kernel on memory of its own: whether all of its elements are right.
  bool adds(int number) const {
    DeviceMemory memory(64 * sizeof(int));
    std::vector<int> values(64, 100);
    memory.copy_from(values);
    module().function("add" + std::to_string(number)).launch({.block = {64}}, memory);
    memory.copy_to(values);
    for (int x = 0; x < 64; ++x)
      if (values[static_cast<std::size_t>(x)] != 100 + 63 - x + number) return false;
    return true;
  }
  const Module& module() const { return *module_; }

 private:
  std::optional<Module> module_;
};

TEST_P(KernelsOnDemand, AreAskedForByManyThreadsAtOnce) {
  compile("threads");
  if (IsSkipped()) return;
  constexpr int count = 8;
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      const auto guard = Context::make_current(context());
      // Two threads at a time ask for the same kernel first.
      for (int i = 0; i < kernels; ++i) right += adds((i + t / 2) % kernels) ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, count * kernels);
  int launches = 0;
  copy_to_host(&launches, module().global("launches").address, sizeof launches);
  EXPECT_EQ(launches, count * kernels) << "one variable for all kernels";
}

TEST_P(KernelsOnDemand, AreAllNamedBeforeOneIsAskedFor) {
  compile("names");
  if (IsSkipped()) return;
  EXPECT_EQ(module().function_names().size(), std::size_t{kernels});
  EXPECT_THROW(module().function("add6"), DeviceError);
  EXPECT_TRUE(adds(5));
}

INSTANTIATE_TEST_SUITE_P(Providers, KernelsOnDemand, each_provider, provider_name);

}  // namespace
}  // namespace treadle::cuda
