// SPDX-License-Identifier: MIT
// Programs as values: expressions, declarators, statements, functions and modules of C-like
// languages, as trees of nodes. A part of a node is another node or text, so a snippet of text may
// stand wherever a node may. treadle/codegen/tree_builders.hpp makes nodes,
// treadle/codegen/tree_printer.hpp prints them.
//
//     using namespace treadle::codegen::tree;
//     NodePtr body = block({assign(var("x")[var("i")], 2 * var("x")[var("i")])});
//     std::string text = print(body);
//
// Nodes are shared, not copied: a statement that is appended to a block appears in every tree that
// contains the block. copy() makes a separate tree. Several threads may read a tree at once; a
// thread that changes a tree must be its only user.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/base/language.hpp"
#include "treadle/codegen/text_with_lines.hpp"

namespace treadle::codegen::tree {

/// The kind of a node; treadle/codegen/tree_kinds.def lists the parts of each kind.
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
/// The name of the kind's list; empty: nodes of this kind have no list.
std::string_view list_name(Kind kind) noexcept;

class Node;

/// Keeps a node alive. Each node counts the pointers to itself.
class NodePtr {
 public:
  NodePtr() noexcept = default;
  // Implicit, as std::shared_ptr is.
  NodePtr(std::nullptr_t) noexcept {}
  /// Points to a node that `new` made, or to a node that already has pointers.
  explicit NodePtr(Node* node) noexcept;
  NodePtr(const NodePtr& other) noexcept : NodePtr(other.node_) {}
  NodePtr(NodePtr&& other) noexcept : node_(other.release()) {}
  NodePtr& operator=(NodePtr other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~NodePtr();

  Node* get() const noexcept { return node_; }
  Node& operator*() const noexcept { return *node_; }
  Node* operator->() const noexcept { return node_; }
  explicit operator bool() const noexcept { return node_ != nullptr; }
  /// Whether both point to the same node.
  bool operator==(const NodePtr& other) const noexcept = default;
  /// Gives up the node without lowering its count; take() makes a pointer with that count again.
  Node* release() noexcept { return std::exchange(node_, nullptr); }
  /// Makes a pointer to a node that has already counted it.
  static NodePtr take(Node* node) noexcept {
    NodePtr pointer;
    pointer.node_ = node;
    return pointer;
  }

 private:
  Node* node_ = nullptr;
};

/// A part of a node: text, or another node. A short text is stored in the part itself.
class Part {
 public:
  Part() noexcept = default;
  // Implicit, so that a caller writes the text, number or node itself.
  /// Text, unchanged; an empty text is an empty part.
  Part(std::string_view text) {
    text.size() > longest_short_text ? set_long(text) : set_short(text);
  }
  Part(const std::string& text) : Part(std::string_view(text)) {}
  /// Text in pieces, one behind the other.
  Part(std::initializer_list<std::string_view> pieces);
  Part(const char* text) : Part(std::string_view(text)) {}
  /// A node; null is an empty part.
  Part(NodePtr node) noexcept {
    if (node) set_node(node.release());
  }
  /// A number in decimal.
  template <std::integral Integer>
    requires(!std::same_as<Integer, char> && !std::same_as<Integer, bool>)
  Part(Integer value) : Part(std::string_view(std::to_string(value))) {}
  Part(const Part& other) { other.is_short() ? take(other) : copy(other); }
  Part(Part&& other) noexcept {
    take(other);
    other.bytes_[tag_at] = 0;
  }
  Part& operator=(const Part& other) { return *this = Part(other); }
  Part& operator=(Part&& other) noexcept {
    if (this == &other) return *this;
    if (!is_short()) clear();
    take(other);
    other.bytes_[tag_at] = 0;
    return *this;
  }
  ~Part() {
    if (!is_short()) clear();
  }

  /// Whether the part prints nothing.
  bool is_empty() const noexcept { return bytes_[tag_at] == 0; }
  /// The node; null: the part is text.
  Node* node() const noexcept { return bytes_[tag_at] == is_node ? read<Node*>(0) : nullptr; }
  /// The text, which lives until the part changes; empty for a node.
  std::string_view text() const noexcept {
    if (is_short()) return {reinterpret_cast<const char*>(bytes_), bytes_[tag_at]};
    if (bytes_[tag_at] == is_node) return {};
    return {read<const char*>(0), read<std::size_t>(sizeof(char*))};
  }
  /// Whether both print alike: equal texts, or nodes with equal structure.
  bool operator==(const Part& other) const;

 private:
  static constexpr std::size_t tag_at = 23, longest_short_text = 23;
  static constexpr unsigned char is_long = 0xfe, is_node = 0xff;  // other tags: a text's length

  bool is_short() const noexcept { return bytes_[tag_at] <= longest_short_text; }
  template <class T>
  T read(std::size_t at) const noexcept {
    T value;
    std::memcpy(&value, bytes_ + at, sizeof value);
    return value;
  }
  void take(const Part& other) noexcept { std::memcpy(bytes_, other.bytes_, sizeof bytes_); }
  void set_short(std::string_view text) noexcept {
    text.copy(reinterpret_cast<char*>(bytes_), text.size());
    bytes_[tag_at] = static_cast<unsigned char>(text.size());
  }
  void set_node(Node* node) noexcept;
  void set_long(std::string_view text);
  char* make_long(std::size_t size);
  void copy(const Part& other);
  void clear() noexcept;

  alignas(void*) unsigned char bytes_[24] = {};
};

/// The functions by which an object of another language counts the pointers to a node that it
/// contains.
struct NodeOwner {
  void (*retain)(void* owner) noexcept;
  void (*release)(void* owner) noexcept;
};

/// A node of the tree. A derived class may print its own text.
class Node {
 public:
  /// `parts` are at most as many as the kind has; missing parts are empty. Throws InvalidArgument
  /// for more parts, and for a list if the kind has none.
  Node(Kind kind, std::vector<Part> parts, std::vector<Part> list = {}, Position made = {});
  /// Like the constructor above, but moves the parts out of the caller's array.
  Node(Kind kind, std::span<Part> parts, std::vector<Part> list, Position made);
  virtual ~Node();
  // Trees are built and destroyed as a whole, so each thread keeps some of their memory for the
  // next tree.
  static void* operator new(std::size_t size);
  static void* operator new(std::size_t, void* place) noexcept { return place; }
  static void operator delete(void* node, std::size_t size) noexcept;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Kind kind() const noexcept { return kind_; }
  /// The parts, in the order of part_names().
  std::span<Part> parts() noexcept { return {parts_ ? parts_.get() : few_, count_}; }
  std::span<const Part> parts() const noexcept { return {parts_ ? parts_.get() : few_, count_}; }
  /// A part by its number.
  const Part& part(std::size_t number) const noexcept { return parts()[number]; }
  /// A part by its name. Throws InvalidArgument naming the parts of the kind.
  Part& named(std::string_view name);
  /// The list: statements of a block, parameters of a function.
  std::vector<Part>& list() noexcept { return list_; }
  const std::vector<Part>& list() const noexcept { return list_; }
  /// Appends a part to the list. Throws InvalidArgument if the kind has no list.
  void append(Part part);

 private:
  static constexpr std::size_t most_few = 4;

  Kind kind_;
  std::uint8_t count_;

 public:
  /// Kind::scalar: the dtype of the number declared.
  Scalar scalar = Scalar::int32;
  /// The only language that has this construct, for instance `__shared__`.
  std::optional<Language> only_in;
  /// The place where the node was made; equal() ignores it.
  Position made;

  /// Whether the printer calls own_lines() and own_declaration(): the node's class overrides them.
  bool has_own_text = false;
  /// The lines that a derived class prints for the node; no value: the node is printed as its kind.
  virtual std::optional<std::vector<std::string>> own_lines() const { return std::nullopt; }
  /// For a declarator: its type and the text after the type, in place of the usual declaration.
  virtual std::optional<std::pair<std::string, std::string>> own_declaration() const {
    return std::nullopt;
  }
  /// A node of the same kind with the same parts and list; nodes in these are shared.
  virtual NodePtr shallow_copy() const;

  /// The object of another language that contains the node and lives as long as the node; null:
  /// none.
  void* owner() const noexcept { return owner_; }
  /// From now on every pointer to the node retains `owner`, including the pointers that already
  /// exist.
  void set_owner(void* owner) noexcept;
  /// Sets the functions for all owners of the process.
  static void set_owners(const NodeOwner& functions) noexcept;
  /// The number of pointers to a node without an owner; 0: the owner counts them.
  std::uint32_t pointer_count() const noexcept { return pointers_.load(std::memory_order_acquire); }

 private:
  friend class NodePtr;
  friend class Part;
  void retain() noexcept {
    if (owner_ != nullptr) return retain_owner();
    pointers_.fetch_add(1, std::memory_order_relaxed);
  }
  void release() noexcept {
    if (owner_ != nullptr || pointers_.fetch_sub(1, std::memory_order_acq_rel) == 1) let_go();
  }
  void retain_owner() noexcept;
  void let_go() noexcept;

  std::atomic<std::uint32_t> pointers_{0};
  void* owner_ = nullptr;
  Part few_[most_few];
  std::unique_ptr<Part[]> parts_;  // for kinds with more parts than few_
  std::vector<Part> list_;
};

inline NodePtr::NodePtr(Node* node) noexcept : node_(node) {
  if (node != nullptr) node->retain();
}
inline NodePtr::~NodePtr() {
  if (node_ != nullptr) node_->release();
}
/// A node of a class that derives from Node.
template <std::derived_from<Node> Derived, class... Arguments>
NodePtr make_node(Arguments&&... arguments) {
  return NodePtr(new Derived(std::forward<Arguments>(arguments)...));
}

/// Whether two trees have equal structure: the same kinds, texts and lists. The places where nodes
/// were made do not matter.
bool equal(const Node& a, const Node& b);
/// Equal trees have equal hashes, in every process.
std::uint64_t hash_of(const Node& node);
/// A copy of a tree that shares no nodes with it.
NodePtr copy(const Node& node);

/// Calls `visit` for each node, parents before children. If `visit` returns false, the children of
/// the node are skipped. Throws InvalidArgument for a tree that contains itself.
void visit(const Node& root, const std::function<bool(const Node&)>& visit);
/// Builds a tree in which `replace` has chosen a replacement for each part, inner parts first.
/// `replace` returns its argument to keep a part. Unchanged subtrees are shared with the old tree,
/// which does not change. Throws InvalidArgument for a tree that contains itself.
Part rewrite(const Part& root, const std::function<Part(const Part&)>& replace);
/// The identifiers in the nodes and texts of a tree, without C keywords and without words in
/// comments and strings.
std::set<std::string> names_in(const Part& root);

}  // namespace treadle::codegen::tree
