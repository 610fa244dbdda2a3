// SPDX-License-Identifier: MIT
#include "cuda_cpu/runtime/link.hpp"

#include <cstring>
#include <string>

#include "cuda_cpu/runtime/compiler_library.hpp"
#include "cuda_cpu/runtime/faults.hpp"
#include "treadle/base/error.hpp"

namespace treadle::cuda_cpu {
namespace {

constexpr std::uint64_t largest_object = 1u << 30;

/// The compiler's entry point; null, with the reason, if there is no compiler.
LinkObjects find_linker(LoadFailure& failure) {
  try {
    const auto found = reinterpret_cast<LinkObjects>(compiler_symbol(link_objects_symbol));
    if (found == nullptr)
      failure = {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "libtreadle_clang.so is of another version"};
    return found;
  } catch (const Error& error) {
    failure = {CUDA_ERROR_JIT_COMPILER_NOT_FOUND, error.what()};
    return nullptr;
  }
}

struct Linked {
  std::vector<char> image;
  std::string log;
};

void take_linked(void* receiver, bool is_image, const char* bytes, std::size_t size) {
  auto& linked = *static_cast<Linked*>(receiver);
  if (is_image)
    linked.image.assign(bytes, bytes + size);
  else
    linked.log.assign(bytes, size);
}

/// A copy of an object whose size its header tells. Empty if it ends before that.
std::vector<char> copy_object(const void* image) {
  std::vector<char> bytes;
  if (!read_bytes(image, sizeof(ObjectHeader), bytes)) return {};
  ObjectHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.payload_size > largest_object ||
      !read_bytes(image, sizeof header + static_cast<std::size_t>(header.payload_size), bytes))
    return {};
  return bytes;
}

}  // namespace

namespace {

struct BytesRead {
  char* to;
  const volatile char* from;
  std::size_t size;
};

/// Callers may name more bytes than they have: what can be read at all is read, in sanitized
/// builds, too.
__attribute__((no_sanitize("address"))) void copy_what_there_is(void* argument) {
  const auto& copy = *static_cast<BytesRead*>(argument);
  for (std::size_t i = 0; i < copy.size; ++i) copy.to[i] = copy.from[i];
}

}  // namespace

bool read_bytes(const void* from, std::size_t size, std::vector<char>& to) {
  if (size > largest_object) return false;
  to.resize(size);
  BytesRead copy{to.data(), static_cast<const volatile char*>(from), size};
  Fault fault;
  take_faults_first();
  prepare_for_faults();
  return run_guarded(fault, copy_what_there_is, &copy);
}

bool is_object(const void* image, std::optional<std::size_t> size) {
  if (size && *size < sizeof object_magic) return false;
  // Text may end before the size of the mark, and memory behind it.
  std::vector<char> byte;
  for (std::size_t i = 0; i < sizeof object_magic; ++i)
    if (!read_bytes(static_cast<const char*>(image) + i, 1, byte) || byte[0] != object_magic[i])
      return false;
  return true;
}

std::vector<char> link_inputs(std::span<const LinkInput> inputs, LoadFailure& failure) {
  const LinkObjects link = find_linker(failure);
  if (link == nullptr) return {};
  Linked linked;
  if (link(inputs.data(), inputs.size(), &linked, take_linked) != 0)
    failure = {CUDA_ERROR_INVALID_IMAGE, linked.log};
  return std::move(linked.image);
}

std::vector<char> link_object(const void* image, std::optional<std::size_t> size,
                              LoadFailure& failure) {
  std::vector<char> copied;
  if (!size) {
    copied = copy_object(image);
    image = copied.data();
    size = copied.size();
  }
  if (*size < sizeof(ObjectHeader)) {
    failure = {CUDA_ERROR_INVALID_IMAGE, "the object ends before its header says"};
    return {};
  }
  const LinkInput input{"object", image, *size};
  return link_inputs({&input, 1}, failure);
}

}  // namespace treadle::cuda_cpu
