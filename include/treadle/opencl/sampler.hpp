// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "treadle/opencl/kernel.hpp"

namespace treadle::opencl {

/// How a kernel reads an image between and beside its pixels, as an argument of type sampler_t.
/// Copies are the same sampler. Any thread.
class Sampler : public Queries<Sampler, SamplerInfo> {
 public:
  Sampler() = default;
  /// Coordinates are 0 to 1 where they are normalised, else pixels. Throws DeviceError
  /// CL_INVALID_VALUE, before the platform is asked, for modes that repeat the image without
  /// normalised coordinates; CL_INVALID_OPERATION where no device has images.
  Sampler(const Context& context, bool normalized_coords, AddressingMode addressing,
          FilterMode filter);
  /// `properties` are pairs of name and value as clCreateSamplerWithProperties takes them; the 0 at
  /// the end is added. Needs OpenCL 2.0.
  static Sampler with_properties(const Context& context, std::span<const std::uint64_t> properties);
  /// Wraps a sampler of another library.
  Sampler(std::shared_ptr<const Table> table, RawSampler raw, Ownership ownership);

  /// Throws DeviceError CL_INVALID_VALUE for parameters the platform does not know.
  InfoValue info(SamplerInfo parameter) const;

  /// Where it was made.
  RawContext context() const noexcept { return context_; }

  /// False where there is none: every question throws InvalidState then.
  explicit operator bool() const noexcept { return static_cast<bool>(handle_); }
  /// For calls of OpenCL itself, without a reference of its own. Throws InvalidState if empty.
  RawSampler raw() const { return handle_.raw(); }
  /// Where the raw value is kept, for an argument that is passed by address.
  const RawSampler* raw_address() const noexcept { return handle_.raw_address(); }
  /// The platform's entry points. Throws InvalidState if empty.
  const Table& table() const { return handle_.table(); }
  /// The same, to keep them.
  const std::shared_ptr<const Table>& shared_table() const { return handle_.shared_table(); }
  bool operator==(const Sampler& other) const noexcept { return handle_ == other.handle_; }

 private:
  Sampler(RawContext context, Handle<RawSampler> handle)
      : context_(context), handle_(std::move(handle)) {}

  RawContext context_ = nullptr;  // the sampler keeps it
  Handle<RawSampler> handle_;
};

/// The sampler. Throws InvalidState if it is empty.
template <>
struct KernelArgument<Sampler> {
  static ArgumentView of(const Sampler& sampler) {
    (void)sampler.raw();
    return {ArgumentView::Kind::sampler, sizeof(RawSampler), sampler.raw_address(),
            sampler.context()};
  }
};

}  // namespace treadle::opencl
