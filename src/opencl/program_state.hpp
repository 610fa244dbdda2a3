// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "treadle/opencl/program.hpp"
#include "treadle/opencl/table.hpp"

namespace treadle::opencl {

class ProgramState {
 public:
  ProgramState(Context context, Handle<RawProgram> handle, ProgramKind kind)
      : context_(std::move(context)), handle_(std::move(handle)), kind_(kind) {}
  const Context& context() const noexcept { return context_; }
  const Handle<RawProgram>& handle() const noexcept { return handle_; }
  ProgramKind kind() const noexcept { return kind_; }

 private:
  Context context_;
  Handle<RawProgram> handle_;
  ProgramKind kind_;
};

inline std::shared_ptr<const ProgramState> adopt(const Context& context, RawProgram raw,
                                                 ProgramKind kind) {
  return std::make_shared<const ProgramState>(
      context, Handle<RawProgram>(context.shared_table(), raw, Ownership::adopt), kind);
}

inline std::vector<RawDevice> raws_of(std::span<const Device> devices) {
  std::vector<RawDevice> raws;
  for (const Device& device : devices) raws.push_back(device.raw());
  return raws;
}

/// Null if empty: "all devices", in OpenCL's words.
inline const RawDevice* list_or_null(const std::vector<RawDevice>& raws) {
  return raws.empty() ? nullptr : raws.data();
}

}  // namespace treadle::opencl
