// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/passes/ptx/inline_ptx_text.hpp"

#include <gmock/gmock.h>

namespace treadle::cuda_cpu::ptx {
namespace {

using testing::ElementsAre;
using Kind = Operand::Kind;

Statement only(std::string_view source) {
  const Text text = read(source);
  EXPECT_EQ(text.error, "");
  EXPECT_EQ(text.statements.size(), 1u) << source;
  return text.statements.empty() ? Statement{} : text.statements.front();
}

TEST(InlinePtxText, WordsAndOperandsOfAStatement) {
  const Statement load = only("ld.global.nc.L1::no_allocate.v2.f32 {$0, ${1:x}}, [$2 + -4];");
  EXPECT_THAT(load.words, ElementsAre("ld", "global", "nc", "L1::no_allocate", "v2", "f32"));
  ASSERT_EQ(load.operands.size(), 2u);
  ASSERT_EQ(load.operands[0].kind, Kind::vector);
  EXPECT_EQ(load.operands[0].parts[1].kind, Kind::argument);
  EXPECT_EQ(load.operands[0].parts[1].bits, 1u);
  ASSERT_EQ(load.operands[1].kind, Kind::address);
  EXPECT_EQ(load.operands[1].offset, -4);
  EXPECT_EQ(load.operands[1].parts.front().bits, 2u);
}

TEST(InlinePtxText, Numbers) {
  const Statement all = only("x 7, -1, 0x2A, 0b101, 12U, 0f3F800000, 0d3FF0000000000000");
  std::vector<std::uint64_t> bits;
  for (const Operand& operand : all.operands) bits.push_back(operand.bits);
  EXPECT_THAT(bits, ElementsAre(7, ~std::uint64_t{0}, 42, 5, 12, 0x3F800000, 0x3FF0000000000000));
  EXPECT_EQ(all.operands[5].kind, Kind::float32);
  EXPECT_EQ(all.operands[6].kind, Kind::float64);
}

TEST(InlinePtxText, NamesGuardsAndDeclarations) {
  const Statement guarded = only("@!%p mov.u32 a$$b, %tid.x;");
  EXPECT_EQ(guarded.guard, "%p");
  EXPECT_TRUE(guarded.guard_negated);
  EXPECT_EQ(guarded.operands[0].name, "a$b");
  EXPECT_EQ(guarded.operands[1].name, "%tid.x");
  const Statement declaration = only(".reg .u32 t<4>, u;");
  EXPECT_THAT(declaration.words, ElementsAre(".reg", "u32"));
  EXPECT_EQ(declaration.operands[0].bits, 4u);
  EXPECT_EQ(declaration.operands[1].name, "u");
}

TEST(InlinePtxText, BracesAndCommentsSeparate) {
  const Text text = read("{ // first; second\n add.u32 $0, $1, $2; /* ; */ }\n{trap;}");
  EXPECT_EQ(text.error, "");
  ASSERT_EQ(text.statements.size(), 2u);
  EXPECT_EQ(text.statements[0].text, "add.u32 $0, $1, $2");
  EXPECT_EQ(text.statements[1].text, "trap");
  EXPECT_TRUE(read(" // nothing").statements.empty());
}

TEST(InlinePtxText, WhatIsNoStatementIsNamed) {
  for (const char* source :
       {"add.u32 $0,", "add.u32 $", "add..u32 $0", "@ mov.u32 $0, 1", "ld.u32 $0, [$1", "x {}",
        "x 99999999999999999999", "x -0f3F800000", ".reg .u32 t<", "loop:", "x %", "x [$1+t]"})
    EXPECT_EQ(read(source).where, source);
  EXPECT_NE(read(std::string(20000, ';')).statements.size(), 1u);
  std::string endless;
  for (int i = 0; i < 5000; ++i) endless += "trap;";
  EXPECT_EQ(read(endless).error, "too long for inline assembly");
}

}  // namespace
}  // namespace treadle::cuda_cpu::ptx
