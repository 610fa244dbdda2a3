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
  ProgramState(Context context, Handle<RawProgram> handle, ProgramKind kind,
               std::shared_ptr<const ProgramText> text)
      : context_(std::move(context)),
        handle_(std::move(handle)),
        kind_(kind),
        text_(std::move(text)) {}
  const Context& context() const noexcept { return context_; }
  const Handle<RawProgram>& handle() const noexcept { return handle_; }
  ProgramKind kind() const noexcept { return kind_; }
  /// Null where the platform has it, or nobody.
  const std::shared_ptr<const ProgramText>& text() const noexcept { return text_; }

 private:
  Context context_;
  Handle<RawProgram> handle_;
  ProgramKind kind_;
  std::shared_ptr<const ProgramText> text_;
};

inline std::shared_ptr<const ProgramState> adopt(const Context& context, RawProgram raw,
                                                 ProgramKind kind,
                                                 std::shared_ptr<const ProgramText> text = {}) {
  return std::make_shared<const ProgramState>(
      context, Handle<RawProgram>(context.shared_table(), raw, Ownership::adopt), kind,
      std::move(text));
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
