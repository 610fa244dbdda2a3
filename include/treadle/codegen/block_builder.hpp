// SPDX-License-Identifier: MIT
// Builds a tree statement by statement: each new statement is appended to the innermost open block.
// The generators of Treadle are written with this builder.
//
//     BlockBuilder code;
//     code.open_kernel("scale", {global_pointer(scalar(Scalar::float32, "x")),
//                                scalar(Scalar::int32, "n")});
//     code.open_for("int", "i", "0", "n");
//     code.assign("x[i]", "2 * x[i]");
//     code.close();
//     code.close();
//     std::string text = print(code.take(), device->info().language);
#pragma once

#include <string_view>
#include <vector>

#include "treadle/codegen/tree.hpp"
#include "treadle/codegen/tree_builders.hpp"

namespace treadle::codegen::tree {

/// A program that is built from its first statement to its last. A part is a node or text; `{"x[",
/// index, "]"}` is text in pieces.
class BlockBuilder {
 public:
  /// Begins with an empty collection.
  BlockBuilder();
  /// Adds a statement.
  void add(Part statement);

  /// `type name;`, or `type name = value;`.
  void declare(Part type, Part name, Part value = {});
  /// `type name[count];`.
  void declare_array(Part type, Part name, Part count);
  /// Like declare_array(), in local memory; without a count it declares one value.
  void declare_local(Part type, Part name, Part count = {});
  /// `typedef type name;`.
  void define_type(Part type, Part name);
  /// `left = right;`, or another operator in its place: "+=".
  void assign(Part left, Part right, std::string_view word = "=");
  /// `expression;`.
  void evaluate(Part expression);
  /// `return value;`.
  void return_value(Part value);
  /// `if (condition) statement`.
  void when(Part condition, NodePtr statement);
  /// `// text`, for each line of it.
  void comment(Part text);
  /// `#word text`: a pragma, a definition.
  void directive(Part word, Part text);
  /// An empty line.
  void blank();
  /// Adds lines of somebody else's text unchanged; adds nothing for an empty text.
  void lines(std::string_view text);
  /// Adds somebody else's statements; their text may end in a comment or a directive.
  void statements(std::string_view text);

  // The calls below open a block: later statements go into it until close().

  /// Opens a block of braces, so that names declared in it end with it.
  void open();
  /// `if (condition) {`.
  void open_if(Part condition);
  /// `else {`, behind an `if` that is closed. Throws InvalidState if there is none.
  void open_else();
  /// `for (start; condition; update) {`.
  void open_loop(Part start, Part condition, Part update);
  /// `for (type name = first; name < end; ++name) {`; with a step `name += step`.
  void open_for(Part type, std::string_view name, Part first, std::string_view end,
                std::string_view step = "");
  /// `while (condition) {`.
  void open_while(Part condition);
  /// Opens the body of a function that kernels call, or of a kernel; `declarator` declares the
  /// function.
  void open_function(NodePtr declarator);
  /// A kernel. `group_size` is the number of work-items of a group; 0: any.
  void open_kernel(std::string_view name, Parts parameters, unsigned group_size = 0);
  /// Ends the innermost block. Throws InvalidState if none is open.
  void close();

  /// Returns all statements as a collection and starts again empty. Throws InvalidState if a block
  /// is open.
  NodePtr take();

 private:
  void open_block(NodePtr statement, Node* block);

  NodePtr root_;
  std::vector<Node*> open_;  // the root, and the blocks in it that are open
};

/// An expression of somebody else's, written unchanged.
Part as_written(std::string_view expression);

}  // namespace treadle::codegen::tree
