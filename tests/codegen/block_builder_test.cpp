// SPDX-License-Identifier: MIT
#include "treadle/codegen/block_builder.hpp"

#include <gtest/gtest.h>

#include "treadle/base/error.hpp"
#include "treadle/codegen/reduction.hpp"
#include "treadle/codegen/tree_printer.hpp"

namespace treadle::codegen {
namespace {

using tree::BlockBuilder;
using tree::Kind;
using tree::Node;
using tree::NodePtr;
using tree::Part;

TEST(BlockBuilder, WritesWhatIsOpenUntilItIsClosed) {
  BlockBuilder code;
  code.comment("Halves what is even.");
  code.open_kernel("halve", {tree::global_pointer(tree::value("int", "x")), "int n"}, 64);
  code.declare_local("int", "tile", 64);
  code.declare_array("int", "own", "4");
  code.open_for("int", "i", "0", "n", "2");
  code.open_if({"x[", "i", "] % 2 == 0"});
  code.assign("x[i]", "2", "/=");
  code.close();
  code.open_else();
  code.when("x[i] < 0", tree::break_());
  code.close();
  code.close();
  code.open_while("n > 0");
  code.evaluate("--n");
  code.close();
  code.close();
  EXPECT_EQ(tree::print(code.take(), Language::opencl_c),
            R"(// Halves what is even.
__kernel void __attribute__((reqd_work_group_size(64, 1, 1))) halve(__global int *x, int n) {
  __local int tile[64];
  int own[4];
  for (int i = 0; i < n; i += 2) {
    if (x[i] % 2 == 0) {
      x[i] /= 2;
    } else {
      if (x[i] < 0)
        break;
    }
  }
  while (n > 0) {
    --n;
  }
}
)");
}

TEST(BlockBuilder, KeepsStatementsOfOthersWhole) {
  const auto written = [](const char* statements) {
    BlockBuilder code;
    code.statements(statements);
    return tree::print(code.take());
  };
  EXPECT_EQ(written("x = 1"), "x = 1;\n");
  EXPECT_EQ(written("x = 1; // done"), "x = 1; // done\n;\n");
  EXPECT_EQ(written("x = 1;\n#undef y"), "x = 1;\n#undef y\n;\n");
  EXPECT_EQ(written(""), "");
}

TEST(BlockBuilder, RefusesBlocksThatDoNotMatch) {
  BlockBuilder code;
  EXPECT_THROW(code.close(), InvalidState);
  EXPECT_THROW(code.open_else(), InvalidState);
  code.open_if("n > 0");
  EXPECT_THROW(code.take(), InvalidState);
  code.close();
  code.open_else();
  code.close();
  EXPECT_THROW(code.open_else(), InvalidState);
  EXPECT_EQ(code.take()->list().size(), 1u);
  EXPECT_TRUE(code.take()->list().empty());
}

ReductionText product() {
  ExpressionBuilder build;
  const Value x = build.leaf(Scalar::float32), y = build.leaf(Scalar::float32);
  build.output(build.step(Op::multiply, Scalar::float32, {x, y}));
  const ReductionExpression expression = reduction_of(Reduction::sum, build.build());
  const std::vector<std::int64_t> none, elements{100000}, strides{4};
  const std::vector<ReducedLayout> layouts{
      {none, strides, 4}, {none, strides, 4}, {none, none, 4, 0, false}};
  const Tiling& tiling = tiling_of(Schedule::wide);
  const auto target = target_of(expression, tiling, 132);
  return generate_reduction(expression, lower_reduction(none, elements, layouts, target).loop,
                            tiling, dialect_of(Language::cuda_c));
}

// What a user, or a tuner, does with a kernel before it is compiled.
TEST(GeneratedProgram, IsVisitedAndRewritten) {
  const ReductionText made = product();
  std::size_t loops = 0, kernels = 0;
  tree::visit(*made.program, [&](const Node& node) {
    loops += node.kind() == Kind::for_loop ? 1 : 0;
    kernels += node.kind() == Kind::function_body ? 1 : 0;
    return true;
  });
  EXPECT_GT(loops, 5u);
  EXPECT_EQ(kernels, 1u);
  const Part changed = tree::rewrite(made.program, [](const Part& part) {
    if (part.node() == nullptr || part.node()->kind() != Kind::while_loop) return part;
    return Part(tree::collection({tree::pragma("unroll 1"), part}));
  });
  const std::string text = tree::print(changed, Language::cuda_c);
  EXPECT_NE(text.find("#pragma unroll 1\n    while (start < n) {"), std::string::npos) << text;
  EXPECT_EQ(tree::print(made.program, Language::cuda_c), made.text) << "the first is as it was";
}

}  // namespace
}  // namespace treadle::codegen
