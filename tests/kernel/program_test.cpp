// SPDX-License-Identifier: MIT
#include "treadle/kernel/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <functional>

#include "device/each_device.hpp"
#include "treadle/compile/cache.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::kernel {
namespace {

using device::expect_error;
using device::in_language;
using testing::HasSubstr;
using testing::SizeIs;

/// Every device, each test with a cache folder of its own.
class ProgramTest : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::string folder = "treadle-program-" + std::to_string(getpid()) + "-" + test;
    std::ranges::replace(folder, '/', '-');
    folder_ = std::filesystem::temp_directory_path() / folder;
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
    device_ = device::find_device(GetParam());
  }
  void TearDown() override {
    compile::clear_memory_cache();
    std::filesystem::remove_all(folder_);
  }
  const std::shared_ptr<device::Device>& device() const { return device_; }
  const std::filesystem::path& folder() const { return folder_; }
  std::string text(const std::string& neutral) const {
    return in_language(device_->info().language, neutral);
  }
  Program make(const std::string& neutral, ProgramOptions options = {}) const {
    options.cache_dir = folder_ / "cache";
    return {device_, text(neutral), options};
  }

 private:
  std::shared_ptr<device::Device> device_;
  std::filesystem::path folder_;
};
INSTANTIATE_TEST_SUITE_P(Devices, ProgramTest, device::each_native_device(),
                         device::device_test_name);

constexpr const char* twice = "KERNEL twice(GLOBAL int* a) { a[INDEX] *= 2; }";

TEST_P(ProgramTest, CompilesAndFindsItsKernels) {
  const Program program = make(twice);
  EXPECT_EQ(program.kernel("twice").name(), "twice");
  EXPECT_EQ(&program.device(), device().get());
  EXPECT_EQ(program.origin(), compile::Origin::compiled);
  EXPECT_GT(program.seconds(), 0);
}

TEST_P(ProgramTest, SecondProgramComesFromTheCaches) {
  make(twice);
  EXPECT_EQ(make(twice).origin(), compile::Origin::memory_cache);
  compile::clear_memory_cache();
  const Program from_disk = make(twice);
  EXPECT_EQ(from_disk.origin(), compile::Origin::disk_cache);
  EXPECT_EQ(from_disk.kernel("twice").parameters().size(), 1u);
}

TEST_P(ProgramTest, OptionsAreAPartOfWhatItIs) {
  const std::string source = "KERNEL k(GLOBAL int* a) { a[INDEX] = VALUE; }";
  if (GetParam() != "null") {
    EXPECT_THROW(make(source), CompileError);
  }
  EXPECT_EQ(make(source, {.flags = {"-DVALUE=1"}}).origin(), compile::Origin::compiled);
  EXPECT_EQ(make(source, {.flags = {"-DVALUE=2"}}).origin(), compile::Origin::compiled);
  EXPECT_EQ(make(source, {.flags = {"-DVALUE=1"}}).origin(), compile::Origin::memory_cache);
}

TEST_P(ProgramTest, HeadersAreFoundAndFollowed) {
  if (GetParam() == "null") GTEST_SKIP() << "the null device reads no headers";
  const auto write = [&](const char* value) {
    std::ofstream(folder() / "value.h") << "#define VALUE " << value << "\n";
  };
  const std::string source = "#include \"value.h\"\nKERNEL k(GLOBAL int* a) { a[INDEX] = VALUE; }";
  const ProgramOptions options{.include_dirs = {folder()}};
  const auto value = [&](const Program& program) {
    const memory::Buffer buffer(device(), std::vector<int>{0});
    const auto stream = device()->make_stream();
    stream->launch(program.kernel("k"), {}, buffer);
    stream->synchronize();
    std::vector<int> values(1);
    buffer.copy_to(values);
    return values[0];
  };
  write("11");
  EXPECT_EQ(value(make(source, options)), 11);
  EXPECT_EQ(make(source, options).origin(), compile::Origin::memory_cache);
  write("12");
  EXPECT_EQ(value(make(source, options)), 12);
}

TEST_P(ProgramTest, FailingTextShowsTheUsersLines) {
  if (GetParam() == "null") GTEST_SKIP() << "the null device compiles nothing";
  try {
    make("KERNEL k(GLOBAL int* a) {\n  a[INDEX] = undeclared_name;\n}");
    FAIL() << "nothing was thrown";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.log(), HasSubstr("undeclared_name"));
    EXPECT_THAT(error.log(), HasSubstr("2"));
    EXPECT_THAT(error.source(), HasSubstr("undeclared_name"));
  }
}

TEST_P(ProgramTest, TextOfTheDialectIsTakenByEveryDevice) {
  const std::string source =
      "// both languages\n#include <treadle/dialect.h>\n"
      "TREADLE_KERNEL k(TREADLE_GLOBAL int *a)\n{\n  a[treadle_global_id(0)] = 7;\n}\n";
  const Program program(device(), source, {.cache_dir = folder() / "cache"});
  memory::Buffer buffer(device(), std::vector<int>(64, 0));
  const auto stream = device()->make_stream();
  stream->launch(program.kernel("k"), {.group_size = 64}, buffer);
  stream->synchronize();
  std::vector<int> values(64);
  buffer.copy_to(values);
  EXPECT_EQ(values, std::vector<int>(64, device()->info().traits.runs_kernels ? 7 : 0));
}

/// Whole entries of the disk cache that hold what a run-time does not take.
class PlantedEntry : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    before_ = set_warning_handler([this](std::string_view text) { warnings_.emplace_back(text); });
    make(twice);
    compile::reset_statistics();
    warnings_.clear();
  }
  void TearDown() override {
    set_warning_handler(before_);
    ProgramTest::TearDown();
  }
  std::filesystem::path cache() const { return folder() / "cache"; }

  /// Puts what `damage` makes of the kernel's code where that was, with its key and a digest that
  /// is right. The next program finds it as a new process would.
  void plant(const std::function<void(std::vector<std::byte>&)>& damage) const {
    const compile::CacheEntry entry = compile::list_cache(cache()).at(0);
    const compile::BinaryKey key{.language = language_named(entry.language),
                                 .source = entry.source,
                                 .source_name = entry.source_name,
                                 .options = entry.options,
                                 .include_dirs = {},
                                 .identity = entry.identity};
    const compile::CachePlace place{.folder = cache()};
    compile::clear_memory_cache();
    const auto no_build = [] { return compile::Binary{}; };
    std::vector<std::byte> code = compile::cached(key, no_build, place).image.code;
    ASSERT_FALSE(code.empty());
    damage(code);
    std::filesystem::remove(cache() / entry.name);
    compile::clear_memory_cache();
    compile::cached(key, [&] { return compile::Binary{code, {}}; }, place);
    ASSERT_TRUE(std::filesystem::exists(cache() / entry.name));
    compile::clear_memory_cache();
    compile::reset_statistics();
  }
  void expect_mended() {
    EXPECT_EQ(make(twice).kernel("twice").name(), "twice");
    EXPECT_EQ(compile::statistics().healed, 1u);
    EXPECT_THAT(warnings_, testing::ElementsAre(HasSubstr("could not be loaded")));
    compile::clear_memory_cache();
    EXPECT_EQ(make(twice).origin(), compile::Origin::disk_cache);
    EXPECT_EQ(compile::statistics().healed, 1u);
    EXPECT_THAT(warnings_, SizeIs(1));
  }

 private:
  std::vector<std::string> warnings_;
  WarningHandler before_;
};
INSTANTIATE_TEST_SUITE_P(Devices, PlantedEntry, device::each_native_device(),
                         device::device_test_name);

TEST_P(PlantedEntry, P9_CodeOfAnotherKindIsCompiledAnewCountedAndReportedOnce) {
  plant([](std::vector<std::byte>& code) { code.assign(4096, std::byte{'x'}); });
  expect_mended();
}

TEST_P(PlantedEntry, P9_CodeThatEndsEarlyIsCompiledAnew) {
  if (GetParam() == "null") GTEST_SKIP() << "any beginning of its code is code";
  // Within what we put in front of OpenCL's binaries: PoCL itself reads beyond the end of its own,
  // from which the cache's digest keeps it.
  plant([](std::vector<std::byte>& code) { code.resize(12); });
  expect_mended();
}

TEST_P(PlantedEntry, P9_CodeWithoutItsFirstBytesIsCompiledAnew) {
  if (GetParam() == "null") GTEST_SKIP() << "what is left is a kernel";
  plant([](std::vector<std::byte>& code) { code.erase(code.begin(), code.begin() + 9); });
  expect_mended();
}

TEST_P(ProgramTest, UnknownKernelGivesNearNames) {
  expect_error<InvalidArgument>([&] { make(twice).kernel("twise"); }, {"twise"});
}

TEST_P(ProgramTest, TextInAnotherLanguageIsRefused) {
  const Language own = device()->info().language;
  const Language other = own == Language::cuda_c ? Language::opencl_c : Language::cuda_c;
  expect_error<NotSupported>([&] { make(twice, {.language = other}); },
                             {std::string(language_name(other)), device()->info().id});
  EXPECT_EQ(make(twice, {.language = own}).kernel("twice").name(), "twice");
}

TEST_P(ProgramTest, NameExpressionsAreOfCudaOnly) {
  const std::string source = "template <class T> __global__ void fill(T* a) { *a = 1; }";
  const ProgramOptions options{.name_expressions = {"fill<float>"}};
  if (device()->info().traits.builds_text) {
    EXPECT_THROW(Program(device(), source, options), InvalidArgument);
  } else {
    EXPECT_EQ(Program(device(), source, options).kernel("fill<float>").name(), "fill<float>");
  }
}

TEST_P(ProgramTest, CacheThatIsNotWantedIsNotUsed) {
  const ProgramOptions options{.cache = compile::CacheUse::disabled};
  EXPECT_EQ(make(twice, options).origin(), compile::Origin::compiled);
  EXPECT_EQ(make(twice, options).origin(), compile::Origin::compiled);
}

TEST(Program, NeedsADevice) { EXPECT_THROW(Program(nullptr, "x"), InvalidArgument); }

}  // namespace
}  // namespace treadle::kernel
