// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/kernel_names.hpp"
#include "cuda/reference_set.hpp"
#include "treadle/cuda/handle.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda {

void unload_module(const Context& context, RawModule raw) noexcept;
template <>
inline constexpr const char* handle_kind<unload_module> = "cuda module";

/// Whether the driver has judged the code itself, so that other code might be taken.
bool refuses_code(int code) noexcept;

/// A loaded module and what is known of the names in it.
class ModuleState : public std::enable_shared_from_this<ModuleState> {
 public:
  ModuleState(Context context, RawModule raw, std::span<const std::byte> code,
              const std::map<std::string, std::string>& lowered = {});
  /// A module that somebody else unloads; `owner` is kept as long as this.
  ModuleState(Context context, RawModule raw, KernelNames names, std::shared_ptr<const void> owner);
  ModuleState(const ModuleState&) = delete;
  ModuleState& operator=(const ModuleState&) = delete;
  ~ModuleState();

  Function function(std::string_view name) const;
  Global global(std::string_view name) const;
  std::vector<std::string> symbols() const;
  /// A kernel of this module that the driver has given.
  Function wrap(RawFunction raw, const std::string& symbol) const;
  const Context& context() const noexcept { return handle_.context(); }
  RawModule raw() const noexcept { return handle_.raw(); }
  ReferenceSet& references() const noexcept { return references_; }

 private:
  RawFunction find(const Table& cu, const std::string& symbol) const;

  mutable ReferenceSet references_;  // ends after the module: kernels read their objects
  Handle<RawModule, unload_module> handle_;
  std::vector<std::byte> code_;  // kept only where the driver does not tell parameters
  KernelNames names_;
  std::shared_ptr<const void> owner_;
};

}  // namespace treadle::cuda
