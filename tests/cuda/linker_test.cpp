// SPDX-License-Identifier: MIT
#include "treadle/cuda/linker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "cuda/providers.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/cuda/copy.hpp"

namespace treadle::cuda {
namespace {

using compile::Output;
using testing::HasSubstr;

const char* const kernels_text = R"(
extern __device__ int offset;
extern __device__ float twice(float value);
extern "C" __global__ void apply(float* values) { values[threadIdx.x] = twice(values[threadIdx.x]) + offset; }
)";
const char* const functions_text = R"(
__device__ int offset = 3;
static __device__ float factor(int which) { return which; }
__device__ float twice(float value) { return factor(2) * value; }
)";
// A function of the same name, of its own: static.
const char* const others_text = R"(
static __device__ float factor(int which) { return 10 * which; }
extern "C" __global__ void tenfold(float* values)
{
    __shared__ float copy[32];
    copy[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = factor(1) * copy[31 - threadIdx.x];
}
)";

class Linking : public OnEachProvider {
 protected:
  void SetUp() override {
    OnEachProvider::SetUp();
    if (IsSkipped()) return;
    try {
      code_of("");
    } catch (const LibraryNotFound& error) {
      GTEST_SKIP() << "no compiler for " << device().target() << ": " << error.library();
    }
  }
  std::vector<std::byte> code_of(const std::string& text, const std::string& flag = "-rdc=true") {
    return compile_cuda(text, compile::Target::parse(device().target()),
                        {.flags = {flag}, .output = Output::ptx})
        .image.code;
  }
  void add(Linker& linker, const std::string& text, const std::string& name) {
    linker.add(code_of(text), LinkInput::ptx, name);
  }
  std::string refusal_of_link(Linker& linker) {
    try {
      linker.link();
    } catch (const DeviceError& error) {
      return error.detail();
    }
    return "linked";
  }
  static std::vector<float> run(const Function& kernel) {
    std::vector<float> values(32);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
    DeviceMemory memory(values.size() * sizeof(float));
    memory.copy_from(values);
    kernel.launch({.block = {32}}, memory);
    memory.copy_to(values);
    return values;
  }
};
INSTANTIATE_TEST_SUITE_P(Cuda, Linking, each_provider, provider_name);

TEST_P(Linking, JoinsTextsThatUseEachOther) {
  Linker linker;
  add(linker, kernels_text, "kernels.cu");
  add(linker, functions_text, "functions.cu");
  add(linker, others_text, "others.cu");
  const Module module(linker.link());
  EXPECT_EQ(run(module.function("apply"))[5], 13.0f);
  EXPECT_EQ(run(module.function("tenfold"))[1], 300.0f);
  const Global offset = module.global("offset");
  ASSERT_EQ(offset.size_bytes, sizeof(int));
  const int minus_one = -1;
  copy_to_device(offset.address, &minus_one, sizeof minus_one);
  EXPECT_EQ(run(module.function("apply"))[5], 9.0f);
}

TEST_P(Linking, JoinsTextsOfManyKernels) {
  // So many that the CPU device compiles them one by one, when they are asked for.
  std::string many = "extern __device__ float twice(float value);\n";
  for (int i = 0; i < 8; ++i)
    many += "extern \"C\" __global__ void add" + std::to_string(i) +
            "(float* v) { v[threadIdx.x] = twice(v[threadIdx.x]) + " + std::to_string(i) + "; }\n";
  Linker linker;
  add(linker, functions_text, "functions.cu");
  add(linker, many, "many.cu");
  const Module module(linker.link());
  for (const int i : {0, 7})
    EXPECT_EQ(run(module.function("add" + std::to_string(i)))[3], 6.0f + static_cast<float>(i));
}

TEST_P(Linking, EachTextKeepsItsArithmetic) {
  const std::string product = "(float* v) { v[threadIdx.x] = v[0] * v[0] - v[1]; }\n";
  Linker linker;
  linker.add(code_of("extern \"C\" __global__ void fused" + product), LinkInput::ptx, "fused.cu");
  linker.add(compile_cuda("extern \"C\" __global__ void apart" + product,
                          compile::Target::parse(device().target()),
                          {.flags = {"-rdc=true", "-fmad=false"}, .output = Output::ptx})
                 .image.code,
             LinkInput::ptx, "apart.cu");
  const Module module(linker.link());
  const float a = 1.0f + 0x1p-12f, rounded = a * a;
  const auto result = [&](const char* kernel) {
    const float host[2] = {a, rounded};
    DeviceMemory memory(sizeof host);
    memory.copy_from(host);
    module.function(kernel).launch({.block = {1}}, memory);
    float first[1];
    memory.copy_to(first);
    return first[0];
  };
  EXPECT_EQ(result("apart"), 0.0f);
  EXPECT_EQ(result("fused"), 0x1p-24f);
}

TEST_P(Linking, SaysWhichNameNobodyDefines) {
  Linker linker;
  add(linker, kernels_text, "kernels.cu");
  EXPECT_THAT(refusal_of_link(linker), HasSubstr("twice"));
  EXPECT_THAT(linker.log().error, HasSubstr("twice"));
}

TEST_P(Linking, SaysWhichNameTwoDefine) {
  Linker linker;
  add(linker, functions_text, "functions.cu");
  const std::vector<std::byte> again =
      code_of("__device__ float twice(float value) { return value; }");
  try {  // drivers differ in when they say it
    linker.add(again, LinkInput::ptx, "again.cu");
    linker.link();
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_THAT(error.detail(), HasSubstr("twice"));
  }
}

TEST_P(Linking, LinksOnce) {
  Linker linker;
  add(linker, "extern \"C\" __global__ void nothing() {}", "nothing.cu");
  EXPECT_NO_THROW(Module(linker.link()).function("nothing"));
  EXPECT_EQ(linker.raw(), nullptr);
  EXPECT_THROW(linker.link(), InvalidState);
  EXPECT_THROW(linker.add_file("x.ptx", LinkInput::ptx), InvalidState);
}

TEST_P(Linking, RefusesWhatIsNoCode) {
  const std::vector<std::byte> nonsense(64, std::byte{0x5a});
  Linker linker;
  EXPECT_THROW(linker.add({}, LinkInput::ptx), InvalidArgument);
  EXPECT_THROW(linker.add_file("/no/such/file.ptx", LinkInput::ptx), DeviceError);
  try {
    linker.add(nonsense, LinkInput::cubin, "nonsense");
    linker.link();
    FAIL();
  } catch (const DeviceError&) {
  }
  const std::pair<JitOption, unsigned> log{static_cast<JitOption>(5), 7};
  EXPECT_THROW(Linker({&log, 1}), InvalidArgument);
}

TEST_P(Linking, ReadsFiles) {
  const std::filesystem::path file =
      std::filesystem::path(testing::TempDir()) / ("linked." + provider_name({GetParam(), 0}));
  const auto code = code_of(functions_text);
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(code.data()), static_cast<std::streamsize>(code.size()));
  Linker linker;
  linker.add_file(file, LinkInput::ptx);
  add(linker, kernels_text, "kernels.cu");
  EXPECT_EQ(run(Module(linker.link()).function("apply"))[1], 5.0f);
  std::filesystem::remove(file);
}

TEST_P(Linking, AnObjectThatNeedsNoOtherIsAModule) {
  const Module module(code_of(others_text));
  EXPECT_EQ(run(module.function("tenfold"))[1], 300.0f);
}

TEST_P(Linking, OneModuleThatIsWholeIsAResult) {
  Linker linker;
  linker.add(code_of(others_text, "-rdc=false"), LinkInput::ptx, "others.cu");
  EXPECT_EQ(run(Module(linker.link()).function("tenfold"))[1], 300.0f);
}

TEST_P(Linking, ACutObjectIsRefused) {
  std::vector<std::byte> code = code_of(functions_text);
  code.resize(code.size() / 2);
  Linker linker;
  EXPECT_THROW(
      {
        linker.add(code, LinkInput::cubin, "cut.cu");
        linker.link();
      },
      DeviceError);
}

TEST_P(Linking, TheDeviceRuntimeIsAddedWhereItIsNeeded) {
  Linker linker;
  try {
    linker.add_library("cudadevrt");
  } catch (const LibraryNotFound& error) {
    GTEST_SKIP() << error.library() << " is not on this machine";
  }
  add(linker, others_text, "others.cu");
  EXPECT_EQ(run(Module(linker.link()).function("tenfold"))[1], 300.0f);
}

TEST_P(Linking, KernelsLaunchKernels) {
  const std::string nested = R"(
extern "C" __global__ void inner(float* values) { values[threadIdx.x] = 100; }
extern "C" __global__ void outer(float* values) { if (threadIdx.x == 0) inner<<<1, 4>>>(values); }
)";
  try {
    code_of(nested, "-rdc=false");
    ADD_FAILURE() << "launches need relocatable code";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.log(), HasSubstr("separate compilation mode"));
  }
  Linker linker;
  try {
    linker.add_library("cudadevrt");
  } catch (const LibraryNotFound& error) {
    GTEST_SKIP() << error.library() << " is not on this machine";
  }
  add(linker, nested, "nested.cu");
  const std::vector<float> values = run(Module(linker.link()).function("outer"));
  EXPECT_EQ(values[3], 100.0f);
  EXPECT_EQ(values[4], 4.0f);
}

TEST(StaticLibraries, AreLookedForInTheFolderThatIsNamed) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "toolkit";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "libsome.a") << "!<arch>\n";
  EXPECT_EQ(find_static_library("some", folder), folder / "libsome.a");
  try {
    find_static_library("other", folder);
    FAIL();
  } catch (const LibraryNotFound& error) {
    EXPECT_EQ(error.library(), "libother.a");
    EXPECT_THAT(error.tried(), testing::ElementsAre(HasSubstr("libother.a: no such file")));
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace treadle::cuda
