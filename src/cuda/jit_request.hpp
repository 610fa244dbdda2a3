// SPDX-License-Identifier: MIT
// What the loader and the linker of the driver are given: options with room for their logs, and
// code that ends where they look for its end.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "treadle/cuda/module.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {

/// Options for the driver. It writes the logs into this object, which must outlive its use.
class JitRequest {
 public:
  /// Throws InvalidArgument for options that are places to write to: the logs are kept here.
  explicit JitRequest(std::span<const std::pair<JitOption, unsigned>> numbers);
  JitRequest(const JitRequest&) = delete;
  JitRequest& operator=(const JitRequest&) = delete;

  unsigned count() const noexcept { return static_cast<unsigned>(options_.size()); }
  CUjit_option* options() noexcept { return options_.data(); }
  void** values() noexcept { return values_.data(); }
  JitLog log() const;

 private:
  using Buffer = std::array<char, 32 * 1024>;
  void add(CUjit_option option, void* value);
  void add_number(CUjit_option option, std::size_t number);

  Buffer info_{}, error_{};
  std::vector<CUjit_option> options_;
  std::vector<void*> values_;
};

/// `code`, or where it is PTX without a NUL at its end a copy with one, kept in `copy`.
std::span<const std::byte> terminated(std::span<const std::byte> code,
                                      std::vector<std::byte>& copy);

}  // namespace treadle::cuda
