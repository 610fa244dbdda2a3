// SPDX-License-Identifier: MIT
#include "array/result_memory.hpp"

#include <mutex>
#include <utility>

#include "array/context.hpp"
#include "array/ending.hpp"
#include "array/explain.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

[[noreturn]] void throw_no_memory(const OutOfMemory& refusal, Node& node) {
  throw OutOfMemory(
      DeviceFailure{refusal.code(), refusal.code_name(), refusal.call(), refusal.driver_text(),
                    refusal.detail() + "; it was for the result of " + summary(node)},
      refusal.hint());
}

/// Allocates memory for a node. Uses the user's allocator if the node has one and an Array refers
/// to the node.
Ref<Storage> new_memory(Node& node) {
  if (node.allocator != nullptr && node.handles() != 0)
    return Storage::dense(node.stream, node.layout, node.dtype, *node.allocator);
  try {
    return Storage::dense(node.stream, node.layout, node.dtype, node.origin);
  } catch (const OutOfMemory& refusal) {
    throw_no_memory(refusal, node);
  }
}

/// Smaller memory is not donated: a kernel that works in place has another text and is compiled
/// anew.
constexpr std::size_t least_donation_bytes = std::size_t{1} << 20;

/// Whether a result may reuse the memory of a leaf that ends. Nothing else may reach the memory,
/// and each element of the result must depend on no other element than the leaf's at the same
/// place.
bool can_donate(const Node& leaf, const Node& result, std::size_t size_bytes) {
  const Storage& storage = *leaf.storage;
  const memory::Buffer& buffer = storage.buffer;
  return leaf.dtype == result.dtype && leaf.layout == result.layout && storage.owners() == 1 &&
         !leaf.is_read_only && storage.allocator == nullptr &&
         buffer.kind() == memory::BufferKind::pooled && buffer.size_bytes() == size_bytes &&
         !buffer.is_shared() && !buffer.has_escaped();
}

}  // namespace

Ref<Storage> donated_memory(Node& node) {
  const std::size_t size_bytes =
      static_cast<std::size_t>(node.layout.size()) * node.dtype.size_bytes();
  // Results of computations must not overwrite an input, and a gather reads memory at any place.
  if (size_bytes < least_donation_bytes || node.allocator != nullptr || node.computations != 0 ||
      node.is_gathering)
    return {};
  const std::lock_guard lock(node.context->mutex);
  Ending ending;
  ending.let_go(node);
  for (const Node* leaf : ending.leaves())
    if (can_donate(*leaf, node, size_bytes)) return leaf->storage;
  return {};
}

std::size_t result_memory(std::span<const NodeRef> nodes, std::span<Ref<Storage>> memory,
                          std::size_t asked) {
  if (nodes.size() == 1 && (memory[0] = donated_memory(*nodes[0]))) return 1;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    try {
      memory[i] = new_memory(*nodes[i]);
    } catch (const OutOfMemory&) {
      if (i < asked) throw;
      return i;
    }
    memory[i]->allocator = nodes[i]->allocator;
  }
  return nodes.size();
}

}  // namespace treadle::array
