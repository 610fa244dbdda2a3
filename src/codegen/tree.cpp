// SPDX-License-Identifier: MIT
#include "treadle/codegen/tree.hpp"

#include <algorithm>
#include <array>

#include "treadle/base/error.hpp"
#include "tree_text.hpp"
#include "words.hpp"

namespace treadle::codegen::tree {
namespace {

struct KindRow {
  std::string_view name;
  Family family;
  std::string_view parts;  // separated by blanks
  std::string_view list;
};

constexpr KindRow kind_rows[] = {
#define TREADLE_NODE(kind, family, parts, list) {#kind, Family::family, parts, list},
#include "treadle/codegen/tree_kinds.def"
};
constexpr std::size_t kind_count = std::size(kind_rows);

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    words.push_back(word);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return words;
}

const std::vector<std::string_view>& names_of_parts(Kind kind) {
  static const auto* const names = [] {
    auto* const all = new std::array<std::vector<std::string_view>, kind_count>;
    for (std::size_t i = 0; i < kind_count; ++i) (*all)[i] = words_of(kind_rows[i].parts);
    return all;
  }();
  return (*names)[static_cast<std::size_t>(kind)];
}

constexpr auto part_counts = [] {
  std::array<std::uint8_t, kind_count> counts{};
  for (std::size_t i = 0; i < kind_count; ++i) {
    const std::string_view parts = kind_rows[i].parts;
    counts[i] = static_cast<std::uint8_t>(std::ranges::count(parts, ' ') + !parts.empty());
  }
  return counts;
}();

const KindRow& row_of(Kind kind) { return kind_rows[static_cast<std::size_t>(kind)]; }

constexpr std::uint64_t hash_prime = 0x100000001b3;

void mix(std::uint64_t& hash, std::string_view bytes) {
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * hash_prime;
  hash = (hash ^ 0xff) * hash_prime;  // an end: "ab" "c" is not "a" "bc"
}

void mix(std::uint64_t& hash, const Node& node, std::size_t depth);

void mix(std::uint64_t& hash, const Part& part, std::size_t depth) {
  if (part.node() != nullptr)
    mix(hash, *part.node(), depth + 1);
  else
    mix(hash, part.text());
}

void mix(std::uint64_t& hash, const Node& node, std::size_t depth) {
  require_depth(node, depth);
  mix(hash, kind_name(node.kind()));
  hash = (hash ^ static_cast<std::uint64_t>(node.scalar)) * hash_prime;
  for (const Part& part : node.parts()) mix(hash, part, depth);
  for (const Part& part : node.list()) mix(hash, part, depth);
  hash = (hash ^ node.list().size()) * hash_prime;
}

bool equal_below(const Node& a, const Node& b, std::size_t depth);

bool equal_below(const Part& a, const Part& b, std::size_t depth) {
  if (a.node() == nullptr || b.node() == nullptr)
    return a.node() == b.node() && a.text() == b.text();
  return equal_below(*a.node(), *b.node(), depth);
}

bool equal_below(std::span<const Part> a, std::span<const Part> b, std::size_t depth) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const Part& x, const Part& y) { return equal_below(x, y, depth); });
}

bool equal_below(const Node& a, const Node& b, std::size_t depth) {
  if (&a == &b) return true;
  require_depth(a, depth);
  return a.kind() == b.kind() && a.scalar == b.scalar && a.only_in == b.only_in &&
         a.has_own_text == b.has_own_text && (!a.has_own_text || a.own_lines() == b.own_lines()) &&
         equal_below(a.parts(), b.parts(), depth + 1) && equal_below(a.list(), b.list(), depth + 1);
}

NodePtr copy_below(const Node& node, std::size_t depth) {
  require_depth(node, depth);
  NodePtr whole = node.shallow_copy();
  const auto copy_all = [&](std::span<Part> parts) {
    for (Part& part : parts)
      if (part.node() != nullptr) part = Part(copy_below(*part.node(), depth + 1));
  };
  copy_all(whole->parts());
  copy_all(whole->list());
  return whole;
}

void visit_below(const Node& node, const std::function<bool(const Node&)>& visit,
                 std::size_t depth) {
  require_depth(node, depth);
  if (!visit(node)) return;
  for (const Part& part : node.parts())
    if (part.node() != nullptr) visit_below(*part.node(), visit, depth + 1);
  for (const Part& part : node.list())
    if (part.node() != nullptr) visit_below(*part.node(), visit, depth + 1);
}

Part rewrite_below(const Part& part, const std::function<Part(const Part&)>& replace,
                   std::size_t depth);

// Returns whether a part changed.
bool rewrite_all(std::span<Part> parts, const std::function<Part(const Part&)>& replace,
                 std::size_t depth) {
  bool changed = false;
  for (Part& part : parts) {
    Part next = rewrite_below(part, replace, depth);
    if (next.node() == part.node() && next.text() == part.text()) continue;
    part = std::move(next);
    changed = true;
  }
  return changed;
}

Part rewrite_below(const Part& part, const std::function<Part(const Part&)>& replace,
                   std::size_t depth) {
  if (part.node() == nullptr) return replace(part);
  require_depth(*part.node(), depth);
  const std::span<const Part> before = std::as_const(*part.node()).parts();
  std::vector<Part> parts(before.begin(), before.end());
  std::vector<Part> list = part.node()->list();
  const bool parts_changed = rewrite_all(parts, replace, depth + 1);
  if (!rewrite_all(list, replace, depth + 1) && !parts_changed) return replace(part);
  NodePtr changed = part.node()->shallow_copy();
  std::ranges::move(parts, changed->parts().begin());
  changed->list() = std::move(list);
  return replace(Part(std::move(changed)));
}

/// The memory of destroyed nodes, for new nodes.
class SpareNodes {
 public:
  SpareNodes() = default;
  SpareNodes(const SpareNodes&) = delete;
  SpareNodes& operator=(const SpareNodes&) = delete;
  ~SpareNodes() {
    while (first_ != nullptr) ::operator delete(take());
    count_ = most_spare;  // nodes may outlive the thread's own objects
  }
  bool has_any() const noexcept { return first_ != nullptr; }
  bool has_room() const noexcept { return count_ < most_spare; }
  void* take() noexcept {
    --count_;
    return std::exchange(first_, first_->next);
  }
  void keep(void* node) noexcept {
    ++count_;
    first_ = new (node) Spare{first_};
  }

 private:
  struct Spare {
    Spare* next;
  };
#ifdef __SANITIZE_ADDRESS__
  static constexpr std::size_t most_spare =
      0;  // reused memory would hide uses of destroyed nodes from the sanitizer
#else
  static constexpr std::size_t most_spare = 1024;
#endif
  Spare* first_ = nullptr;
  std::size_t count_ = 0;
};
thread_local SpareNodes spare_nodes;

NodeOwner owners{};  // the bindings set this once

// A destroyed node releases its children, and these release theirs. The recursion is limited,
// because a tree may be deeper than the stack; deeper nodes wait until the first call releases
// them.
constexpr int most_inside_each_other = 100;
thread_local int inside_each_other = 0;
thread_local std::vector<Node*>* waiting_nodes = nullptr;  // belongs to the first call

bool can_wait(Node* node) noexcept {
  if (inside_each_other < most_inside_each_other) return false;
  try {
    waiting_nodes->push_back(node);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace

std::string_view kind_name(Kind kind) noexcept { return row_of(kind).name; }
Family family_of(Kind kind) noexcept { return row_of(kind).family; }
std::span<const std::string_view> part_names(Kind kind) noexcept { return names_of_parts(kind); }
std::string_view list_name(Kind kind) noexcept { return row_of(kind).list; }

void Part::set_node(Node* node) noexcept {
  std::memcpy(bytes_, &node, sizeof node);
  bytes_[tag_at] = is_node;
}

void Part::set_long(std::string_view text) { text.copy(make_long(text.size()), text.size()); }

char* Part::make_long(std::size_t size) {
  char* const letters = new char[size];
  std::memcpy(bytes_, &letters, sizeof letters);
  std::memcpy(bytes_ + sizeof letters, &size, sizeof size);
  bytes_[tag_at] = is_long;
  return letters;
}

Part::Part(std::initializer_list<std::string_view> pieces) {
  std::size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  const bool is_long_text = size > longest_short_text;
  char* to = is_long_text ? make_long(size) : reinterpret_cast<char*>(bytes_);
  if (!is_long_text) bytes_[tag_at] = static_cast<unsigned char>(size);
  for (const std::string_view piece : pieces) to += piece.copy(to, piece.size());
}

void Part::copy(const Part& other) {
  if (Node* const node = other.node(); node != nullptr)
    set_node(NodePtr(node).release());
  else
    set_long(other.text());
}

void Part::clear() noexcept {
  if (Node* const node_of_part = node(); node_of_part != nullptr)
    node_of_part->release();
  else
    delete[] read<char*>(0);
}

bool Part::operator==(const Part& other) const { return equal_below(*this, other, 0); }

Node::Node(Kind kind, std::vector<Part> parts, std::vector<Part> list, Position where)
    : Node(kind, std::span(parts), std::move(list), where) {}

Node::Node(Kind kind, std::span<Part> parts, std::vector<Part> list, Position where)
    : kind_(kind),
      count_(part_counts[static_cast<std::size_t>(kind)]),
      made(where),
      list_(std::move(list)) {
  if (parts.size() > count_)
    throw InvalidArgument(
        joined({"a node of kind ", kind_name(kind), " has ", std::to_string(count_), " parts, not ",
                std::to_string(parts.size())}),
        joined({"pass these: ", row_of(kind).parts}));
  if (!list_.empty() && list_name(kind).empty())
    throw InvalidArgument(joined({"a node of kind ", kind_name(kind), " has no list"}),
                          "make a block or a collection of the statements");
  if (count_ > std::size(few_)) parts_ = std::make_unique<Part[]>(count_);
  std::ranges::move(parts, this->parts().begin());
}

Node::~Node() = default;

void* Node::operator new(std::size_t size) {
  if (size != sizeof(Node) || !spare_nodes.has_any()) return ::operator new(size);
  return spare_nodes.take();
}
void Node::operator delete(void* node, std::size_t size) noexcept {
  if (size != sizeof(Node) || !spare_nodes.has_room()) return ::operator delete(node);
  spare_nodes.keep(node);
}

void Node::set_owner(void* owner) noexcept {
  owner_ = owner;
  for (std::uint32_t left = pointers_.exchange(0); left > 0; --left) owners.retain(owner);
}

void Node::set_owners(const NodeOwner& functions) noexcept { owners = functions; }
void Node::retain_owner() noexcept { owners.retain(owner_); }
void Node::let_go() noexcept {
  if (can_wait(this)) return;
  std::vector<Node*> waiting;
  const bool is_first = waiting_nodes == nullptr;
  if (is_first) waiting_nodes = &waiting;
  ++inside_each_other;
  const auto end = [](Node* node) {
    node->owner_ != nullptr ? owners.release(node->owner_) : delete node;
  };
  end(this);
  for (; is_first && !waiting.empty();) {
    Node* const next = waiting.back();
    waiting.pop_back();
    end(next);
  }
  --inside_each_other;
  if (is_first) waiting_nodes = nullptr;
}

Part& Node::named(std::string_view name) {
  const std::vector<std::string_view>& names = names_of_parts(kind_);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw InvalidArgument(
        joined({"a node of kind ", kind_name(kind_), " has no part called ", name}),
        joined({"use one of these: ", row_of(kind_).parts}));
  return parts()[static_cast<std::size_t>(found - names.begin())];
}

void Node::append(Part part) {
  if (list_name(kind_).empty())
    throw InvalidArgument(
        joined({"append() to a node of kind ", kind_name(kind_), ", which has no list"}),
        "append to a block or a collection");
  list_.push_back(std::move(part));
}

NodePtr Node::shallow_copy() const {
  NodePtr made_anew =
      make_node<Node>(kind_, std::vector<Part>(parts().begin(), parts().end()), list_, made);
  made_anew->scalar = scalar;
  made_anew->only_in = only_in;
  return made_anew;
}

bool equal(const Node& a, const Node& b) { return equal_below(a, b, 0); }

std::uint64_t hash_of(const Node& node) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  mix(hash, node, 0);
  return hash;
}

NodePtr copy(const Node& node) { return copy_below(node, 0); }

void visit(const Node& root, const std::function<bool(const Node&)>& visit) {
  visit_below(root, visit, 0);
}

Part rewrite(const Part& root, const std::function<Part(const Part&)>& replace) {
  return rewrite_below(root, replace, 0);
}

std::set<std::string> names_in(const Part& root) {
  std::set<std::string> names;
  const auto add = [&](const Part& part) {
    if (part.node() == nullptr) add_identifiers(part.text(), names);
  };
  if (root.node() == nullptr) {
    add(root);
    return names;
  }
  visit(*root.node(), [&](const Node& node) {
    if (node.kind() == Kind::comment) return false;
    for (const Part& part : node.parts()) add(part);
    for (const Part& part : node.list()) add(part);
    return true;
  });
  return names;
}

}  // namespace treadle::codegen::tree
