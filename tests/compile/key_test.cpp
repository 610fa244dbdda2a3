// SPDX-License-Identifier: MIT
#include "compile/key.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "compile/framing.hpp"
#include "scratch.hpp"

namespace treadle::compile {
namespace {

/// All that a key is made of, each part to be changed alone.
struct Inputs {
  BinaryKey key_parts = {.language = Language::cuda_c,
                         .source = "__global__ void k() {}",
                         .source_name = "kernel.cu",
                         .options = {"--std=c++17", "--define-macro=A=1"},
                         .include_dirs = {},
                         .identity = {{"compiler", "nvrtc build-id:1"}, {"target", "sm_90"}},
                         .holds_paths = false};
  IncludeClosure closure = two_headers();

  static IncludeClosure two_headers() {
    IncludeClosure closure;
    closure.files = {{"/x/a.h", digest_of("a"), {}}, {"/x/b.h", digest_of("b"), {}}};
    return closure;
  }

  std::string key() const { return program_key(key_parts, closure); }
};

std::string key_with(const std::function<void(Inputs&)>& change) {
  Inputs inputs;
  change(inputs);
  return inputs.key();
}

TEST(Key, P3_each_part_changed_alone_gives_a_new_key) {
  const std::function<void(Inputs&)> changes[] = {
      [](Inputs&) {},
      [](Inputs& i) { i.key_parts.language = Language::opencl_c; },
      [](Inputs& i) { i.key_parts.identity[0].value = "nvrtc build-id:2"; },
      [](Inputs& i) { i.key_parts.identity[1].name = "device"; },
      [](Inputs& i) { i.key_parts.identity.pop_back(); },
      [](Inputs& i) { std::swap(i.key_parts.identity[0], i.key_parts.identity[1]); },
      [](Inputs& i) { i.key_parts.identity.push_back({"", ""}); },
      [](Inputs& i) { i.key_parts.options[1] = "--define-macro=A=2"; },
      [](Inputs& i) { i.key_parts.options.pop_back(); },
      [](Inputs& i) { std::swap(i.key_parts.options[0], i.key_parts.options[1]); },
      [](Inputs& i) { i.key_parts.options = {"--std=c++17--define-macro=A=1"}; },
      [](Inputs& i) { i.key_parts.source += ' '; },
      [](Inputs& i) { i.key_parts.source_name = "other.cu"; },
      [](Inputs& i) { i.closure.files[1].digest = digest_of("c"); },
      [](Inputs& i) { i.closure.files.pop_back(); },
      [](Inputs& i) { std::swap(i.closure.files[0], i.closure.files[1]); },
      [](Inputs& i) { i.closure.structure = digest_of("another graph"); },
      [](Inputs& i) { i.key_parts.holds_paths = true; },
      [](Inputs& i) { i.closure.names_its_file = true; },
  };
  std::set<std::string> keys;
  for (const auto& change : changes) keys.insert(key_with(change));
  EXPECT_EQ(keys.size(), std::size(changes));
}

TEST(Key, P3_fields_do_not_run_into_each_other) {
  FieldWriter ab_c, a_bc;
  ab_c.texts(std::vector<std::string>{"ab", "c"});
  a_bc.texts(std::vector<std::string>{"a", "bc"});
  EXPECT_NE(ab_c.bytes(), a_bc.bytes());
}

TEST(Key, P3_places_and_times_of_files_are_not_in_the_key) {
  const std::string key = key_with([](Inputs&) {});
  EXPECT_EQ(key, key_with([](Inputs& i) { i.key_parts.source_name = "/elsewhere/kernel.cu"; }));
  EXPECT_EQ(key, key_with([](Inputs& i) { i.closure.files[0].path = "/elsewhere/a.h"; }));
  EXPECT_EQ(key, key_with([](Inputs& i) { i.closure.files[0].stamp.modified_ns = 7; }));
  EXPECT_EQ(key, key_with([](Inputs& i) { i.key_parts.include_dirs = {"/elsewhere"}; }));
  EXPECT_EQ(key, key_with([](Inputs& i) { i.closure.absent = {"/x/c.h"}; }));
}

TEST(Key, P3_the_current_folder_is_in_the_key_only_with_debug_information) {
  const ScratchFolder other;
  const auto here = std::filesystem::current_path();
  const std::string plain = key_with([](Inputs&) {});
  const auto debug = [](Inputs& i) { i.key_parts.holds_paths = true; };
  const std::string with_debug = key_with(debug);
  std::filesystem::current_path(other.path());
  EXPECT_EQ(key_with([](Inputs&) {}), plain);
  EXPECT_NE(key_with(debug), with_debug);
  std::filesystem::current_path(here);
}

TEST(Key, P3_where_the_result_holds_paths_they_are_in_the_key) {
  const auto with_paths = [](const std::string& header) {
    return key_with([&](Inputs& i) {
      i.closure.names_its_file = true;
      i.closure.files[0].path = header;
    });
  };
  EXPECT_NE(with_paths("/x/a.h"), with_paths("/y/a.h"));
}

TEST(Key, P3_folders_are_in_a_manifests_key) {
  const Inputs inputs;
  IncludeSearch search;
  search.toolkit_dirs = {"/toolkit"};
  const auto key = [&] { return includes_key(inputs.key_parts, search); };
  const std::string first = key();
  search.user_dirs = {"/a"};
  const std::string second = key();
  search.user_dirs = {"/a", "/b"};
  EXPECT_NE(first, second);
  EXPECT_NE(second, key());
  EXPECT_NE(first, inputs.key());
}

TEST(Key, kinds_of_keys_are_never_equal) {
  const Inputs inputs;
  const std::set<std::string> kinds = {inputs.key(), includes_key(inputs.key_parts, {}),
                                       request_key(inputs.key_parts, {})};
  EXPECT_EQ(kinds.size(), 3u);
}

TEST(Key, describes_itself) {
  const auto description = describe_key(key_with([](Inputs&) {}));
  ASSERT_TRUE(description);
  EXPECT_EQ(description->language, "CUDA C");
  EXPECT_EQ(description->field("target"), "sm_90");
  EXPECT_EQ(description->field("nothing"), "");
  EXPECT_EQ(description->options.at(1), "--define-macro=A=1");
  EXPECT_EQ(description->source, "__global__ void k() {}");
  const std::string key = key_with([](Inputs&) {});
  for (std::size_t size = 0; size < 150; ++size)
    describe_key(std::string_view(key).substr(0, size));
  EXPECT_FALSE(describe_key("something else"));
}

}  // namespace
}  // namespace treadle::compile
