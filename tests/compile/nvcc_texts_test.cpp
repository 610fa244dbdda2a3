// SPDX-License-Identifier: MIT
// The texts of nvcc_texts/, which nvcc takes, are compiled by NVRTC with what we lay under it, and
// by the CPU device's compiler. What they compute is in tests/python/nvcc_texts_test.py.
#include <gtest/gtest.h>

#include "scratch.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/compile.hpp"

namespace treadle::compile {
namespace {

void expect_all_compile(const char* target) {
  const auto folder = source_folder() / "tests/compile/nvcc_texts";
  const std::vector<std::string> names = names_with(folder, ".cu");
  EXPECT_GE(names.size(), 7U);
  for (const std::string& name : names) {
    try {
      EXPECT_FALSE(compile_cuda(file_bytes(folder / name), Target::parse(target),
                                {.source_name = name, .cache = CacheUse::disabled})
                       .image.code.empty());
    } catch (const Error& error) {
      ADD_FAILURE() << name << "\n" << error.what();
    }
  }
}

TEST(NvccTexts, nvrtc_takes_what_nvcc_takes) {
  TREADLE_NEEDS_NVRTC();
  expect_all_compile("sm_90");
}

TEST(NvccTexts, the_cpu_devices_compiler_takes_what_nvcc_takes) {
  TREADLE_NEEDS_CPU_COMPILER();
  expect_all_compile("cpu");
}

TEST(NvccTexts, nvrtc_takes_integers_of_128_bits) {
  TREADLE_NEEDS_NVRTC();
  const char* text =
      "__global__ void k(long long* o) { __int128 a = o[0]; o[1] = (long long)(a * a >> 64); }";
  EXPECT_NO_THROW(compile_cuda(text, Target::parse("sm_90"), {.cache = CacheUse::disabled}));
}

}  // namespace
}  // namespace treadle::compile
