// SPDX-License-Identifier: MIT
// Questions about the texts in a tree, and the limit of a tree's depth.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "treadle/codegen/tree.hpp"

namespace treadle::codegen::tree {

/// How tightly C binds an expression; larger is tighter.
enum Precedence : int {
  comma_level = 1,
  assignment_level,
  ternary_level,
  or_level,
  and_level,
  bit_or_level,
  bit_xor_level,
  bit_and_level,
  equality_level,
  order_level,
  shift_level,
  sum_level,
  product_level,
  prefix_level,
  postfix_level,
};

/// The precedence of a binary operator, including assignments; 0: C has no such operator.
int precedence_of(std::string_view binary_operator) noexcept;
/// The precedence of an expression in a text: the lowest precedence of its operators outside
/// brackets.
int precedence_of_text(std::string_view text) noexcept;
/// Whether that precedence is `level` or more.
bool binds_at_least(std::string_view text, int level) noexcept;
/// The fault of a text with unmatched brackets or quotes: "( is not closed"; empty: no fault.
std::string unmatched_in(std::string_view text);
/// Whether a text is a C++ identifier, which may be qualified: "a::b".
bool is_identifier(std::string_view text) noexcept;
/// Adds the identifiers of a text, except keywords and words in comments and strings.
void add_identifiers(std::string_view text, std::set<std::string>& names);
/// "a node of kind block made at file.cpp:12".
std::string describe(const Node& node);
/// Deeper than trees of people and generators and than compilers accept, but far from the end of
/// the stack.
constexpr std::size_t deepest = 1000;
[[noreturn]] void refuse_depth(const Node& node, std::size_t depth);
/// Throws InvalidArgument for a node at a depth that only a tree that contains itself reaches.
inline void require_depth(const Node& node, std::size_t depth) {
  if (depth >= deepest) refuse_depth(node, depth);
}

}  // namespace treadle::codegen::tree
