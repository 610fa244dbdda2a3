// SPDX-License-Identifier: MIT
// The texts that tests/golden keeps are programs: NVRTC takes each of CUDA C for a GPU of today,
// and the first OpenCL device of this machine each of OpenCL C.
#include <gtest/gtest.h>

#include "codegen/golden.hpp"
#include "compile/scratch.hpp"
#include "device/each_device.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::kernel {
namespace {

std::vector<std::filesystem::path> golden_files(const std::string& extension) {
  std::vector<std::filesystem::path> files;
  for (const char* family : {"conjugate_steps", "counting", "elementwise", "product", "radix_sort",
                             "random", "ranks", "reduction", "row_sort", "scan", "segmented_fold",
                             "selection", "sort", "sparse_rows", "sparse_tables", "top_k"})
    if (const auto folder = codegen::golden_folder(family))
      for (const auto& entry : std::filesystem::directory_iterator(*folder))
        if (entry.path().extension() == extension) files.push_back(entry.path());
  return files;
}

TEST(GoldenTexts, AreTakenByNvrtc) {
  using namespace compile;
  TREADLE_NEEDS_NVRTC();
  if (!device::has_cpu_compiler()) GTEST_SKIP() << "left to builds with compilers";
  const auto flags = codegen::dialect_of(Language::cuda_c).exact_flags;
  for (const auto& file : golden_files(".cu")) {
    const CompileResult result =
        compile_cuda(codegen::text_of(file), Target::parse("sm_90"),
                     {.flags = flags, .toolchain = Toolchain::nvrtc, .cache = CacheUse::disabled});
    EXPECT_FALSE(result.image.code.empty()) << file;
    EXPECT_EQ(result.log, "") << file;
  }
}

TEST(GoldenTexts, AreTakenByOpenCl) {
  const auto all = device::devices();
  const auto opencl = std::ranges::find_if(
      all, [](const auto& device) { return device->info().language == Language::opencl_c; });
  if (opencl == all.end()) GTEST_SKIP() << "no OpenCL device";
  if (!device::has_cpu_compiler()) GTEST_SKIP() << "left to builds with compilers";
  for (const auto& file : golden_files(".cl"))
    EXPECT_NO_THROW((*opencl)->build(
        {codegen::text_of(file), codegen::dialect_of(Language::opencl_c).exact_flags}))
        << file;
}

}  // namespace
}  // namespace treadle::kernel
