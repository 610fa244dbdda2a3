// SPDX-License-Identifier: MIT
#include "opencl/build_log.hpp"

#include <gtest/gtest.h>

#include <span>

#include "opencl/fake_platform.hpp"
#include "treadle/opencl/device.hpp"
#include "treadle/opencl/error.hpp"

namespace treadle::opencl {
namespace {

// What a user's text becomes: a header, then a line that says where the next one comes from.
constexpr const char* text_with_places =
    "typedef int header;\n"
    "#line 98 \"gen.c\"\n"
    "\n"
    "kernel void f(global int *o)\n"
    "{\n"
    "\t*o = y;\n"
    "#line 7 \"a \\\"b\\\".mako\"\n"
    "  *o = z;\n"
    "}\n";

TEST(BuildLog, places_in_the_whole_text_become_those_that_directives_give) {
  // The form of NVIDIA's compiler, which counts all lines it is given.
  const char* log =
      "<kernel>:6:7: error: use of undeclared identifier 'y'\n"
      "        *o = y;\n"
      "             ^\n"
      "<kernel>:8:8: error: use of undeclared identifier 'z'\n"
      "  *o = z;\n"
      "       ^\n"
      "<kernel>:4:1: note: previous\n"
      "2 errors generated.\n";
  EXPECT_TRUE(counts_the_whole_text(log));
  EXPECT_EQ(with_named_lines(log, text_with_places),
            "gen.c:101:7: error: use of undeclared identifier 'y'\n"
            "        *o = y;\n"
            "             ^\n"
            "a \"b\".mako:7:8: error: use of undeclared identifier 'z'\n"
            "  *o = z;\n"
            "       ^\n"
            "gen.c:99:1: note: previous\n"
            "2 errors generated.\n");
}

TEST(BuildLog, older_drivers_write_no_name) {
  EXPECT_EQ(
      with_named_lines("In file included from :3:\n:6:7: error: e\n*o = y;\n", text_with_places),
      "In file included from gen.c:98:\ngen.c:101:7: error: e\n*o = y;\n");
}

TEST(BuildLog, the_line_that_is_shown_tells_a_compiler_that_follows_the_numbers) {
  EXPECT_EQ(with_named_lines("<kernel>:101:7: error: e\n        *o = y;\n", text_with_places),
            "gen.c:101:7: error: e\n        *o = y;\n");
  // Line 7 of the text is a directive, and line 7 of the template is shown.
  EXPECT_EQ(with_named_lines("<kernel>:7:8: error: e\n  *o = z;\n", text_with_places),
            "a \"b\".mako:7:8: error: e\n  *o = z;\n");
}

TEST(BuildLog, a_directive_without_a_name_gives_numbers_alone) {
  EXPECT_EQ(with_named_lines("<kernel>:2:1: error: e\nx y;\n", "#line 40\nx y;\n"),
            "<kernel>:40:1: error: e\nx y;\n");
}

TEST(BuildLog, logs_of_compilers_that_follow_directives_stay) {
  for (const char* log :
       {"gen.c:101:7: error: e\n\t*o = y;\n\t     ^\n",
        "/tmp/pocl/tempfile_x.cl:6:7: error: e\n*o = y;\n", "<scratch space>:6:7: note: from\ny\n",
        "<built-in>:6:1: note: here\n", "error: <kernel>: 6 things\n", "<kernel>:x: error\n",
        "<kernel>:6\n", ":\n", "::\n", "<kernel>:0:1: e\n", ""}) {
    EXPECT_FALSE(counts_the_whole_text(log)) << log;
    EXPECT_EQ(with_named_lines(log, text_with_places), log);
  }
}

TEST(BuildLog, places_that_the_text_does_not_have_stay) {
  for (const char* log : {"<kernel>:4000:1: error: e\nq\n", "<kernel>:4000:1: error: e"})
    EXPECT_EQ(with_named_lines(log, text_with_places), log);
}

TEST(BuildLog, a_text_without_directives_is_counted_as_it_is) {
  const char* log = "<kernel>:2:1: error: e\nb\n";
  EXPECT_EQ(with_named_lines(log, "a\nb\n"), log);
}

TEST(BuildLog, a_failed_build_and_every_question_for_the_log_name_the_places) {
  fake::reset();
  fake::state().source = text_with_places;
  fake::state().build_log = "<kernel>:6:7: error: e\n        *o = y;\n";
  fake::state().fail["clBuildProgram"] = CL_BUILD_PROGRAM_FAILURE;
  const Device device = fake::device();
  const Program program = Program::from_source(Context(device), text_with_places);
  const std::string named = "gen.c:101:7: error: e\n        *o = y;\n";
  EXPECT_EQ(program.build_log(device), named);
  EXPECT_EQ(std::get<std::string>(program.build_info(device, ProgramBuildInfo::log)), named);
  try {
    program.build("", std::span(&device, 1));
    FAIL();
  } catch (const BuildError& refused) {
    EXPECT_EQ(refused.logs().at(0).text, named);
  }
}

}  // namespace
}  // namespace treadle::opencl
