// SPDX-License-Identifier: MIT
// What trees ask about the texts in them, and the one limit on their depth.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "treadle/codegen/tree.hpp"

namespace treadle::codegen::tree {

/// How tightly C binds an expression; more is tighter.
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

/// Of a binary operator, assignments included; 0: C has no such operator.
int precedence_of(std::string_view binary_operator) noexcept;
/// Of an expression that somebody wrote: that of the operator outside of brackets which binds
/// least.
int precedence_of_text(std::string_view text) noexcept;
/// Whether that is `level` or more.
bool binds_at_least(std::string_view text, int level) noexcept;
/// Why brackets or quotes of a text do not match: "( is not closed"; empty: they do.
std::string unmatched_in(std::string_view text);
/// Whether it is an identifier of C++, qualified perhaps: "a::b".
bool is_identifier(std::string_view text) noexcept;
/// Adds the identifiers of a text, without keywords, comments and strings.
void add_identifiers(std::string_view text, std::set<std::string>& names);
/// "a node of kind block made at file.cpp:12".
std::string describe(const Node& node);
/// Deeper than what people and generators write, and what compilers take; far less than our stack.
constexpr std::size_t deepest = 1000;
[[noreturn]] void refuse_depth(const Node& node, std::size_t depth);
/// Throws InvalidArgument for a node that lies so deep that its tree contains itself.
inline void require_depth(const Node& node, std::size_t depth) {
  if (depth >= deepest) refuse_depth(node, depth);
}

}  // namespace treadle::codegen::tree
