// SPDX-License-Identifier: MIT
#include "treadle/codegen/tree.hpp"

#include <gtest/gtest.h>

#include "treadle/base/error.hpp"
#include "treadle/codegen/tree_builders.hpp"
#include "treadle/codegen/tree_printer.hpp"

namespace treadle::codegen::tree {
namespace {

NodePtr loop_over(std::string_view name) {
  return for_loop("int i = 0", "i < n", "++i", block({assign(var(name)[var("i")], "0")}));
}

TEST(Tree, IsEqualByStructure) {
  EXPECT_TRUE(equal(*loop_over("x"), *loop_over("x")));
  EXPECT_EQ(hash_of(*loop_over("x")), hash_of(*loop_over("x")));
  EXPECT_FALSE(equal(*loop_over("x"), *loop_over("y")));
  EXPECT_NE(hash_of(*loop_over("x")), hash_of(*loop_over("y")));
  EXPECT_FALSE(equal(*scalar(Scalar::int32, "a"), *scalar(Scalar::int64, "a")));
  EXPECT_FALSE(equal(*block({block()}), *block({collection()})));
  EXPECT_NE(hash_of(*call("f", {"ab", "c"}).node()), hash_of(*call("f", {"a", "bc"}).node()));
}

TEST(Tree, IsSharedUntilItIsCopied) {
  const auto inner = block();
  const auto outer = block({inner});
  const auto copied = copy(*outer);
  inner->append(statement("a()"));
  EXPECT_EQ(print(outer), "{\n  {\n    a();\n  }\n}\n");
  EXPECT_EQ(print(copied), "{\n  {\n  }\n}\n");
}

TEST(Tree, NamesItsParts) {
  const auto node = if_then("c", "a", "b");
  EXPECT_EQ(node->named("condition").text(), "c");
  node->named("no") = Part("d");
  EXPECT_EQ(node->part(2).text(), "d");
  EXPECT_EQ(part_names(Kind::conditional).size(), 3u);
  EXPECT_EQ(kind_name(Kind::for_loop), "for_loop");
  EXPECT_EQ(list_name(Kind::block), "statements");
  EXPECT_EQ(family_of(Kind::call), Family::expression);
  try {
    node->named("then");
    FAIL();
  } catch (const InvalidArgument& refused) {
    EXPECT_NE(refused.message().find("no part called then"), std::string::npos);
    EXPECT_NE(refused.hint().find("condition yes no"), std::string::npos);
  }
}

TEST(Tree, RefusesPartsThatTheKindDoesNotHave) {
  EXPECT_THROW(Node(Kind::line, {"a", "b"}), InvalidArgument);
  EXPECT_THROW(Node(Kind::line, {"a"}, {"b"}), InvalidArgument);
  EXPECT_THROW(line("a")->append("b"), InvalidArgument);
}

// Texts of up to 23 letters lie in the part itself.
TEST(Tree, KeepsTextsOfAnyLength) {
  for (const std::size_t length : {0, 1, 22, 23, 24, 25, 1000}) {
    const std::string text(length, 'x');
    Part part(text);
    EXPECT_EQ(part.text(), text);
    EXPECT_EQ(part.node(), nullptr);
    EXPECT_EQ(part.is_empty(), length == 0);
    Part copied(part), moved(std::move(part));
    EXPECT_EQ(copied, moved);
    copied = Part(block());
    EXPECT_NE(copied.node(), nullptr);
    copied = moved;
    EXPECT_EQ(copied.text(), text);
  }
}

TEST(Tree, EndsNodesWithTheLastPointer) {
  struct Counted : Node {
    explicit Counted(int& count) : Node(Kind::line, std::vector<Part>()), count_(count) {}
    ~Counted() override { ++count_; }
    int& count_;
  };
  int ended = 0;
  NodePtr first = make_node<Counted>(ended);
  const NodePtr outer = block({first, first});
  first = nullptr;
  EXPECT_EQ(ended, 0);
  outer->list().pop_back();
  NodePtr second(outer->list()[0].node());
  outer->list().clear();
  EXPECT_EQ(ended, 0);
  second = block();
  EXPECT_EQ(ended, 1);
}

TEST(Tree, EndsHoweverDeepItIs) {
  NodePtr tree = block();
  for (int depth = 0; depth < 300000; ++depth) tree = block({tree, tree});
  const NodePtr inner(tree->list()[0].node());
  tree = nullptr;
  EXPECT_EQ(inner->list().size(), 2U);
}

TEST(Tree, VisitsWhatContainsBeforeWhatIsContained) {
  std::vector<Kind> kinds;
  visit(*loop_over("x"), [&](const Node& node) {
    kinds.push_back(node.kind());
    return node.kind() != Kind::index;
  });
  EXPECT_EQ(kinds, (std::vector{Kind::for_loop, Kind::block, Kind::assignment, Kind::index}));
}

TEST(Tree, IsRewrittenWithoutChangingTheOldOne) {
  const auto kept = statement("kept()");
  const auto before = block({loop_over("x"), kept});
  const Part after = rewrite(before, [](const Part& part) -> Part {
    const bool is_x = part.node() != nullptr && part.node()->kind() == Kind::name &&
                      part.node()->part(0).text() == "x";
    return is_x ? Part(var("y")) : part;
  });
  EXPECT_TRUE(equal(*before, *block({loop_over("x"), kept})));
  EXPECT_TRUE(equal(*after.node(), *block({loop_over("y"), kept})));
  EXPECT_EQ(after.node()->list()[1].node(), kept.get());
  EXPECT_EQ(rewrite(before, [](const Part& part) { return part; }).node(), before.get());
}

TEST(Tree, KnowsTheNamesInIt) {
  const auto tree =
      block({comment("not this"), assign(var("a")[var("i")], "b + f(\"s\", 1e3f) /* c */"),
             if_then(var("d") < 1, return_())});
  EXPECT_EQ(names_in(tree), (std::set<std::string>{"a", "b", "d", "f", "i"}));
  EXPECT_EQ(names_in(Part("p->q")), (std::set<std::string>{"p", "q"}));
}

}  // namespace
}  // namespace treadle::codegen::tree
