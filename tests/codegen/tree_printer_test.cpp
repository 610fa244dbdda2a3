// SPDX-License-Identifier: MIT
#include "treadle/codegen/tree_printer.hpp"

#include <gtest/gtest.h>

#include "treadle/base/error.hpp"
#include "treadle/codegen/tree_builders.hpp"

namespace treadle::codegen::tree {
namespace {

std::string shown(const Part& part) { return print_inline(part); }

NodePtr scale_kernel() {
  const Expr i = var("i"), n = var("n"), x = var("x");
  return kernel_function("scale",
                         {global_pointer(scalar(Scalar::float32, "x")), scalar(Scalar::int64, "n")},
                         block({initialize(scalar(Scalar::int64, "i"), "treadle_global_id(0)"),
                                if_then(i < n, assign(x[i], 2 * x[i]))}));
}

std::string reason_of(const NodePtr& tree, Language language = Language::cuda_c) {
  try {
    print(tree, language);
  } catch (const InvalidArgument& refused) {
    return refused.message();
  }
  return "printed";
}

TEST(TreePrinter, WritesOneKernelInBothLanguages) {
  EXPECT_EQ(print(scale_kernel(), Language::cuda_c),
            "extern \"C\" __global__ void scale(float *x, long long n) {\n"
            "  long long i = treadle_global_id(0);\n"
            "  if (i < n)\n"
            "    x[i] = 2 * x[i];\n"
            "}\n");
  const std::string opencl = print(scale_kernel(), Language::opencl_c);
  EXPECT_TRUE(opencl.starts_with("__kernel void scale(__global float *x, long n) {\n")) << opencl;
}

TEST(TreePrinter, WritesTheBracketsThatCNeedsAndNoOthers) {
  const Expr a = var("a"), b = var("b"), c = var("c");
  EXPECT_EQ(shown(a + b * c), "a + b * c");
  EXPECT_EQ(shown((a + b) * c), "(a + b) * c");
  EXPECT_EQ(shown(a - (b - c)), "a - (b - c)");
  EXPECT_EQ(shown(a - b - c), "a - b - c");
  EXPECT_EQ(shown(a / (b * c)), "a / (b * c)");
  EXPECT_EQ(shown(-(-a)), "-(-a)");
  EXPECT_EQ(shown(-(a + b)), "-(a + b)");
  EXPECT_EQ(shown(!a && b), "!a && b");
  EXPECT_EQ(shown((a && b) || c), "a && b || c");
  EXPECT_EQ(shown(a && (b || c)), "a && (b || c)");
  EXPECT_EQ(shown((a & b) == c), "(a & b) == c");
  EXPECT_EQ(shown((a << b) + c), "(a << b) + c");
  EXPECT_EQ(shown(ternary(a < b, a, b) + c), "(a < b ? a : b) + c");
  EXPECT_EQ(shown(ternary(a, ternary(b, a, c), c)), "a ? b ? a : c : c");
  EXPECT_EQ(shown(ternary(ternary(a, b, c), b, c)), "(a ? b : c) ? b : c");
  EXPECT_EQ(shown(cast("float", a + b)), "(float)(a + b)");
  EXPECT_EQ(shown(cast("float", a)[b]), "((float)a)[b]");
  EXPECT_EQ(shown((a + b)[c]), "(a + b)[c]");
  EXPECT_EQ(shown(a.dot("x").arrow("y")(b, c + 1)[2]), "a.x->y(b, c + 1)[2]");
  EXPECT_EQ(shown(prefix("&", a[b])), "&a[b]");
  EXPECT_EQ(shown(prefix("*", a)[b]), "(*a)[b]");
  EXPECT_EQ(shown(prefix("*", prefix("++", a))), "*++a");
  EXPECT_EQ(shown(prefix("sizeof", a)), "sizeof a");
  EXPECT_EQ(shown(suffix(a, "++")), "a++");
}

TEST(TreePrinter, PutsTextIntoBracketsByWhatItSays) {
  const Expr a = var("a");
  EXPECT_EQ(shown(a * "b + c"), "a * (b + c)");
  EXPECT_EQ(shown(a * "f(b + c)"), "a * f(b + c)");
  EXPECT_EQ(shown(a * "b[i + 1]"), "a * b[i + 1]");
  EXPECT_EQ(shown(a + "b * c"), "a + b * c");
  EXPECT_EQ(shown(a - "b - c"), "a - (b - c)");
  EXPECT_EQ(shown(a * "1e-3f"), "a * 1e-3f");
  EXPECT_EQ(shown(a * "-b"), "a * -b");
  EXPECT_EQ(shown(-Expr(binary("*", "-b", "c"))), "-(-b * c)");
  EXPECT_EQ(shown(a * "p->q.r"), "a * p->q.r");
  EXPECT_EQ(shown(a * "b ? c : d"), "a * (b ? c : d)");
  EXPECT_EQ(shown(call("f", {"b, c", "d"})), "f((b, c), d)");
  EXPECT_EQ(shown(a * "\"+\""), "a * \"+\"");
  EXPECT_EQ(shown(a * "x /* + */ [1]"), "a * x /* + */ [1]");
}

TEST(TreePrinter, WritesStatementsAsAPersonWould) {
  const auto one = statement("a()"), two = statement("b()");
  EXPECT_EQ(print(if_then("c", block({one}), block({two}))),
            "if (c) {\n  a();\n} else {\n  b();\n}\n");
  EXPECT_EQ(print(if_then("c", one, if_then("d", two, one))),
            "if (c)\n  a();\nelse if (d)\n  b();\nelse\n  a();\n");
  EXPECT_EQ(print(if_then("c", block({one}), if_then("d", block({two})))),
            "if (c) {\n  a();\n} else if (d) {\n  b();\n}\n");
  EXPECT_EQ(print(for_loop(initialize(value("int", "i"), 0), "i < n", "++i", block({one}))),
            "for (int i = 0; i < n; ++i) {\n  a();\n}\n");
  EXPECT_EQ(print(while_loop("c", Part())), "while (c)\n  ;\n");
  EXPECT_EQ(print(do_loop("c", block({one}))), "do {\n  a();\n} while (c);\n");
  EXPECT_EQ(print(switch_of("v", {case_of(1, {one, break_()}), case_of({}, {two})})),
            "switch (v) {\n  case 1:\n    a();\n    break;\n  default:\n    b();\n}\n");
  EXPECT_EQ(print(collection({comment("two\nlines"), line(), return_("x + 1")})),
            "// two\n// lines\n\nreturn x + 1;\n");
  EXPECT_EQ(print(structure("S", {scalar(Scalar::float32, "x"), pointer(value("S", "next"))})),
            "struct S {\n  float x;\n  S *next;\n};\n");
  EXPECT_EQ(print(literal_lines("\n    if (a)\n      b;\n  ")), "if (a)\n  b;\n");
  EXPECT_EQ(print(if_defined("A", define("B", "1"), pragma("unroll"))),
            "#ifdef A\n#define B 1\n#else\n#pragma unroll\n#endif\n");
}

TEST(TreePrinter, IndentsEachLineOfATextWithSeveral) {
  EXPECT_EQ(print(block({statement("a(\nb)"), "c\nd", line("\n")})),
            "{\n  a(\n  b);\n  c\n  d\n\n}\n");
  EXPECT_EQ(print_with_lines(block({statement("a(\nb)")})).lines.size(), 4u);
}

// An `else` belongs to the nearest condition.
TEST(TreePrinter, KeepsAnElseWithItsCondition) {
  const auto inner = if_then("b", statement("x()"));
  EXPECT_EQ(print(if_then("a", inner, statement("y()"))),
            "if (a) {\n  if (b)\n    x();\n} else\n  y();\n");
  EXPECT_EQ(print(if_then("a", while_loop("w", inner), statement("y()"))),
            "if (a) {\n  while (w)\n    if (b)\n      x();\n} else\n  y();\n");
}

TEST(TreePrinter, WritesDeclaratorsAroundTheirNames) {
  const auto x = scalar(Scalar::float32, "x");
  EXPECT_EQ(shown(pointer(array(x, 3))), "float *x[3]");
  EXPECT_EQ(shown(array(array(x, 2), "N + 1")), "float x[2][N + 1]");
  EXPECT_EQ(shown(constant(pointer(x))), "float const *x");
  EXPECT_EQ(shown(specifier("static", function(pointer(x), {value("int", "n")}))),
            "static float *x(int n)");
  EXPECT_EQ(shown(template_of("class T", function(value("T", "f"), {}))),
            "template <class T>\nT f()");
  PrintOptions opencl;
  opencl.dialect = &dialect_of(Language::opencl_c);
  EXPECT_EQ(print_inline(vector(Scalar::float32, 4, "v"), opencl), "float4 v");
  EXPECT_EQ(print_inline(local(array(x, 64)), opencl), "__local float x[64]");
}

TEST(TreePrinter, WritesTemplatesAsCgenDoes) {
  const auto pattern = template_of("class T", template_of("class U", value("int", "x")));
  PrintOptions options;
  options.layout = PrintOptions::Layout::cgen;
  EXPECT_EQ(print(pattern, options), "template <class T>\ntemplate <class U>\nint x\n");
  const auto holder = make_node<Node>(Kind::structure, Parts{"struct", "S", "", "", "s"},
                                      Parts{template_of("class T", value("int", "x"))});
  EXPECT_EQ(print(holder, options), "struct S\n{\n  template <class T>\n  int x\n}  s;\n");
}

TEST(TreePrinter, WrapsLongListsOfParameters) {
  Parts parameters;
  for (int i = 0; i < 12; ++i)
    parameters.push_back(global_pointer(scalar(Scalar::float32, "parameter_" + std::to_string(i))));
  const std::string text = print(kernel_function("k", parameters, block()), Language::cuda_c);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 100u);
    begin = end + 1;
  }
  EXPECT_NE(text.find("\n    float *parameter_0, "), std::string::npos) << text;
}

TEST(TreePrinter, NamesThePlaceOfEachLine) {
  const auto here = Position::here();
  const auto body = block({statement("a()"), statement("b()")});
  const PrintedTree printed = print_with_lines(body);
  ASSERT_EQ(printed.lines.size(), 4u);
  EXPECT_EQ(printed.lines[1].line, here.line + 1);
  PrintOptions options;
  options.dialect = &dialect_of(Language::cuda_c);
  options.line_directives = true;
  EXPECT_EQ(print(statement("a()", {"gen.py", 7}), options), "#line 7 \"gen.py\"\na();\n");
}

TEST(TreePrinter, LeavesCommentsOutWhereAsked) {
  PrintOptions options;
  options.comments = false;
  EXPECT_EQ(print(collection({comment("why"), statement("a()")}), options), "a();\n");
}

TEST(TreePrinter, RefusesWhatTheLanguageDoesNotHave) {
  const auto shared = specifier("__shared__", value("int", "x"), Language::cuda_c);
  EXPECT_EQ(print(shared, Language::cuda_c), "__shared__ int x;\n");
  EXPECT_NE(reason_of(shared, Language::opencl_c).find("CUDA C only"), std::string::npos);
  for (const NodePtr& node : {reference(value("int", "x")), template_of("class T", value("T", "x")),
                              range_loop(value("int", "x"), "xs", block()), namespace_("n", {}),
                              statement(Part(lambda("&", {}, block())))})
    EXPECT_NE(reason_of(node, Language::opencl_c).find("CUDA C only"), std::string::npos);
}

TEST(TreePrinter, RefusesTextThatIsNoC) {
  EXPECT_NE(reason_of(statement(Part(var("2x")))).find("\"2x\" is no identifier"),
            std::string::npos);
  EXPECT_NE(reason_of(statement(Part(var("while")))).find("is no identifier"), std::string::npos);
  EXPECT_NE(reason_of(statement(Part(call("f", {"(a"})))).find("( is not closed"),
            std::string::npos);
  EXPECT_NE(reason_of(statement("f(a")).find("( is not closed"), std::string::npos);
  EXPECT_NE(reason_of(assign("x", "\"a")).find("\" is not closed"), std::string::npos);
  EXPECT_NE(reason_of(if_then("a]", block())).find("] closes nothing"), std::string::npos);
  EXPECT_NE(reason_of(statement(Part(binary("<>", "a", "b")))).find("no operator"),
            std::string::npos);
  const auto comment_that_ends =
      make_node<Node>(Kind::comment, std::vector<Part>{"a */ b", "/* ", "", " */"});
  EXPECT_NE(reason_of(comment_that_ends).find("ends the comment"), std::string::npos);
  // The place of the node is named.
  EXPECT_NE(reason_of(statement("f(a")).find("tree_printer_test.cpp:"), std::string::npos);
}

TEST(TreePrinter, RefusesATreeThatContainsItself) {
  const auto outer = block(), inner = block();
  outer->append(inner);
  inner->append(outer);
  EXPECT_NE(reason_of(outer).find("contains itself"), std::string::npos);
  EXPECT_THROW(hash_of(*outer), InvalidArgument);
  EXPECT_THROW(copy(*outer), InvalidArgument);
  EXPECT_THROW(rewrite(outer, [](const Part& part) { return part; }), InvalidArgument);
  const auto other = block(), in_other = block();
  other->append(in_other);
  in_other->append(other);
  EXPECT_THROW(equal(*outer, *other), InvalidArgument);
  in_other->list().clear();
  inner->list().clear();
}

struct Shouted : Node {
  Shouted() : Node(Kind::line, std::vector<Part>()) { has_own_text = true; }
  std::optional<std::vector<std::string>> own_lines() const override { return {{"ONE;", "TWO;"}}; }
};

TEST(TreePrinter, AsksNodesThatWriteThemselves) {
  EXPECT_EQ(print(block({make_node<Shouted>()})), "{\n  ONE;\n  TWO;\n}\n");
}

}  // namespace
}  // namespace treadle::codegen::tree
