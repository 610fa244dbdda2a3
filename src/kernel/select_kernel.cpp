// SPDX-License-Identifier: MIT
#include "treadle/kernel/select_kernel.hpp"

#include <array>
#include <limits>
#include <string>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::kernel {
namespace {

/// Outputs do not overlap the input, so is_apart is promised.
ScanOptions select_options(ScanOptions options) {
  options.is_apart = true;
  return options;
}

/// A selected element counts as 1, another as 0. The sum before an element is its place.
ScanTexts select_texts(const std::shared_ptr<device::Device>& device, Selection selection,
                       const SelectTexts& texts, Scalar count_dtype) {
  if (device == nullptr) throw InvalidArgument("a SelectKernel needs a device");
  if (count_dtype != Scalar::uint32 && count_dtype != Scalar::uint64)
    throw DTypeError("a selection is counted in " + DType(count_dtype).name(),
                     "choose uint32 or uint64");
  return codegen::scan_of(selection, texts, count_dtype,
                          codegen::dialect_of(device->info().language));
}

}  // namespace

SelectKernel::SelectKernel(std::shared_ptr<device::Device> device, Selection selection,
                           const SelectTexts& texts, ScanOptions options, Scalar count_dtype)
    : count_at_(selection == Selection::both ? 3 : 2),
      count_dtype_(count_dtype),
      scan_(device, count_dtype, select_texts(device, selection, texts, count_dtype),
            select_options(std::move(options))) {}

void SelectKernel::launch_arguments(device::Stream& stream, std::uint64_t n,
                                    std::span<const UserArgument> arguments,
                                    const device::Order& order) {
  if (count_dtype_ == Scalar::uint32 && n > std::numeric_limits<std::uint32_t>::max())
    throw InvalidArgument("a selection of " + std::to_string(n) + " elements counts them in uint32",
                          "make it with the count dtype uint64");
  const bool has_count =
      arguments.size() > count_at_ && arguments[count_at_].kind() == device::Argument::Kind::memory;
  if (n > 0 || !has_count) return scan_.launch_arguments(stream, n, arguments, order);
  constexpr std::array<std::byte, 8> zero{};
  stream.fill(arguments[count_at_].location(),
              std::span(zero).first(DType(count_dtype_).size_bytes()), 1, order);
}

}  // namespace treadle::kernel
