// SPDX-License-Identifier: MIT
#include "treadle/cuda/lazy_loading.hpp"

#include <gtest/gtest.h>

#include "cuda/graph_kernels.hpp"

namespace treadle::cuda {
namespace {

class LazyLoading : public OnGraphKernels {};
INSTANTIATE_TEST_SUITE_P(Providers, LazyLoading, each_provider, provider_name);

TEST_P(LazyLoading, AKernelThatWasLoadedIsThere) {
  const Function add = kernel("add");
  if (!is_present(device().driver().table().cuFuncLoad)) GTEST_SKIP() << "before CUDA 12.4";
  load(add);
  EXPECT_TRUE(is_loaded(add));
  load(add);  // again is no error
  const DeviceMemory memory = on_device({1, 2, 3, 4});
  add.launch({.block = {4}}, memory, 1);
  EXPECT_EQ(on_host(memory)[3], 5);
}

TEST_P(LazyLoading, TheModeIsOneOfTheTwo) {
  const LoadingMode mode = loading_mode(device().driver());
  EXPECT_TRUE(mode == LoadingMode::eager || mode == LoadingMode::lazy);
}

}  // namespace
}  // namespace treadle::cuda
