// SPDX-License-Identifier: MIT
#include "treadle/compile/compile.hpp"

#include <gmock/gmock.h>

#include <cstdio>
#include <set>
#include <thread>

#include "compile/process.hpp"
#include "scratch.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/cache.hpp"

namespace treadle::compile {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const std::string twice = "__global__ void twice(float* a) { a[threadIdx.x] *= 2; }\n";

/// Each test has a cache folder of its own, and nothing in memory.
class CompileTest : public testing::Test {
 protected:
  void SetUp() override {
    TREADLE_NEEDS_NVRTC();
    clear_memory_cache();
    reset_statistics();
  }
  Options options(const std::string& folder = "cache") const {
    Options given;
    given.cache_dir = dir_ / folder;
    given.extern_c = true;
    return given;
  }
  CompileResult compile(const std::string& source, const Options& given) const {
    return compile_cuda(source, target_, given);
  }
  /// As a new process would see it: only the disk remembers.
  CompileResult compile_anew(const std::string& source, const Options& given) const {
    clear_memory_cache();
    return compile(source, given);
  }

  const ScratchFolder dir_;
  const Target target_ = Target::parse("sm_90");
};

TEST(Target, names_are_checked) {
  for (const char* name : {"sm_90", "sm_90a", "sm_100f", "compute_80"})
    EXPECT_EQ(Target::parse(name).name(), name);
  EXPECT_EQ(Target::parse("cpu"), Target::host_cpu());
  EXPECT_EQ(Target::parse(Target::host_cpu().name()), Target::host_cpu());
  EXPECT_TRUE(Target::host_cpu().is_cpu());
  for (const char* name :
       {"", "sm_", "sm_9", "sm_90b", "sm_9000", "SM_90", "cpu:", "cpu:0", "gpu", "compute_"})
    EXPECT_THROW(Target::parse(name), InvalidArgument) << name;
  const std::string another_cpu = "cpu:" + std::string(64, '0');
  EXPECT_THROW(Target::parse(another_cpu), InvalidArgument);
}

TEST_F(CompileTest, is_compiled_once_then_found_in_memory_then_on_disk) {
  const CompileResult first = compile(twice, options());
  EXPECT_EQ(first.origin, Origin::compiled);
  EXPECT_TRUE(std::filesystem::exists(first.entry));
  const CompileResult second = compile(twice, options());
  EXPECT_EQ(second.origin, Origin::memory_cache);
  const CompileResult third = compile_anew(twice, options());
  EXPECT_EQ(third.origin, Origin::disk_cache);
  EXPECT_EQ(first.image.code, second.image.code);
  EXPECT_EQ(first.image.code, third.image.code);
  const Statistics counts = statistics();
  EXPECT_EQ(counts.misses, 1u);
  EXPECT_EQ(counts.memory_hits, 1u);
  EXPECT_EQ(counts.disk_hits, 1u);
  EXPECT_GT(counts.compile_seconds, 0);
  EXPECT_GT(counts.lookup_seconds, 0);
}

TEST_F(CompileTest, disabled_caches_are_neither_read_nor_written) {
  Options given = options();
  given.cache = CacheUse::disabled;
  compile(twice, given);
  EXPECT_EQ(compile(twice, given).origin, Origin::compiled);
  EXPECT_FALSE(std::filesystem::exists(given.cache_dir));
}

TEST_F(CompileTest, errors_show_the_users_own_line_and_column) {
  try {
    compile("#include <stdio.h>\n\n__global__ void k(int* a)\n{\n  a[0] = nope;\n}\n", options());
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_THAT(error.log(), HasSubstr("kernel.cu(5): error"));
    EXPECT_THAT(error.log(), HasSubstr("nope"));
    EXPECT_THAT(error.log(), testing::Not(HasSubstr("/dev/null")));
    EXPECT_THAT(error.source(), HasSubstr("a[0] = nope;"));
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("kernel.cu"), HasSubstr("sm_90"), HasSubstr("NVRTC")));
  }
  Options named = options();
  named.source_name = "shaders/mine.cu";
  try {
    compile("void x", named);
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_THAT(error.log(), HasSubstr("shaders/mine.cu(1)"));
  }
}

TEST_F(CompileTest, a_missing_header_says_where_headers_come_from) {
  try {
    compile("#include \"nowhere.h\"\n" + twice, options());
    FAIL();
  } catch (const CompileError& error) {
    EXPECT_THAT(error.hint(), HasSubstr("include_dirs"));
  }
}

TEST_F(CompileTest, name_expressions_are_looked_up) {
  Options given = options();
  given.extern_c = false;
  given.name_expressions = {"scale<float, 4>", "scale<double,2>"};
  const std::string source = "template <class T, int n> __global__ void scale(T* a) { a[0] *= n; }";
  const CompileResult result = compile(source, given);
  EXPECT_THAT(result.image.lowered_names.at("scale<float, 4>"), HasSubstr("scaleIfLi4E"));
  EXPECT_THAT(result.image.lowered_names.at("scale<double,2>"), HasSubstr("scaleIdLi2E"));
  EXPECT_EQ(compile_anew(source, given).image.lowered_names, result.image.lowered_names);
  given.name_expressions = {"scale<potato>"};
  EXPECT_THROW(compile(source, given), CompileError);
}

TEST_F(CompileTest, ptx_is_text_with_its_end) {
  Options given = options();
  given.output = Output::ptx;
  const CompileResult result = compile(twice, given);
  const std::string text(reinterpret_cast<const char*>(result.image.code.data()));
  EXPECT_THAT(text, HasSubstr(".target sm_90"));
  EXPECT_EQ(text.size() + 1, result.image.code.size());
  const CompileResult virtual_target = compile_cuda(twice, Target::parse("compute_80"), options());
  EXPECT_THAT(reinterpret_cast<const char*>(virtual_target.image.code.data()),
              HasSubstr(".target sm_80"));
}

TEST_F(CompileTest, P3_the_contents_of_headers_count) {
  const auto header = dir_.write("include/n.h", "#define N 1\n");
  Options given = options();
  given.include_dirs = {dir_ / "include"};
  const std::string source = "#include \"n.h\"\n__global__ void k(int* a) { a[0] = N; }\n";
  const CompileResult one = compile(source, given);
  EXPECT_EQ(compile(source, given).origin, Origin::memory_cache);
  EXPECT_EQ(compile_anew(source, given).origin, Origin::disk_cache);
  overwrite(header, "#define N 2\n");
  const CompileResult two = compile(source, given);
  EXPECT_EQ(two.origin, Origin::compiled);
  EXPECT_NE(two.image.code, one.image.code);
  overwrite(header, "#define N 1\n");
  const CompileResult again = compile(source, given);
  EXPECT_EQ(again.origin, Origin::disk_cache);
  EXPECT_EQ(again.image.code, one.image.code);
}

TEST_F(CompileTest, P3_a_header_that_appears_earlier_on_the_path_gives_a_new_key) {
  dir_.write("two/n.h", "#define N 1\n");
  std::filesystem::create_directory(dir_ / "one");
  Options given = options();
  given.include_dirs = {dir_ / "one", dir_ / "two"};
  const std::string source = "#include <n.h>\n__global__ void k(int* a) { a[0] = N; }\n";
  const CompileResult before = compile(source, given);
  dir_.write("one/n.h", "#define N 2\n");
  const CompileResult after = compile_anew(source, given);
  EXPECT_EQ(after.origin, Origin::compiled);
  EXPECT_NE(after.image.code, before.image.code);
}

TEST_F(CompileTest, P3_the_same_tree_elsewhere_is_the_same_entry) {
  const std::string source = "#include \"sub/n.h\"\n__global__ void k(int* a) { a[0] = N; }\n";
  Options given = options();
  std::set<std::filesystem::path> entries;
  for (const char* place : {"here", "there"}) {
    dir_.write(std::string(place) + "/sub/n.h", "#include \"m.h\"\n");
    dir_.write(std::string(place) + "/sub/m.h", "#define N 1\n");
    given.include_dirs = {dir_ / place};
    entries.insert(compile_anew(source, given).entry);
  }
  EXPECT_THAT(entries, SizeIs(1));
  EXPECT_EQ(statistics().misses, 1u);
}

TEST_F(CompileTest, P3_the_current_folder_does_not_matter_and_is_not_searched) {
  const auto here = std::filesystem::current_path();
  const CompileResult first = compile(twice, options());
  dir_.write("work/stray.h", "");
  std::filesystem::current_path(dir_ / "work");
  EXPECT_EQ(compile_anew(twice, options()).origin, Origin::disk_cache);
  EXPECT_THROW(compile("#include \"stray.h\"\n" + twice, options()), CompileError);
  std::filesystem::current_path(here);
}

TEST_F(CompileTest, P3_defines_targets_and_names_are_different_programs) {
  compile(twice, options());
  Options given = options();
  given.flags = {"-DX"};
  EXPECT_EQ(compile(twice, given).origin, Origin::compiled);
  given.flags = {"-D", "X"};  // another spelling of the same
  EXPECT_EQ(compile(twice, given).origin, Origin::disk_cache);
  EXPECT_EQ(compile_cuda(twice, Target::parse("sm_80"), options()).origin, Origin::compiled);
  given = options();
  given.extern_c = false;
  EXPECT_EQ(compile(twice, given).origin, Origin::compiled);
}

TEST_F(CompileTest, P3_what_the_cache_cannot_know_is_not_cached) {
  dir_.write("include/n.h", "#define N 1\n");
  Options given = options();
  given.include_dirs = {dir_ / "include"};
  const std::string computed =
      "#define HEADER <n.h>\n#include HEADER\n__global__ void k(int* a) { a[0] = N; }\n";
  EXPECT_THAT(compile(computed, given).not_cached, HasSubstr("#include of a macro"));
  EXPECT_EQ(compile(computed, given).origin, Origin::compiled);
  const std::string timed = "__global__ void k(int* a) { a[0] = __TIME__[7]; }\n";
  EXPECT_THAT(compile(timed, options()).not_cached, HasSubstr("time"));
  EXPECT_EQ(compile(timed, options()).origin, Origin::compiled);
}

TEST_F(CompileTest, P9_a_damaged_entry_is_compiled_again_and_reported_once) {
  const CompileResult first = compile(twice, options());
  std::string bytes = file_bytes(first.entry);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  overwrite(first.entry, bytes);
  const CaughtWarnings caught;
  const CompileResult second = compile_anew(twice, options());
  EXPECT_EQ(second.origin, Origin::compiled);
  EXPECT_EQ(second.image.code, first.image.code);
  EXPECT_EQ(compile_anew(twice, options()).origin, Origin::disk_cache);
  EXPECT_THAT(caught.texts, ElementsAre(HasSubstr("damaged")));
  EXPECT_EQ(statistics().healed, 1u);
}

TEST_F(CompileTest, P9_a_program_that_cannot_be_loaded_is_discarded) {
  const CompileResult first = compile(twice, options());
  const CaughtWarnings caught;
  discard_cached(first);
  EXPECT_FALSE(std::filesystem::exists(first.entry));
  EXPECT_EQ(compile(twice, options()).origin, Origin::compiled);
  EXPECT_EQ(statistics().healed, 1u);
}

TEST_F(CompileTest, P7_without_a_usable_folder_memory_does) {
  dir_.write("cache", "a file");
  const CaughtWarnings caught;
  EXPECT_EQ(compile(twice, options()).origin, Origin::compiled);
  EXPECT_EQ(compile(twice, options()).origin, Origin::memory_cache);
  EXPECT_EQ(compile_anew(twice, options()).origin, Origin::compiled);
  EXPECT_THAT(caught.texts, ElementsAre(HasSubstr("not a folder")));
}

TEST_F(CompileTest, P16_two_machines_write_the_same_bytes) {
  dir_.write("include/n.h", "#define N 1\n");
  const std::string source =
      "#include \"n.h\"\nstatic __device__ int hidden = 3;\n"
      "namespace { __device__ int inner; }\n__global__ void k(int* a) { a[0] = N + hidden++ + "
      "inner; }\n";
  std::string bytes[2];
  for (int i = 0; i < 2; ++i) {
    Options given = options("cache" + std::to_string(i));
    given.include_dirs = {dir_ / "include"};
    const CompileResult result = compile_anew(source, given);
    EXPECT_EQ(result.origin, Origin::compiled);
    bytes[i] = file_bytes(result.entry);
  }
  EXPECT_FALSE(bytes[0].empty());
  EXPECT_EQ(bytes[0], bytes[1]);
}

TEST_F(CompileTest, threads_share_one_compile) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) threads.emplace_back([&] { compile(twice, options()); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(statistics().misses, 1u);
  EXPECT_EQ(statistics().memory_hits, 5u);
}

TEST_F(CompileTest, kept_files_show_what_was_compiled) {
  Options given = options();
  given.keep = true;
  given.flags = {"-DX=1"};
  const CompileResult result = compile(twice, given);
  EXPECT_EQ(file_bytes(result.kept_in / "kernel.cu"), twice);
  EXPECT_THAT(file_bytes(result.kept_in / "options.txt"), HasSubstr("-DX=1"));
  EXPECT_EQ(file_bytes(result.kept_in / "kernel.cubin").size(), result.image.code.size());
  std::filesystem::remove_all(result.kept_in);
}

TEST_F(CompileTest, warnings_come_with_every_hit) {
  Options given = options();
  given.flags = {"-ccbin", "g++"};
  for (int i = 0; i < 2; ++i)
    EXPECT_THAT(compile(twice, given).warnings, Contains(HasSubstr("-ccbin")));
  EXPECT_THAT(compile_anew(twice, given).warnings, Contains(HasSubstr("-ccbin")));
}

// Run by the tests below in a process of its own.
TEST(CompileChild, DISABLED_compiles_one) {
  TREADLE_NEEDS_NVRTC();
  compile_cuda(twice, Target::parse("sm_90"), {.extern_c = true});
  std::printf("misses=%d disk_hits=%d\n", static_cast<int>(statistics().misses),
              static_cast<int>(statistics().disk_hits));
}

std::string run_child(const ScratchFolder& dir) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string home = dir.path(), dump = dir / "dump";
  const ProcessResult result = run_process(
      {"/usr/bin/env", "XDG_CACHE_HOME=" + home, "TREADLE_CACHE_DIR=", "TREADLE_DUMP=" + dump,
       program, "--gtest_filter=CompileChild.*", "--gtest_also_run_disabled_tests"},
      dir.path());
  EXPECT_EQ(result.exit_status, 0) << result.output;
  return result.output;
}

TEST_F(CompileTest, a_second_process_compiles_nothing) {
  EXPECT_THAT(run_child(dir_), HasSubstr("misses=1 disk_hits=0"));
  EXPECT_THAT(run_child(dir_), HasSubstr("misses=0 disk_hits=1"));
  EXPECT_THAT(names_with(dir_ / "treadle", ".kernel"), SizeIs(1));
}

TEST_F(CompileTest, sources_are_dumped_where_they_are_compiled) {
  run_child(dir_);
  const auto names = names_with(dir_ / "dump", ".cu");
  ASSERT_THAT(names, SizeIs(1));
  EXPECT_THAT(file_bytes(dir_ / "dump" / names[0]), AllOf(HasSubstr(twice), HasSubstr("sm_90")));
}

TEST_F(CompileTest, nvcc_is_run_when_asked_for) {
  if (find_program("nvcc").empty() || find_program("gcc").empty())
    GTEST_SKIP() << "no nvcc on this machine";
  const auto header = dir_.write("include/n.h", "#define N 1\n");
  Options given = options();
  given.toolchain = Toolchain::nvcc;
  given.include_dirs = {dir_ / "include"};
  const std::string source =
      "#include <n.h>\n#include <stdio.h>\n__global__ void k(int* a) { a[0] = N; printf(\"x\"); "
      "}\n";
  const CompileResult first = compile(source, given);
  EXPECT_EQ(first.origin, Origin::compiled);
  EXPECT_EQ(compile_anew(source, given).origin, Origin::disk_cache);
  overwrite(header, "#define N 2\n");
  const CompileResult second = compile_anew(source, given);
  EXPECT_EQ(second.origin, Origin::compiled);
  EXPECT_NE(second.image.code, first.image.code);
  EXPECT_THROW(compile("__global__ void k() { nope; }", given), CompileError);
  given.nvcc = "/nowhere/nvcc";
  EXPECT_THROW(compile(source, given), LibraryNotFound);
}

}  // namespace
}  // namespace treadle::compile
