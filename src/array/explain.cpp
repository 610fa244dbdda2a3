// SPDX-License-Identifier: MIT
#include "array/explain.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "array/access.hpp"
#include "array/computation_fusion.hpp"
#include "array/context.hpp"
#include "array/fusion.hpp"
#include "array/result_memory.hpp"
#include "array/stages.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/base/op.hpp"

namespace treadle::array {
namespace {

const char* sentence(Cut cut) {
  switch (cut) {
    case Cut::asked:
      return "somebody looked at it";
    case Cut::too_large:
      return "with it, one kernel would have more than 64 steps, 24 operands or 8 reductions";
    case Cut::positions:
      return "its elements count positions in a smaller array than the one they are used for";
    case Cut::reduction:
      return "results of a reduction or a product feed an expression of another shape, or another "
             "of them";
    case Cut::escaped:
      return "code that the library does not see may change an operand: its address was asked for";
    case Cut::eager:
      return "evaluation is eager: set_lazy(False)";
    case Cut::overlap:
      return "it is a copy of what was about to be overwritten";
    case Cut::written:
      return "something that it reads was about to be changed";
    case Cut::indexed:
      return "elements are chosen by indices of memory";
    case Cut::staged:
      return "a computation that is no part of an expression gives it, or needs it";
    case Cut::memory:
      return "memory was short, and what it reads, which nothing else needs, takes more";
    case Cut::repeated:
      return "a second kernel needed it: it is kept, so that no third computes it again";
    case Cut::called:
      return "it was called: a library of the host computes it, and the caller waits";
    case Cut::marked:
      break;
  }
  return "its stream was waited for, or an event recorded there";
}

std::string kind_of(const Node& node) {
  return node.dtype.name() + " " + shape_text(node.layout.shape());
}

std::string text_of(const LaunchSite& site) {
  return std::string(site.file) + ":" + std::to_string(site.line);
}

std::string line_of(const Node& node) {
  if (node.origin.file == nullptr) return {};
  return "  at " + text_of(node.origin);
}

/// "reads 800 bytes, writes 400 bytes, about 300 instructions".
std::string figures(const KernelNote& note) {
  return "reads " + std::to_string(note.bytes_read) + " bytes, writes " +
         std::to_string(note.bytes_written) + " bytes, about " + std::to_string(note.instructions) +
         " instructions";
}

std::string text_of(const KernelNote& note) {
  if (note.name == nullptr) return "kernels of its own\n";
  return "kernel " + *note.name + ": " + figures(note) + "\n";
}

/// The text of the kernel; empty if the text is not known.
std::string source_of(const KernelNote& note) { return note.text != nullptr ? *note.text : ""; }

/// Lists the operations of an expression with numbers, operands first. A view of memory is an
/// array.
class Listing {
 public:
  std::size_t add(const Node& node) {
    const auto known = std::ranges::find(seen_, &node);
    if (known != seen_.end()) return static_cast<std::size_t>(known - seen_.begin());
    std::array<std::size_t, Node::most_operands> operands = {};
    for (unsigned i = 0; i < node.arity; ++i) operands[i] = add(*node.operands[i]);
    const std::size_t number = seen_.size();
    seen_.push_back(&node);
    lines_ += "  " + std::to_string(number) + ": " + what(node);
    for (unsigned i = 0; i < node.arity; ++i)
      lines_ += (i == 0 ? " of " : ", ") + std::to_string(operands[i]);
    if (node.context != nullptr) lines_ += " -> " + kind_of(node) + line_of(node);
    lines_ += '\n';
    if (node.is_leaf() && node.made_by.name != nullptr)
      before_ += std::to_string(number) + " was computed before, by " + *node.made_by.name + " (" +
                 figures(node.made_by) + "): " + sentence(node.cut) + ".\n";
    return number;
  }
  std::string text() const { return lines_ + before_; }

 private:
  static std::string what(const Node& node) {
    if (node.is_leaf()) return "array";
    if (node.is_number()) return "number " + node.number.text();
    if (node.computation != nullptr) return std::string(node.computation->name());
    return std::string(op_info(node.op).name);
  }

  std::vector<const Node*> seen_;
  std::string lines_, before_;
};

/// Calls `use` with two arguments: the fusion that stores one pending node into `target`, and the
/// context's lock. A `target` of null is not allocated yet.
template <class Use>
auto with_fusion(Node& node, const Ref<Storage>& target, Use use) {
  std::unique_lock lock(node.context->mutex);
  const auto used = [&](auto fusion) {
    fusion.add_output(target.get(), node.layout, node.dtype);
    fusion.store(node);
    return use(fusion, lock);
  };
  const NodeRef share(&node);
  const Extents shape = node.layout.shape();
  if (computation_below(node) != nullptr)
    return used(ComputationFusion(*node.context, shape, std::span(&share, 1)));
  return used(Fusion(*node.context, shape));
}

/// The operations of a pending expression, and the kernel that will compute it.
std::pair<std::string, KernelNote> planned(Node& node) {
  const auto described = [&](const auto& fusion, std::unique_lock<ContextMutex>& lock) {
    Listing listing;
    listing.add(node);
    lock.unlock();
    return std::pair(listing.text(), fusion.described());
  };
  // A stage's memory is not allocated yet, so donated_memory() cannot look at it.
  return with_fusion(node, node.is_staged ? Ref<Storage>() : donated_memory(node), described);
}

/// Adds the source lines that recorded a pending expression, operands first, each line once.
void add_lines(const Node& node, std::vector<std::string>& lines) {
  if (node.is_leaf()) return;
  for (unsigned i = 0; i < node.arity; ++i) add_lines(*node.operands[i], lines);
  if (node.context == nullptr || node.origin.file == nullptr) return;
  std::string line = text_of(node.origin);
  if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
}

}  // namespace

std::string explain(const Array& array) {
  const NodeRef node(&Access::node(array));
  const std::string subject = kind_of(*node) + line_of(*node);
  if (node->is_leaf()) {
    if (node->made_by.name == nullptr && node->computation == nullptr)
      return subject + "\nmemory that no expression computed: it was given, or is a view.\n";
    const bool is_view =
        node->op == Op::leaf && node->computation == nullptr && node->cut != Cut::called;
    return subject + (is_view ? "\nis a view of what was computed by " : "\nwas computed by ") +
           text_of(node->made_by) + "when " + sentence(node->cut) + ".\n\n" +
           source_of(node->made_by);
  }
  if (node->layout.size() == 0) return subject + "\nhas no elements: nothing runs.\n";
  const auto [steps, note] = planned(*node);
  return subject + "\nis to be computed by " + text_of(note) + steps + '\n' + source_of(note);
}

std::string summary(Node& node) {
  constexpr std::size_t most_lines = 8;
  return with_fusion(node, {}, [&](const auto& fusion, const auto&) {
    std::vector<std::string> lines;
    add_lines(node, lines);
    std::string text = fusion.name() + " -> " + kind_of(node);
    for (std::size_t i = 0; i < lines.size() && i < most_lines; ++i)
      text += (i == 0 ? " at " : ", ") + lines[i];
    if (lines.size() > most_lines)
      text += " and " + std::to_string(lines.size() - most_lines) + " more lines";
    return text;
  });
}

}  // namespace treadle::array
