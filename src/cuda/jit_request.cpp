// SPDX-License-Identifier: MIT
#include "cuda/jit_request.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace treadle::cuda {
namespace {

std::string text_of(std::span<const char> buffer) {
  std::string all(buffer.data(), strnlen(buffer.data(), buffer.size()));
  return all.substr(0, all.find_last_not_of(" \n\r\t") + 1);
}

/// Options whose value is not a number: where the driver writes, or reads an array.
bool is_place(CUjit_option option) {
  return (option >= CU_JIT_WALL_TIME && option <= CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) ||
         option == CU_JIT_GLOBAL_SYMBOL_NAMES || option == CU_JIT_GLOBAL_SYMBOL_ADDRESSES;
}

/// The driver reads PTX up to a NUL. Binary images say their size themselves.
bool needs_terminator(std::span<const std::byte> code) {
  const auto is_text = [](std::byte byte) {
    const auto c = static_cast<unsigned char>(byte);
    return c == '\n' || c == '\t' || c == '\r' || (c >= 32 && c < 127);
  };
  return !code.empty() && is_text(code.back()) && is_text(code.front()) &&
         std::ranges::find(code, std::byte{0}) == code.end();
}

}  // namespace

JitRequest::JitRequest(std::span<const std::pair<JitOption, unsigned>> numbers) {
  add(CU_JIT_INFO_LOG_BUFFER, info_.data());
  add_number(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, info_.size());
  add(CU_JIT_ERROR_LOG_BUFFER, error_.data());
  add_number(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, error_.size());
  for (const auto& [option, number] : numbers) {
    const auto raw = static_cast<CUjit_option>(option);
    if (is_place(raw))
      throw InvalidArgument("options: JIT option " + std::to_string(static_cast<int>(raw)) +
                                " is a place to write to, and a number was expected",
                            "leave it out: logs are kept and handed out without being asked for");
    add_number(raw, number);
  }
}

JitLog JitRequest::log() const { return {text_of(info_), text_of(error_)}; }

void JitRequest::add(CUjit_option option, void* value) {
  options_.push_back(option);
  values_.push_back(value);
}

void JitRequest::add_number(CUjit_option option, std::size_t number) {
  add(option, reinterpret_cast<void*>(number));  // the driver takes numbers in the pointer itself
}

std::span<const std::byte> terminated(std::span<const std::byte> code,
                                      std::vector<std::byte>& copy) {
  if (!needs_terminator(code)) return code;
  copy.assign(code.begin(), code.end());
  copy.push_back(std::byte{0});
  return copy;
}

}  // namespace treadle::cuda
