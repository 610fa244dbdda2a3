// SPDX-License-Identifier: MIT
// Libraries, and what the driver says of a kernel's occupancy: both need compiled kernels.
#include "treadle/cuda/library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/copy.hpp"
#include "treadle/cuda/occupancy.hpp"
#include "treadle/cuda/table.hpp"
#include "treadle/process/census.hpp"

namespace treadle::cuda {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

const char* const library_source = R"(
__device__ int calls;
__managed__ int shared_calls;
template <class T> __global__ void scale(T* values, T factor) {
  values[threadIdx.x] *= factor;
  if (threadIdx.x == 0) { atomicAdd(&calls, 1); atomicAdd(&shared_calls, 1); }
}
extern "C" __global__ void fill(int* out, int value) { out[threadIdx.x] = value; }
extern "C" __global__ void reverse(int* values) {
  extern __shared__ int copy[];
  copy[threadIdx.x] = values[threadIdx.x];
  __syncthreads();
  values[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}
)";

long libraries_alive() {
  const auto all = live_objects();
  const auto found = all.find("cuda library");
  return found == all.end() ? 0 : found->second;
}

class OnLibrary : public OnEachProvider {
 protected:
  void SetUp() override {
    OnEachProvider::SetUp();
    if (IsSkipped()) return;
    try {
      image_ = compile_cuda(library_source, compile::Target::parse(device().target()),
                            {.name_expressions = {"scale<float>"}})
                   .image;
    } catch (const LibraryNotFound& error) {
      GTEST_SKIP() << "no compiler for " << device().target() << ": " << error.library();
    }
    if (device().driver().version() < 12040) GTEST_SKIP() << "the driver has no libraries";
    library_.emplace(image_, device().driver());
  }
  void TearDown() override {
    library_.reset();
    OnEachProvider::TearDown();
  }
  const Library& library() const { return *library_; }
  const ModuleImage& image() const { return image_; }
  void drop_library() { library_.reset(); }
  int calls() const {
    int count = 0;
    copy_to_host(&count, library().global("calls").address, sizeof count);
    return count;
  }
  static std::vector<int> filled(const Function& fill, int value) {
    const DeviceMemory memory(8 * sizeof(int));
    fill.launch({.block = {8}}, memory, value);
    std::vector<int> values(8);
    memory.copy_to(values);
    return values;
  }

 private:
  ModuleImage image_;
  std::optional<Library> library_;
};
INSTANTIATE_TEST_SUITE_P(Providers, OnLibrary, each_provider, provider_name);

TEST_P(OnLibrary, KernelsBecomeFunctionsOfTheCurrentContext) {
  const Kernel fill = library().kernel("fill");
  EXPECT_EQ(fill.name(), "fill");
  EXPECT_EQ(fill.library(), library());
  EXPECT_EQ(fill, library().kernel("fill"));
  const Function here = fill.function();
  EXPECT_EQ(here.context(), context());
  EXPECT_EQ(filled(here, 3), std::vector<int>(8, 3));
  EXPECT_EQ(fill.function(), here);

  const auto other = Context::make_current(Context::create(device()));
  const Function there = fill.function();
  EXPECT_NE(there, here);
  EXPECT_EQ(there.context(), other.get());
  EXPECT_EQ(filled(there, 5), std::vector<int>(8, 5));
}

TEST_P(OnLibrary, KernelsAreFoundByTheNamesOfModules) {
  EXPECT_EQ(library().kernel("scale<float>").name(), "scale<float>");
  EXPECT_EQ(library().kernel("scale < float >"), library().kernel("scale<float>"));
  EXPECT_THAT(library().kernel_names(), Contains("fill"));
  try {
    library().kernel("fil");
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.message(),
                AllOf(HasSubstr("the library has no kernel \"fil\""), HasSubstr("\"fill\"")));
  }
}

TEST_P(OnLibrary, EachContextHasVariablesOfItsOwn) {
  const Kernel scale = library().kernel("scale<float>");
  const auto run = [&] {
    const DeviceMemory values(8 * sizeof(float));
    fill32(values.address(), 0, 8);
    scale.function().launch({.block = {8}}, values, 2.0f);
  };
  run();
  run();
  EXPECT_EQ(library().global("calls").size_bytes, sizeof(int));
  EXPECT_EQ(calls(), 2);
  const auto other = Context::make_current(Context::create(device()));
  EXPECT_EQ(calls(), 0);
  run();
  EXPECT_EQ(calls(), 1);
  EXPECT_THROW(library().global("call"), DeviceError);
}

TEST_P(OnLibrary, ManagedVariablesAreReadByTheHost) {
  const Global variable = library().managed("shared_calls");
  EXPECT_EQ(variable.size_bytes, sizeof(int));
  const DeviceMemory values(8 * sizeof(float));
  fill32(values.address(), 0, 8);
  library().kernel("scale<float>").function().launch({.block = {8}}, values, 2.0f);
  context().synchronize();
  EXPECT_EQ(*reinterpret_cast<const int*>(variable.address), 1);
  EXPECT_THROW(library().managed("no_such"), DeviceError);
  EXPECT_THROW(library().unified_function("no_such"), DeviceError);
}

TEST_P(OnLibrary, ItsModuleIsThatOfTheContext) {
  const Module module = library().module();
  EXPECT_EQ(module.context(), context());
  EXPECT_EQ(filled(module.function("fill"), 9), std::vector<int>(8, 9));
  EXPECT_EQ(module.function("scale<float>").name(), "scale<float>");
  EXPECT_EQ(library().module().raw(), module.raw());
  EXPECT_EQ(module.global("calls").address, library().global("calls").address);
}

TEST_P(OnLibrary, StaysLoadedForWhatWasMadeFromIt) {
  const long before = libraries_alive();
  std::optional<Function> fill(library().kernel("fill").function());
  drop_library();
  EXPECT_EQ(libraries_alive(), before);
  EXPECT_EQ(filled(*fill, 4), std::vector<int>(8, 4));
  fill.reset();
  EXPECT_EQ(libraries_alive(), before - 1);
}

TEST_P(OnLibrary, ALostContextIsNoHindrance) {
  const Kernel fill = library().kernel("fill");
  for (int round = 0; round < 2; ++round) {
    const auto own = Context::make_current(Context::create(device()));
    EXPECT_EQ(filled(fill.function(), round), std::vector<int>(8, round));
    own->detach();
  }
}

TEST_P(OnLibrary, WhatIsSetOfAKernelIsSetInAllContexts) {
  const Kernel fill = library().kernel("fill");
  constexpr auto attribute = FunctionAttribute::max_dynamic_shared_size_bytes;
  const Function early = fill.function();
  fill.set_attribute(attribute, 1024, device());
  EXPECT_EQ(fill.attribute(attribute, device()), 1024);
  EXPECT_EQ(early.attribute(attribute), 1024);
  const auto other = Context::make_current(Context::create(device()));
  EXPECT_EQ(fill.function().attribute(attribute), 1024);
  fill.set_cache_config(CacheConfig::prefer_l1, device());
  EXPECT_GT(fill.attribute(FunctionAttribute::max_threads_per_block, device()), 0);
  EXPECT_THROW(fill.set_attribute(attribute, 1 << 30, device()), DeviceError);
  EXPECT_THROW(fill.set_attribute(attribute, -5, device()), DeviceError);
}

TEST_P(OnLibrary, AKernelTellsItsParameters) {
  const ParameterLayout layout = library().kernel("fill").parameters();
  ASSERT_TRUE(layout.known);
  ASSERT_EQ(layout.parameters.size(), 2u);
  EXPECT_EQ(layout.parameters[1].offset, 8u);
  EXPECT_EQ(layout.buffer_bytes, 12u);
}

TEST_P(OnLibrary, TheDriverTakesAKernelForAFunction) {
  const auto as_function = reinterpret_cast<RawFunction>(library().kernel("fill").raw());
  const DeviceMemory memory(8 * sizeof(int));
  DevicePointer address = memory.address();
  int value = 6;
  void* arguments[] = {&address, &value};
  const Table& cu = device().driver().table();
  ASSERT_EQ(cu.cuLaunchKernel(as_function, 1, 1, 1, 8, 1, 1, 0, nullptr, arguments, nullptr), 0);
  std::vector<int> values(8);
  memory.copy_to(values);
  EXPECT_EQ(values, std::vector<int>(8, 6));
}

TEST_P(OnLibrary, FilesAreReadByTheDriver) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("treadle-library-" + provider_name({GetParam(), 0}));
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(image().code.data()),
             static_cast<std::streamsize>(image().code.size()));
  const Library from_file = Library::load_file(path, device().driver());
  std::filesystem::remove(path);
  EXPECT_EQ(filled(from_file.kernel("fill").function(), 2), std::vector<int>(8, 2));
  try {
    Library::load_file("/no/such/library", device().driver());
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.message(), HasSubstr("/no/such/library"));
  }
}

TEST_P(OnLibrary, WhatIsNoCodeIsRefused) {
  const std::vector<std::byte> none, noise(100, std::byte{7});
  EXPECT_THROW(Library(none, {}, nullptr, device().driver()), InvalidArgument);
  JitLog log;
  // NVIDIA's driver may look at the code when it is first asked for.
  EXPECT_THROW(Library(noise, {}, &log, device().driver()).module(), DeviceError);
  if (GetParam() == Provider::cpu) return;  // its images do not state their size in their headers
  const std::span code(image().code);
  EXPECT_THROW(Library(code.first(code.size() / 2), {}, nullptr, device().driver()), DeviceError);
}

// ---- occupancy

TEST_P(OnLibrary, AMultiprocessorHoldsFewerBlocksThatNeedMore) {
  const Function reverse = library().kernel("reverse").function();
  const unsigned small = max_active_blocks(reverse, 64), large = max_active_blocks(reverse, 1024);
  EXPECT_GE(small, large);
  EXPECT_GE(large, 1u);
  EXPECT_LT(max_active_blocks(reverse, 64, 48 << 10), small);
  EXPECT_EQ(max_active_blocks(reverse, 64, 0, OccupancyFlags::disable_caching_override), small);
  EXPECT_EQ(max_active_blocks(reverse, 64, 1 << 30), 0u);
}

TEST_P(OnLibrary, ASuggestedBlockFillsTheMultiprocessor) {
  const Function fill = library().kernel("fill").function();
  const BlockSuggestion any = suggest_block(fill);
  EXPECT_GE(any.block_threads, 32u);
  const unsigned active = max_active_blocks(fill, any.block_threads);
  EXPECT_GE(active * any.block_threads, max_active_blocks(fill, 64) * 64);
  const auto processors =
      static_cast<unsigned>(device().attribute(DeviceAttribute::multiprocessor_count));
  EXPECT_EQ(any.grid_blocks, active * processors);
  EXPECT_LE(suggest_block(fill, 0, 128).block_threads, 128u);

  std::vector<unsigned> asked;
  const BlockSuggestion by_size = suggest_block(fill, [&](unsigned threads) {
    asked.push_back(threads);
    return 32u * threads;
  });
  EXPECT_THAT(asked, Contains(by_size.block_threads));
  EXPECT_GE(max_active_blocks(fill, by_size.block_threads, 32 * by_size.block_threads), 1u);
}

TEST_P(OnLibrary, WhatTheSharedMemoryIsAskedMayThrow) {
  const Function fill = library().kernel("fill").function();
  const auto fails = [](unsigned) -> std::size_t { throw std::runtime_error("no idea"); };
  EXPECT_THROW(suggest_block(fill, fails), std::runtime_error);
  const auto nested = [&](unsigned threads) -> std::size_t {
    return suggest_block(fill, [](unsigned each) { return each; }).block_threads > 0 ? threads : 0;
  };
  EXPECT_GE(suggest_block(fill, nested).block_threads, 1u);
  EXPECT_THROW(suggest_block(fill, std::function<std::size_t(unsigned)>{}), InvalidArgument);
}

TEST_P(OnLibrary, SharedMemoryThatIsLeftIsEnoughForTheBlocks) {
  const Function reverse = library().kernel("reverse").function();
  const std::size_t left = available_shared_bytes(reverse, 2, 128);
  EXPECT_GT(left, 0u);
  EXPECT_GE(max_active_blocks(reverse, 128, left), 2u);
}

TEST_P(OnLibrary, CountsThatAreNoneAreRefused) {
  const Function fill = library().kernel("fill").function();
  EXPECT_THROW(max_active_blocks(fill, 0), InvalidArgument);
  EXPECT_THROW(max_active_blocks(fill, static_cast<unsigned>(-32)), InvalidArgument);
  EXPECT_THROW(max_active_blocks(fill, 32, static_cast<std::size_t>(-1)), InvalidArgument);
  EXPECT_THROW(suggest_block(fill, 0, static_cast<unsigned>(-1)), InvalidArgument);
  EXPECT_THROW(available_shared_bytes(fill, 0, 32), InvalidArgument);
  EXPECT_THROW(available_shared_bytes(fill, 1, 0), InvalidArgument);
}

}  // namespace
}  // namespace treadle::cuda
