// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <chrono>
#include <functional>

#include "scratch.hpp"
#include "treadle/base/error.hpp"
#include "treadle/compile/cache.hpp"
#include "treadle/compile/cached.hpp"

namespace treadle::compile {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

class ExplainMiss : public testing::Test {
 protected:
  /// Builds it, if it must be; returns the name of its entry. Later calls make later entries.
  std::string build(const BinaryKey& key) {
    clear_memory_cache();
    const CompileResult result =
        cached(key, [] { return Binary{std::vector<std::byte>(8), {}}; }, {.folder = folder_});
    std::filesystem::last_write_time(result.entry, start_ + std::chrono::seconds(++built_));
    return result.entry.filename();
  }
  KeyDifference only_difference(const std::function<void(BinaryKey&)>& change) {
    const std::string before = build(key_);
    BinaryKey changed = key_;
    change(changed);
    const std::string after = build(changed);
    const MissExplanation explanation = explain_miss({}, folder_);
    EXPECT_EQ(explanation.entry, after);
    EXPECT_EQ(explanation.nearest, before);
    EXPECT_THAT(explanation.differences, SizeIs(1));
    std::filesystem::remove(folder_ / after);
    return explanation.differences.empty() ? KeyDifference{} : explanation.differences.front();
  }

  const ScratchFolder dir_;
  const std::filesystem::path folder_ = dir_ / "cache";
  const std::filesystem::file_time_type start_ = std::filesystem::file_time_type::clock::now();
  int built_ = 0;
  BinaryKey key_{.language = Language::opencl_c,
                 .source = "one\ntwo\nthree\n",
                 .source_name = "k.cl",
                 .options = {"-DA=1", "-w"},
                 .include_dirs = {dir_ / "include"},
                 .identity = {{"driver version", "1.0"}, {"device", "a"}},
                 .holds_paths = false};
};

TEST_F(ExplainMiss, names_the_field_that_changed) {
  KeyDifference found = only_difference([](BinaryKey& k) { k.identity[0].value = "1.1"; });
  EXPECT_EQ(found.field, "driver version");
  EXPECT_EQ(found.before, "1.0");
  EXPECT_EQ(found.after, "1.1");
  found = only_difference([](BinaryKey& k) { k.options[0] = "-DA=2"; });
  EXPECT_EQ(found.field, "options");
  EXPECT_EQ(found.after, "-DA=2 -w");
  EXPECT_EQ(only_difference([](BinaryKey& k) { k.identity.pop_back(); }).field, "device");
  EXPECT_EQ(only_difference([](BinaryKey& k) { k.identity.push_back({"x", "1"}); }).field, "x");
  EXPECT_EQ(only_difference([](BinaryKey& k) { k.source_name = "l.cl"; }).field, "source name");
  EXPECT_EQ(only_difference([](BinaryKey& k) { k.language = Language::cuda_c; }).field, "language");
  found = only_difference([](BinaryKey& k) { std::swap(k.identity[0], k.identity[1]); });
  EXPECT_EQ(found.field, "order of fields");
}

TEST_F(ExplainMiss, shows_the_first_line_of_the_source_that_changed) {
  KeyDifference found = only_difference([](BinaryKey& k) { k.source = "one\n2\nthree\n"; });
  EXPECT_EQ(found.field, "source");
  EXPECT_EQ(found.before, "line 2: two");
  EXPECT_EQ(found.after, "line 2: 2");
  found = only_difference([](BinaryKey& k) { k.source = "one\ntwo\n"; });
  EXPECT_EQ(found.after, "ends before line 3");
}

TEST_F(ExplainMiss, names_the_header_that_changed) {
  key_.source = "#include \"n.h\"\n" + key_.source;
  const auto header = dir_.write("include/n.h", "#define N 1\n");
  const std::string before = build(key_);
  overwrite(header, "#define N 2\n");
  build(key_);
  const MissExplanation explanation = explain_miss({}, folder_);
  EXPECT_EQ(explanation.nearest, before);
  ASSERT_THAT(explanation.differences, SizeIs(1));
  EXPECT_THAT(explanation.differences[0].field, StartsWith("header /"));
  EXPECT_THAT(explanation.differences[0].field, EndsWith("include/n.h"));
}

TEST_F(ExplainMiss, says_that_a_header_was_found_where_there_was_none) {
  key_.source = "#include \"n.h\"\n" + key_.source;
  build(key_);
  dir_.write("include/n.h", "#define N 1\n");
  build(key_);
  const MissExplanation explanation = explain_miss({}, folder_);
  ASSERT_THAT(explanation.differences, SizeIs(1));
  EXPECT_EQ(explanation.differences[0].field, "headers found");
  EXPECT_EQ(explanation.differences[0].after, "1");
}

TEST_F(ExplainMiss, a_kernel_that_is_like_no_other_has_no_neighbour) {
  build(key_);
  BinaryKey other = key_;
  other.source = "quite\nanother\nkernel\n";
  const std::string entry = build(other);
  EXPECT_THAT(explain_miss(entry, folder_).nearest, IsEmpty());
  EXPECT_EQ(explain_miss(entry, folder_).entry, entry);
}

TEST_F(ExplainMiss, of_several_neighbours_the_one_with_the_fewest_differences_counts) {
  BinaryKey far = key_;
  far.identity[0].value = "0.9";
  far.options = {"-O0"};
  build(far);
  const std::string near = build(key_);
  BinaryKey asked = key_;
  asked.options = {"-DA=3"};
  EXPECT_EQ(explain_miss(build(asked), folder_).nearest, near);
}

TEST_F(ExplainMiss, an_entry_that_is_not_there_is_refused) {
  EXPECT_THROW(explain_miss({}, folder_), InvalidArgument);
  build(key_);
  EXPECT_THROW(explain_miss("0123.kernel", folder_), InvalidArgument);
}

}  // namespace
}  // namespace treadle::compile
