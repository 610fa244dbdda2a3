// SPDX-License-Identifier: MIT
// Declarators as members of structures: sizes, alignments, and bytes in C's layout.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "native/tree.hpp"

namespace treadle::bindings {

/// The declarator inside `node`; null if `node` is the innermost.
const Part* inner_of(const tree::Node& node);
/// The format of Python's module struct. Throws DTypeError for types of which only the name is
/// known.
std::string format_of(const tree::Node& node);
/// In bytes. Throws DTypeError likewise.
std::size_t alignment_of(const tree::Node& node);
std::size_t size_of(const tree::Node& node);
/// Zero, or a list of zeros.
nb::object default_of(const tree::Node& node);
/// Python text that makes the value.
std::string maker_of(const tree::Node& node, const std::string& data);
/// Writes a value to the bytes of a member.
void pack_value(const tree::Node& node, nb::handle value, std::string& bytes, std::size_t at);
/// A vector's name without its count: "uchar".
std::string vector_name(Scalar scalar);
/// The text of a declaration, with its semicolon.
std::string inline_lines(const tree::Node& node);
void bind_tree_structures(nb::module_& m);

}  // namespace treadle::bindings
