// SPDX-License-Identifier: MIT
#include "treadle/codegen/block_builder.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <string>
#include <utility>

#include "treadle/base/error.hpp"
#include "words.hpp"

namespace treadle::codegen::tree {
namespace {

template <std::same_as<Part>... Each>
NodePtr node_of(Kind kind, Each... parts) {
  std::array<Part, sizeof...(Each)> all{std::move(parts)...};
  return make_node<Node>(kind, std::span<Part>(all), Parts(), Position());
}
NodePtr empty_block(Kind kind = Kind::block) {
  NodePtr made = make_node<Node>(kind, std::span<Part>(), Parts(), Position());
  made->list().reserve(8);
  return made;
}
NodePtr named(Part type, Part name) {
  return node_of(Kind::value, std::move(type), std::move(name));
}

}  // namespace

BlockBuilder::BlockBuilder() : root_(empty_block(Kind::collection)), open_{root_.get()} {}

void BlockBuilder::add(Part statement) { open_.back()->list().push_back(std::move(statement)); }

void BlockBuilder::declare(Part type, Part name, Part value) {
  Part declarator(named(std::move(type), std::move(name)));
  add(value.is_empty() ? node_of(Kind::declaration, std::move(declarator))
                       : node_of(Kind::initializer, std::move(declarator), std::move(value)));
}
void BlockBuilder::declare_array(Part type, Part name, Part count) {
  add(tree::declare(
      node_of(Kind::array, Part(named(std::move(type), std::move(name))), std::move(count)), {}));
}
void BlockBuilder::declare_local(Part type, Part name, Part count) {
  NodePtr variable = named(std::move(type), std::move(name));
  if (!count.is_empty())
    variable = node_of(Kind::array, Part(std::move(variable)), std::move(count));
  add(tree::declare(local(std::move(variable), {}), {}));
}
void BlockBuilder::define_type(Part type, Part name) {
  add(tree::declare(specifier("typedef", named(std::move(type), std::move(name)), {}, {}), {}));
}
void BlockBuilder::assign(Part left, Part right, std::string_view word) {
  add(node_of(Kind::assignment, std::move(left), Part(word), std::move(right)));
}
void BlockBuilder::evaluate(Part expression) {
  add(node_of(Kind::expression, std::move(expression)));
}
void BlockBuilder::return_value(Part value) {
  add(node_of(Kind::jump, Part("return"), std::move(value)));
}
void BlockBuilder::when(Part condition, NodePtr statement) {
  add(node_of(Kind::conditional, std::move(condition), Part(std::move(statement))));
}
void BlockBuilder::comment(Part text) {
  add(node_of(Kind::comment, std::move(text), Part(), Part("// ")));
}
void BlockBuilder::directive(Part word, Part text) {
  add(node_of(Kind::directive, std::move(word), std::move(text)));
}
void BlockBuilder::blank() { add(node_of(Kind::line)); }

void BlockBuilder::lines(std::string_view text) {
  if (!text.empty()) add(node_of(Kind::literal_lines, Part(text)));
}
void BlockBuilder::statements(std::string_view text) {
  if (text.empty()) return;
  const std::string_view last = text.substr(text.rfind('\n') + 1);
  const std::size_t first = std::min(last.find_first_not_of(" \t"), last.size());
  const bool may_go_on =
      last.substr(first).starts_with('#') || last.find("//") != std::string_view::npos;
  lines(joined({text, may_go_on ? "\n;" : ";"}));
}

void BlockBuilder::open_block(NodePtr statement, Node* block) {
  add(std::move(statement));
  open_.push_back(block);
}
void BlockBuilder::open() {
  NodePtr block = empty_block();
  Node* const inside = block.get();
  open_block(std::move(block), inside);
}
void BlockBuilder::open_if(Part condition) {
  NodePtr block = empty_block();
  Node* const inside = block.get();
  open_block(node_of(Kind::conditional, std::move(condition), Part(std::move(block))), inside);
}
void BlockBuilder::open_else() {
  const Parts& before = open_.back()->list();
  Node* const last = before.empty() ? nullptr : before.back().node();
  if (last == nullptr || last->kind() != Kind::conditional || !last->part(2).is_empty())
    throw InvalidState("open_else() behind a statement that is no if", "close the if before");
  NodePtr block = empty_block();
  open_.push_back(block.get());
  last->parts()[2] = Part(std::move(block));
}
void BlockBuilder::open_loop(Part start, Part condition, Part update) {
  NodePtr block = empty_block();
  Node* const inside = block.get();
  open_block(node_of(Kind::for_loop, std::move(start), std::move(condition), std::move(update),
                     Part(std::move(block))),
             inside);
}
void BlockBuilder::open_for(Part type, std::string_view name, Part first, std::string_view end,
                            std::string_view step) {
  Part start(node_of(Kind::initializer, Part(named(std::move(type), name)), std::move(first)));
  open_loop(std::move(start), {name, " < ", end},
            step.empty() ? Part({"++", name}) : Part({name, " += ", step}));
}
void BlockBuilder::open_while(Part condition) {
  NodePtr block = empty_block();
  Node* const inside = block.get();
  open_block(node_of(Kind::while_loop, std::move(condition), Part(std::move(block))), inside);
}
void BlockBuilder::open_function(NodePtr declarator) {
  NodePtr block = empty_block();
  Node* const inside = block.get();
  open_block(node_of(Kind::function_body, Part(std::move(declarator)), Part(std::move(block))),
             inside);
}
void BlockBuilder::open_kernel(std::string_view name, Parts parameters, unsigned group_size) {
  NodePtr block = empty_block();
  Node* const inside = block.get();
  open_block(kernel_function(name, std::move(parameters), std::move(block), group_size, {}),
             inside);
}
void BlockBuilder::close() {
  if (open_.size() == 1) throw InvalidState("close() where no block is open");
  open_.pop_back();
}

NodePtr BlockBuilder::take() {
  if (open_.size() != 1)
    throw InvalidState(
        joined({"take() of a program with ", std::to_string(open_.size() - 1), " open blocks"}),
        "close() each of them");
  NodePtr made = std::exchange(root_, empty_block(Kind::collection));
  open_ = {root_.get()};
  return made;
}

Part as_written(std::string_view expression) {
  return Part(node_of(Kind::literal, Part(expression)));
}

}  // namespace treadle::codegen::tree
