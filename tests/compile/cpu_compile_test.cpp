// SPDX-License-Identifier: MIT
// The same path with libtreadle_clang as the compiler. Needs that library, no device.
#include <gmock/gmock.h>
#include <unistd.h>

#include "scratch.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/cache.hpp"
#include "treadle/compile/compile.hpp"

namespace treadle::compile {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class CpuCompileTest : public testing::Test {
 protected:
  void SetUp() override {
    TREADLE_NEEDS_CPU_COMPILER();
    clear_memory_cache();
    reset_statistics();
  }
  Options options() const {
    Options given;
    given.cache_dir = dir_ / "cache";
    given.extern_c = true;
    return given;
  }
  static CompileResult compile(const std::string& source, const Options& given) {
    return compile_cuda(source, Target::host_cpu(), given);
  }
  static std::string log_of(const std::string& source, const Options& given) {
    try {
      compile(source, given);
    } catch (const CompileError& error) {
      return error.log();
    }
    return "(no error)";
  }

  const ScratchFolder dir_;
};

TEST_F(CpuCompileTest, is_compiled_once_then_found_in_memory_then_on_disk) {
  const std::string source = "__global__ void twice(float* a) { a[threadIdx.x] *= 2; }\n";
  const CompileResult first = compile(source, options());
  EXPECT_EQ(first.origin, Origin::compiled);
  EXPECT_EQ(compile(source, options()).origin, Origin::memory_cache);
  clear_memory_cache();
  const CompileResult third = compile(source, options());
  EXPECT_EQ(third.origin, Origin::disk_cache);
  EXPECT_EQ(third.image.code, first.image.code);
}

TEST_F(CpuCompileTest, errors_show_the_users_own_line_and_column) {
  const std::string body = "__global__ void k(int* a)\n{\n  a[0] = nope;\n}\n";
  EXPECT_THAT(log_of(body, options()), HasSubstr("kernel.cu:3:10: error"));
  EXPECT_THAT(log_of("#include <stdio.h>\n\n" + body, options()),
              HasSubstr("kernel.cu:5:10: error"));
  Options plain = options();
  plain.extern_c = false;
  EXPECT_THAT(log_of(body, plain), HasSubstr("kernel.cu:3:10: error"));
  plain.source_name = "folder/mine.cu";
  EXPECT_THAT(log_of(body, plain), HasSubstr("folder/mine.cu:3:10: error"));
}

TEST_F(CpuCompileTest, P3_headers_count_and_the_current_folder_is_not_searched) {
  const auto header = dir_.write("include/n.h", "#include \"sub/m.h\"\n");
  dir_.write("include/sub/m.h", "#define N 1\n");
  Options given = options();
  given.include_dirs = {dir_ / "include"};
  const std::string source = "#include \"n.h\"\n__global__ void k(int* a) { a[0] = N; }\n";
  const CompileResult first = compile(source, given);
  dir_.write("include/sub/m.h", "#define N 2\n");
  const CompileResult second = compile(source, given);
  EXPECT_EQ(second.origin, Origin::compiled);
  EXPECT_NE(second.image.code, first.image.code);
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(dir_ / "include");
  EXPECT_THAT(log_of(source, options()), HasSubstr("n.h"));
  std::filesystem::current_path(here);
}

/// A folder among the machine's own headers, for as long as a test runs.
class MachineHeaders {
 public:
  MachineHeaders() : name_("treadle-test-" + std::to_string(::getpid())) {
    std::error_code refused;
    writable_ = std::filesystem::create_directory(folder(), refused);
  }
  MachineHeaders(const MachineHeaders&) = delete;
  MachineHeaders& operator=(const MachineHeaders&) = delete;
  ~MachineHeaders() {
    std::error_code ignored;
    if (writable_) std::filesystem::remove_all(folder(), ignored);
  }
  bool writable() const { return writable_; }
  /// What a source includes to get value.h.
  std::string header() const { return "<" + name_ + "/value.h>"; }
  void set_value(int value) const {
    std::ofstream(folder() / "value.h") << "#define N " << value << "\n";
  }

 private:
  std::filesystem::path folder() const {
    return std::filesystem::path("/usr/local/include") / name_;
  }
  const std::string name_;
  bool writable_ = false;
};

TEST_F(CpuCompileTest, headers_of_the_machine_are_never_read) {
  const MachineHeaders machine;
  if (!machine.writable()) GTEST_SKIP() << "/usr/local/include cannot be written";
  machine.set_value(1);
  Options given = options();
  given.extern_c = false;
  std::string source = "#if __has_include(" + machine.header() + ")";
  // Of this machine's g++, C library, kernel and CUDA toolkit, where it has them.
  for (const char* name : {"bits/c++config.h", "ext/atomicity.h", "linux/limits.h", "sys/cdefs.h",
                           "gnu/stubs.h", "x86intrin.h", "cublas_v2.h", "crt/mma.hpp"})
    source += " || __has_include(<" + std::string(name) + ">)";
  source += "\n#error a header of the machine\n#endif\n__global__ void k(int* a) { a[0] = 1; }";
  EXPECT_EQ(log_of(source, given), "(no error)");
  EXPECT_THAT(log_of("#include " + machine.header() + "\n", given), HasSubstr("file not found"));
}

TEST_F(CpuCompileTest, a_folder_of_cudas_headers_comes_after_ours) {
  const std::filesystem::path folder = dir_ / "cuda";
  std::filesystem::create_directories(folder / "cuda/std");
  for (const char* name : {"cuda_runtime_api.h", "cuda_fp16.h", "cuda/std/tuple"})
    std::ofstream(folder / name) << "#define THEIRS read\n";
  std::ofstream(folder / "only_there.h") << "#define N 1\n";
  Options given = options();
  given.extern_c = false;
  given.include_dirs = {folder};
  const std::string source =
      "#include <cuda_fp16.h>\n#include \"cuda_runtime_api.h\"\n#include <cuda/std/tuple>\n"
      "#include <only_there.h>\n__global__ void k(int* a) {\n  a[0] = N;\n"
      "#ifdef THEIRS\n  a[1] = THEIRS;\n#endif\n}\n";
  EXPECT_EQ(log_of(source, given), "(no error)");
  // Any other folder comes first.
  std::filesystem::remove(folder / "cuda_runtime_api.h");
  EXPECT_THAT(log_of(source, given), HasSubstr("THEIRS"));
}

TEST_F(CpuCompileTest, cub_and_thrust_are_refused_by_name) {
  const std::filesystem::path folder = dir_ / "cccl";
  for (const char* name : {"nv", "cub/block", "thrust"})
    std::filesystem::create_directories(folder / name);
  std::ofstream(folder / "nv/target") << "";
  std::ofstream(folder / "cub/block/block_reduce.cuh") << "#include <cub/config.cuh>\n";
  std::ofstream(folder / "thrust/complex.h") << "#include <thrust/detail/config.h>\n";
  Options given = options();
  given.extern_c = false;
  given.include_dirs = {folder};
  EXPECT_THAT(log_of("#include <cub/block/block_reduce.cuh>\n", given),
              HasSubstr("cooperative_groups/reduce.h"));
  EXPECT_THAT(log_of("#include <thrust/complex.h>\n", given), HasSubstr("<complex>"));
}

// They come from inside the library: that nothing changed is known without a look at any file.
TEST_F(CpuCompileTest, a_source_that_includes_our_headers_is_found_on_disk) {
  Options given = options();
  given.extern_c = false;
  const std::string source =
      "#include <tuple>\n#include <complex>\n#include <iostream>\n#include <vector>\n"
      "#include <cuda/std/atomic>\n#include <mma.h>\n#include <stdio.h>\n"
      "__global__ void k(int* a) { a[0] = 1; }\n";
  EXPECT_EQ(compile(source, given).origin, Origin::compiled);
  clear_memory_cache();
  EXPECT_EQ(compile(source, given).origin, Origin::disk_cache);
}

TEST_F(CpuCompileTest, options_for_nvidia_code_are_ignored_with_a_warning) {
  Options given = options();
  given.flags = {"-arch=sm_90", "-O3", "-Xptxas", "-v", "-use_fast_math", "-lineinfo"};
  const CompileResult result = compile("__global__ void k(float* a) { a[0] = sinf(a[1]); }", given);
  EXPECT_THAT(result.warnings, Contains(HasSubstr("-Xptxas")));
  EXPECT_THAT(result.warnings, Not(Contains(HasSubstr("-arch"))));
}

TEST_F(CpuCompileTest, options_that_name_passes_count) {
  const std::string source =
      "__global__ void k(float* a, int i) { if (i > 0) a[threadIdx.x] = 1; }";
  compile(source, options());
  Options given = options();
  given.flags = {"--treadle-disable=block-rows", "--treadle-print-after=optimize"};
  const CompileResult without = compile(source, given);
  EXPECT_EQ(without.origin, Origin::compiled) << "of the cache's key";
  EXPECT_THAT(without.log, HasSubstr("; optimize\n"));
  given.flags = {"--treadle-disable", "block-row"};
  try {
    compile(source, given);
    ADD_FAILURE() << "a pass that does not exist";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("near names: block-rows"));
  }
}

TEST_F(CpuCompileTest, name_expressions_are_looked_up) {
  Options given = options();
  given.extern_c = false;
  given.name_expressions = {"scale<float, 4>"};
  const CompileResult result =
      compile("template <class T, int n> __global__ void scale(T* a) { a[0] *= n; }", given);
  EXPECT_THAT(result.image.lowered_names.at("scale<float, 4>"), HasSubstr("scaleIfLi4E"));
}

TEST_F(CpuCompileTest, P16_the_same_source_gives_the_same_bytes) {
  const std::string source =
      "static __device__ int hidden = 3;\n__global__ void k(int* a) { a[0] = hidden++; }\n";
  std::string bytes[2];
  for (int i = 0; i < 2; ++i) {
    Options given = options();
    given.cache_dir = dir_ / ("cache" + std::to_string(i));
    bytes[i] = file_bytes(compile(source, given).entry);
  }
  EXPECT_FALSE(bytes[0].empty());
  EXPECT_EQ(bytes[0], bytes[1]);
}

}  // namespace
}  // namespace treadle::compile
