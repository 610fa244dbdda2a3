// SPDX-License-Identifier: MIT
// Programs as values: expressions, declarators, statements, functions and modules of C-like
// languages, as trees of nodes. A part of a node is another node or text, so that a snippet that
// somebody wrote stands wherever a node may. treadle/codegen/tree_builders.hpp makes nodes,
// treadle/codegen/tree_printer.hpp writes them.
//
//     using namespace treadle::codegen::tree;
//     NodePtr body = block({assign(var("x")[var("i")], 2 * var("x")[var("i")])});
//     std::string text = print(body);
//
// Nodes are shared, not copied: what is appended to a block later is seen by all that contain it.
// copy() makes a tree of its own.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/base/language.hpp"

namespace treadle::codegen::tree {

/// What a node is; treadle/codegen/tree_kinds.def lists the parts of each.
enum class Kind : std::uint8_t {
#define TREADLE_NODE(kind, family, parts, list) kind,
#include "treadle/codegen/tree_kinds.def"
};
/// Where a node may stand.
enum class Family : std::uint8_t { expression, declarator, statement };

/// The kind's name in tree_kinds.def: "for_loop".
std::string_view kind_name(Kind kind) noexcept;
/// Where nodes of the kind may stand.
Family family_of(Kind kind) noexcept;
/// The names of the kind's parts, in their order.
std::span<const std::string_view> part_names(Kind kind) noexcept;
/// The name of the kind's list; empty: nodes of the kind have none.
std::string_view list_name(Kind kind) noexcept;

/// The line of a program that made a node. The file's name must outlive the node, as those of
/// std::source_location do.
struct Position {
  const char* file = nullptr;  ///< null: not known
  std::uint32_t line = 0;      ///< from 1
  /// The caller's line.
  static Position here(std::source_location where = std::source_location::current()) noexcept {
    return {where.file_name(), where.line()};
  }
};

class Node;
/// Nodes are shared.
using NodePtr = std::shared_ptr<Node>;

/// A part of a node: text, or another node.
class Part {
 public:
  Part() = default;
  // Implicit: a part is written as what it is.
  /// Text as somebody wrote it; empty: nothing.
  Part(std::string text) : text_(std::move(text)) {}
  Part(std::string_view text) : text_(text) {}
  Part(const char* text) : text_(text) {}
  /// A node; null: nothing.
  Part(NodePtr node) : node_(std::move(node)) {}
  template <std::derived_from<Node> Derived>
  Part(std::shared_ptr<Derived> node) : node_(std::move(node)) {}
  /// A number in decimal.
  template <std::integral Integer>
    requires(!std::same_as<Integer, char> && !std::same_as<Integer, bool>)
  Part(Integer value) : text_(std::to_string(value)) {}

  /// Whether nothing is written for it.
  bool is_empty() const noexcept { return node_ == nullptr && text_.empty(); }
  /// The node; null: the part is text.
  const NodePtr& node() const noexcept { return node_; }
  /// The text; empty for a node.
  const std::string& text() const noexcept { return text_; }
  /// Whether both are written alike: the same text, or nodes that are equal in structure.
  bool operator==(const Part& other) const;

 private:
  std::string text_;
  NodePtr node_;
};

/// A node of the tree. A class that derives from it writes text of its own.
class Node {
 public:
  /// `parts` as many as the kind has; missing ones are empty. Throws InvalidArgument for more, and
  /// for a list where the kind has none.
  Node(Kind kind, std::vector<Part> parts, std::vector<Part> list = {}, Position made = {});
  virtual ~Node() = default;

  Kind kind() const noexcept { return kind_; }
  /// The parts, in the order of part_names().
  std::vector<Part>& parts() noexcept { return parts_; }
  const std::vector<Part>& parts() const noexcept { return parts_; }
  /// A part by its number.
  const Part& part(std::size_t number) const { return parts_[number]; }
  /// A part by its name. Throws InvalidArgument naming the parts of the kind.
  Part& named(std::string_view name);
  /// The list: statements of a block, parameters of a function.
  std::vector<Part>& list() noexcept { return list_; }
  const std::vector<Part>& list() const noexcept { return list_; }
  /// Adds a part behind the list. Throws InvalidArgument if the kind has no list.
  void append(Part part);

  /// Of Kind::scalar: which number it declares.
  Scalar scalar = Scalar::int32;
  /// Where the node was made; not part of its value.
  Position made;
  /// The language that alone has what the node says, `__shared__` for instance.
  std::optional<Language> only_in;

  /// What a derived class writes in place of the node, a line each; nothing: the node is written as
  /// its kind is.
  virtual std::optional<std::vector<std::string>> own_lines() const { return std::nullopt; }
  /// A node of the same kind, parts and list; what they refer to is shared.
  virtual NodePtr shallow_copy() const;

 private:
  Kind kind_;
  std::vector<Part> parts_, list_;
};

/// Whether two trees are equal in structure: the same kinds, texts and lists. Where their nodes
/// were made does not count.
bool equal(const Node& a, const Node& b);
/// Equal for equal trees; the same in every process.
std::uint64_t hash_of(const Node& node);
/// A tree whose nodes are all its own.
NodePtr copy(const Node& node);

/// Calls `visit` for each node, those who contain others first. False from `visit` passes over what
/// is below a node. Throws InvalidArgument for a tree that contains itself.
void visit(const Node& root, const std::function<bool(const Node&)>& visit);
/// A tree in which `replace` has chosen for each part, inner ones first, what stands in its place.
/// `replace` returns the part itself to keep it; what is kept whole is shared with the old tree,
/// which is not changed. Throws InvalidArgument for a tree that contains itself.
Part rewrite(const Part& root, const std::function<Part(const Part&)>& replace);
/// The identifiers that a tree mentions, in nodes and in texts, keywords of C and words of comments
/// and strings excepted.
std::set<std::string> names_in(const Part& root);

}  // namespace treadle::codegen::tree
