// SPDX-License-Identifier: MIT
#include "treadle/kernel/generated_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/each_device.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/tree_builders.hpp"
#include "treadle/codegen/tree_printer.hpp"

namespace treadle::kernel {
namespace {

using namespace codegen::tree;

codegen::TextWithLines printed(const NodePtr& tree, Language language) {
  PrintOptions options;
  options.dialect = &codegen::dialect_of(language);
  return print_with_lines(tree, options);
}

class GeneratedProgramTest : public testing::TestWithParam<std::string> {
 protected:
  const std::shared_ptr<device::Device> device_ = device::find_device(GetParam());
};

TEST_P(GeneratedProgramTest, NamesTheLineThatMadeWhatTheCompilerRefuses) {
  if (GetParam() == "null") GTEST_SKIP() << "the null device has no compiler";
  const auto body = block();
  const Position wrong{"generator.cc", 4711};
  body->append(initialize(value("int", "a"), "1"));
  body->append(statement("no_such_name(a)", wrong));
  const auto tree =
      collection({include("treadle/dialect.h", false), kernel_function("k", {}, body)});
  try {
    generated_program(device_, printed(tree, device_->info().language));
    FAIL();
  } catch (const CompileError& refused) {
    EXPECT_THAT(refused.log(), testing::HasSubstr("generator.cc"));
    EXPECT_THAT(refused.log(), testing::HasSubstr("4711"));
    EXPECT_THAT(refused.log(), testing::HasSubstr("no_such_name"));
  }
}

// Where a text comes from does not count for the cache: the same text is compiled once.
TEST_P(GeneratedProgramTest, FindsATextCompiledWhereverItComesFrom) {
  const auto made = [&](Position where) {
    const auto tree = collection({include("treadle/dialect.h", false),
                                  kernel_function("k", {}, block({statement("(void)0", where)}))});
    return generated_program(device_, printed(tree, device_->info().language));
  };
  made({"generator.cc", 1});
  EXPECT_NE(made({"other.cc", 2}).origin(), compile::Origin::compiled);
}

INSTANTIATE_TEST_SUITE_P(Devices, GeneratedProgramTest, device::each_native_device(),
                         device::device_test_name);

}  // namespace
}  // namespace treadle::kernel
