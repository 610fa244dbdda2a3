// SPDX-License-Identifier: MIT
#include "compile/options.hpp"

#include <gmock/gmock.h>

#include "scratch.hpp"
#include "treadle/base/error.hpp"

namespace treadle::compile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

CompilerOptions for_gpu(const Words& words, const std::string& target = "sm_90") {
  return read_options(words, {}, Target::parse(target), Reader::nvrtc);
}
CompilerOptions for_cpu(const Words& words) {
  return read_options(words, {}, Target::host_cpu(), Reader::cpu);
}

TEST(Options, joined_and_separate_forms_mean_the_same) {
  for (const Words& words : {Words{"-DX=1"}, Words{"-D", "X=1"}, Words{"--define-macro=X=1"},
                             Words{"--define-macro", "X=1"}, Words{"-D X=1"}})
    EXPECT_THAT(for_gpu(words).flags, ElementsAre("--define-macro=X=1")) << words[0];
  for (const Words& words : {Words{"-std=c++14"}, Words{"--std", "c++14"}, Words{"-std=gnu++14"}})
    EXPECT_THAT(for_gpu(words).flags, ElementsAre("--std=c++14")) << words[0];
  for (const Words& words : {Words{"-maxrregcount=32"}, Words{"-maxrregcount", "32"}})
    EXPECT_THAT(for_gpu(words).flags, ElementsAre("--maxrregcount=32")) << words[0];
  for (const Words& words : {Words{"-I/a/b"}, Words{"-I", "/a/b"}, Words{"--include-path=/a/b"}})
    EXPECT_THAT(for_gpu(words).include_dirs, ElementsAre("/a/b")) << words[0];
}

TEST(Options, names_of_entries_are_taken_for_code_is_made_for_all) {
  EXPECT_THAT(for_gpu({"-e", "kernel"}).flags, ElementsAre());
  EXPECT_THAT(for_cpu({"--entries=kernel"}).flags, ElementsAre());
}

TEST(Options, lists_are_taken_apart) {
  EXPECT_THAT(for_gpu({"-Xptxas", "-v,-O3"}).flags,
              ElementsAre("--ptxas-options=-v", "--ptxas-options=-O3"));
  EXPECT_THAT(for_gpu({"--ptxas-options=-dlcm=cg"}).flags, ElementsAre("--ptxas-options=-dlcm=cg"));
}

TEST(Options, order_of_defines_is_kept) {
  EXPECT_THAT(for_gpu({"-DA", "-UA", "-DA=2"}).flags,
              ElementsAre("--define-macro=A", "--undefine-macro=A", "--define-macro=A=2"));
}

TEST(Options, folders_are_searched_in_nvccs_order) {
  const CompilerOptions options =
      read_options({"-isystem", "/s", "-I/a"}, {"/given"}, Target::parse("sm_90"), Reader::nvrtc);
  EXPECT_THAT(options.include_dirs, ElementsAre("/a", "/given", "/s"));
}

TEST(Options, a_file_of_the_current_folder_is_included_first) {
  const ScratchFolder dir;
  dir.write("first.h", "");
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  EXPECT_THAT(for_gpu({"-include", "first.h"}).pre_includes,
              ElementsAre(std::filesystem::current_path() / "first.h"));
  std::filesystem::current_path(here);
  EXPECT_THAT(for_gpu({"-include", "first.h"}).pre_includes, ElementsAre("first.h"));
}

TEST(Options, the_architecture_is_what_the_options_say) {
  EXPECT_EQ(for_gpu({}).target, "sm_90");
  EXPECT_EQ(for_gpu({"-arch=sm_80"}).target, "sm_80");
  EXPECT_EQ(for_gpu({"-arch", "sm_80"}).target, "sm_80");
  EXPECT_EQ(for_gpu({"-arch=native"}).target, "sm_90");
  EXPECT_EQ(for_gpu({"-arch=compute_80", "-code=sm_86,compute_80"}).target, "sm_86");
  EXPECT_EQ(for_gpu({"-gencode", "arch=compute_80,code=sm_80"}).target, "sm_80");
  EXPECT_EQ(for_gpu({"-gencode=arch=compute_80,code=[sm_80,compute_80]"}).target, "sm_80");
  const Words several = {"-gencode", "arch=compute_80,code=sm_80", "-gencode",
                         "arch=compute_90,code=sm_90"};
  EXPECT_EQ(for_gpu(several).target, "sm_90");
  EXPECT_THAT(for_gpu(several).warnings, IsEmpty());
  EXPECT_EQ(for_gpu(several, "sm_100").target, "sm_100");
  EXPECT_THAT(for_gpu(several, "sm_100").warnings, ElementsAre(HasSubstr("none is for sm_100")));
  EXPECT_EQ(for_cpu({"-arch=sm_80"}).target, Target::host_cpu().name());
  EXPECT_THROW(for_gpu({"-arch=sm_potato"}), InvalidArgument);
}

TEST(Options, what_does_nothing_here_is_ignored_with_a_warning_that_names_it) {
  const CompilerOptions gpu = for_gpu({"-ccbin", "/usr/bin/g++-9", "-Xcompiler", "-fPIC", "-lm"});
  EXPECT_THAT(gpu.flags, IsEmpty());
  EXPECT_THAT(gpu.warnings, ElementsAre(HasSubstr("\"-ccbin\""), HasSubstr("\"-Xcompiler\""),
                                        HasSubstr("\"-lm\"")));
  EXPECT_THAT(for_gpu({"--treadle-disable=block-rows"}).warnings,
              ElementsAre(HasSubstr("passes of the CPU device's compiler")));
  EXPECT_THAT(for_cpu({"-Xptxas", "-v"}).warnings, ElementsAre(HasSubstr("\"-Xptxas\"")));
}

TEST(Options, what_every_nvcc_user_writes_is_accepted_silently) {
  const CompilerOptions options = for_gpu({"-O3", "-g", "-m64", "--machine", "64"});
  EXPECT_THAT(options.flags, IsEmpty());
  EXPECT_THAT(options.warnings, IsEmpty());
}

TEST(Options, refusals_name_the_option_and_what_to_do) {
  struct Row {
    Words words;
    std::string says, advises;
  };
  const Row rows[] = {
      {{"-o", "out"}, "\"-o\" is refused", "Options::output"},
      {{"--ptx"}, "\"--ptx\" is refused", "Options::output"},
      {{"-m32"}, "\"-m32\"", "leave it out"},
      {{"-std=c++98"}, "-std=c++98", "c++17"},
      {{"-D"}, "\"-D\" lacks its value", "next item"},
      {{"--gpu-architectur=sm_90"}, "unknown", "--gpu-architecture"},
      {{"kernel.cu"}, "\"kernel.cu\" is unknown", "docs/options.md"},
      {{"--use-pch", "x"}, "\"--use-pch\"", "cache"},
  };
  for (const Row& row : rows) {
    try {
      for_gpu(row.words);
      ADD_FAILURE() << row.words[0] << " was taken";
    } catch (const InvalidArgument& error) {
      EXPECT_THAT(error.what(), HasSubstr(row.says));
      EXPECT_THAT(error.what(), HasSubstr(row.advises));
    }
  }
}

TEST(Options, nvcc_gets_its_options_as_they_are) {
  const CompilerOptions options =
      read_options({"-Xcompiler", "-fPIC", "--brand-new-option", "-O3", "-I/a"}, {},
                   Target::parse("sm_90"), Reader::nvcc);
  EXPECT_THAT(options.flags, ElementsAre("-Xcompiler", "-fPIC", "--brand-new-option", "-O3"));
  EXPECT_THAT(options.include_dirs, ElementsAre("/a"));
  EXPECT_THROW(read_options({"-o", "x"}, {}, Target::parse("sm_90"), Reader::nvcc),
               InvalidArgument);
}

TEST(Options, debug_information_is_known_to_hold_paths) {
  EXPECT_TRUE(for_gpu({"-lineinfo"}).embeds_paths);
  EXPECT_TRUE(for_gpu({"-G"}).embeds_paths);
  EXPECT_FALSE(for_gpu({"-g"}).embeds_paths);
}

// The table of docs/options.md, one row for each rule.
std::string documented_row(const OptionRule& rule) {
  const auto word = [&](Treatment treatment) -> std::string {
    switch (treatment) {
      case Treatment::translated:
        if (rule.form == Form::flag || rule.spelling.empty())
          return "`" + std::string(rule.spelling) + "`";
        return "`" + std::string(rule.spelling) + "V`";
      case Treatment::accepted:
        return "accepted";
      case Treatment::ignored:
        return "ignored, warning";
      case Treatment::refused:
        return "refused";
    }
    return {};
  };
  std::string names;
  for (const char c : rule.names) names += c == ' ' ? std::string("`, `") : std::string(1, c);
  return "| `" + names + "` | " + word(rule.nvrtc) + " | " + word(rule.cpu) + " | " +
         std::string(rule.remark) + " |\n";
}

TEST(Options, docs_show_the_table) {
  std::string expected;
  for (const OptionRule& rule : option_rules()) expected += documented_row(rule);
  const std::filesystem::path page = source_folder() / "docs/options.md";
  if (!std::filesystem::exists(page)) GTEST_SKIP() << "no source tree on this machine";
  const std::string text = file_bytes(page);
  EXPECT_NE(text.find(expected), std::string::npos)
      << "docs/options.md differs from option_table.cpp; its rows are to be:\n"
      << expected;
}

}  // namespace
}  // namespace treadle::compile
