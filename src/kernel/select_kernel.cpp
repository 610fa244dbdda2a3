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

/// A chosen element counts as 1, another as 0. The sum of all before an element is its place.
ScanTexts select_texts(Selection selection, const SelectTexts& texts, const std::string& count) {
  const bool has_others = selection == Selection::both;
  const bool is_of_runs = selection == Selection::run_starts;
  ScanTexts made;
  made.arguments = "const " + texts.type + " *ary, " + texts.type + " *out, " +
                   (has_others ? texts.type + " *others, " : "") + count + " *count" +
                   (texts.arguments.empty() ? "" : ", ") + texts.arguments;
  // The text may end in a comment. Inputs have no branches, so that what the text uses is certain.
  const std::string holds = "(\n" + texts.predicate + "\n)";
  if (is_of_runs) {
    made.fetches = {{"a", "ary", -1}, {"b", "ary", 0}};
    made.input = "!" + holds + " | (i == 0)";
  } else {
    made.input = (selection == Selection::others ? "!" : "!!") + holds;
  }
  made.one_for_one = {"ary", "out", "others"};
  made.scan = "a + b";
  made.neutral = "0";
  if (has_others) {
    made.output =
        "if (item != prev_item) out[prev_item] = ary[i];\nelse others[i - prev_item] = ary[i];\n"
        "if (i == N - 1) *count = item";
  } else {
    made.compactions = {{"out", "ary[i]"}};
    made.total = "count";
  }
  return made;
}

/// Outputs are no memory of the input's.
ScanOptions select_options(ScanOptions options) {
  options.is_apart = true;
  return options;
}

std::string count_type(const std::shared_ptr<device::Device>& device, Scalar dtype) {
  if (device == nullptr) throw InvalidArgument("a SelectKernel needs a device");
  if (dtype != Scalar::uint32 && dtype != Scalar::uint64)
    throw DTypeError("a selection is counted in " + DType(dtype).name(), "choose uint32 or uint64");
  return codegen::TypeNames(codegen::dialect_of(device->info().language)).name_of(dtype);
}

}  // namespace

SelectKernel::SelectKernel(std::shared_ptr<device::Device> device, Selection selection,
                           const SelectTexts& texts, ScanOptions options, Scalar count_dtype)
    : count_at_(selection == Selection::both ? 3 : 2),
      count_dtype_(count_dtype),
      scan_(device, count_dtype, select_texts(selection, texts, count_type(device, count_dtype)),
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
