// SPDX-License-Identifier: MIT
// P17, a row each: bad input of what compiles and caches. Each is a typed error that names what was
// given and one thing to try, comes before a compiler is opened where no compiler is needed to
// know, and leaves the folder as it was. tests/python/bad_input_test.py has the same rows, and
// those that need another environment.
#include <gmock/gmock.h>

#include <functional>
#include <string>

#include "scratch.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/cache.hpp"
#include "treadle/compile/cached.hpp"

namespace treadle::compile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* a_kernel = "__global__ void k(int* a) { *a = 1; }";

struct Things {
  ScratchFolder folder;
  std::filesystem::path file = folder.write("a file", "text");
  Target target = Target::parse("sm_90");

  CompileResult compile(std::vector<std::string> flags) const {
    return compile_cuda(a_kernel, target,
                        {.flags = std::move(flags), .cache_dir = folder / "cache"});
  }
};

enum class Refused { argument, file, compile };

struct Row {
  const char* what;
  Refused as;
  const char* message;  ///< a part of what() says this
  std::function<void(const Things&)> call;
  bool needs_compiler = false;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.what; }

Refused kind_of(const Error& error) {
  if (dynamic_cast<const FileError*>(&error)) return Refused::file;
  if (dynamic_cast<const CompileError*>(&error)) return Refused::compile;
  EXPECT_TRUE(dynamic_cast<const InvalidArgument*>(&error)) << error.what();
  return Refused::argument;
}

const std::vector<Row> rows = {
    {"no target", Refused::argument, "target \"\" is not known",
     [](const Things&) { Target::parse(""); }},
    {"unknown target", Refused::argument, "target \"sm_banana\" is not known",
     [](const Things&) { Target::parse("sm_banana"); }},
    {"target with a blank", Refused::argument, "try: sm_90",
     [](const Things&) { Target::parse("sm_90 "); }},
    {"features that are cut off", Refused::argument, "target \"cpu:0123\" is not known",
     [](const Things&) { Target::parse("cpu:0123"); }},
    {"features of another processor", Refused::argument, "is another processor than this one",
     [](const Things&) { Target::parse("cpu:" + std::string(64, 'f')); }},
    {"unknown option", Refused::argument, "option \"--frobnicate\" is unknown",
     [](const Things& t) { t.compile({"--frobnicate"}); }},
    {"option without its value", Refused::argument, "option \"-std\" lacks its value",
     [](const Things& t) { t.compile({"-std"}); }},
    {"unknown standard", Refused::argument, "-std=c++98: no such language standard",
     [](const Things& t) { t.compile({"-std=c++98"}); }},
    {"option for another pointer size", Refused::argument, "option \"-m32\" is refused",
     [](const Things& t) { t.compile({"-m32"}); }},
    {"option that names the result", Refused::argument, "option \"-ptx\" is refused",
     [](const Things& t) { t.compile({"-ptx"}); }},
    {"include folder without a name", Refused::argument, "include folder has an empty name",
     [](const Things& t) {
       compile_cuda(a_kernel, t.target, {.include_dirs = {""}, .cache_dir = t.folder / "cache"});
     }},
    {"syntax error", Refused::compile, "refused kernel.cu",
     [](const Things& t) {
       compile_cuda("__global__ void k( {", t.target, {.cache_dir = t.folder / "cache"});
     },
     true},
    {"unknown name expression", Refused::compile, "absent<float>",
     [](const Things& t) {
       compile_cuda(a_kernel, t.target,
                    {.name_expressions = {"absent<float>"}, .cache_dir = t.folder / "cache"});
     },
     true},
    {"a file that is listed", Refused::file, "a file", [](const Things& t) { list_cache(t.file); }},
    {"a file that is verified", Refused::argument, "is a file, not a folder",
     [](const Things& t) { verify_cache(t.file); }},
    {"a file that is cleared", Refused::argument, "is a file, not a folder",
     [](const Things& t) { clear_cache(t.file); }},
    {"a file that is pruned", Refused::argument, "is a file, not a folder",
     [](const Things& t) { prune_cache(1, t.file); }},
    {"an entry that is not there", Refused::argument, "holds no program nonsense",
     [](const Things& t) { explain_miss("nonsense", t.folder.path()); }},
};

class BadInput : public testing::TestWithParam<Row> {};

TEST_P(BadInput, P17_is_refused_by_name) {
  const Row& row = GetParam();
  if (row.needs_compiler) {
    TREADLE_NEEDS_NVRTC();
  }
  const Things things;
  clear_memory_cache();
  try {
    row.call(things);
    ADD_FAILURE() << row.what << " was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(kind_of(error), row.as) << error.what();
    EXPECT_THAT(error.what(), HasSubstr(row.message));
  }
  EXPECT_EQ(file_bytes(things.file), "text");
  if (std::filesystem::exists(things.folder / "cache")) {
    EXPECT_THAT(list_cache(things.folder / "cache"), IsEmpty());
  }
}

std::string test_name(const testing::TestParamInfo<Row>& info) {
  std::string name = info.param.what;
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Rows, BadInput, testing::ValuesIn(rows), test_name);

BinaryKey key_of(const std::string& source) {
  BinaryKey key;
  key.source = source;
  key.identity = {{"compiler", "none"}};
  return key;
}

TEST(BadPlaces, P7_a_file_where_the_cache_should_be_is_a_warning_and_work_goes_on) {
  const Things things;
  const CaughtWarnings caught;
  clear_memory_cache();
  int builds = 0;
  const auto build = [&] { return Binary{std::vector<std::byte>(++builds), ""}; };
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(cached(key_of("one"), build, {.folder = things.file}).image.code.size(), 1u);
  EXPECT_EQ(builds, 1) << "memory keeps what the disk cannot";
  EXPECT_THAT(caught.texts, ElementsAre(HasSubstr("is a file, not a folder")));
  EXPECT_EQ(file_bytes(things.file), "text");
}

TEST(BadPlaces, what_a_build_throws_goes_to_the_caller_and_nothing_is_kept) {
  const Things things;
  clear_memory_cache();
  const CachePlace place{.folder = things.folder / "cache"};
  EXPECT_THROW(
      cached(key_of("two"), []() -> Binary { throw NotSupported("no"); }, place), NotSupported);
  EXPECT_THROW(cached(key_of("two"), []() -> Binary { throw 7; }, place), int);
  const auto build = [] { return Binary{std::vector<std::byte>(3), "said"}; };
  EXPECT_EQ(cached(key_of("two"), build, place).origin, Origin::compiled);
  EXPECT_EQ(cached(key_of("two"), build, place).origin, Origin::memory_cache);
}

}  // namespace
}  // namespace treadle::compile
