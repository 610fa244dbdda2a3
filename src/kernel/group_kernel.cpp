// SPDX-License-Identifier: MIT
#include "treadle/kernel/group_kernel.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "several_launches.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/search.hpp"

namespace treadle::kernel {
namespace {

/// The C names of the three dtypes.
struct GroupNames {
  std::string key, value, start;
};

GroupNames group_names(const std::shared_ptr<device::Device>& device, const GroupDtypes& dtypes,
                       const RadixSortOptions& options) {
  const codegen::TypeNames types = type_names(device, options.types, "a GroupKernel");
  for (const auto& [what, dtype] : {std::pair("keys", dtypes.key), {"starts", dtypes.start}})
    if (!DType(dtype).is_integer())
      throw DTypeError(std::string("the ") + what + " of groups are of " + DType(dtype).name(),
                       "choose an integer");
  return {types.name_of(dtypes.key), types.name_of(dtypes.value), types.name_of(dtypes.start)};
}

RadixSortTexts sorting_by_key(const GroupNames& names) {
  return {.arguments = "const " + names.key + " *keys, const " + names.value + " *values",
          .key = "keys[i]",
          .sorted = {"keys", "values"}};
}

RadixSortOptions with_keys_of(Scalar key, RadixSortOptions options) {
  options.key_dtype = DType(key).size_bytes() <= 4 ? Scalar::uint32 : Scalar::uint64;
  return options;
}

ElementwiseKernel starts_of(const std::shared_ptr<device::Device>& device, const GroupNames& names,
                            const RadixSortOptions& options) {
  codegen::SearchText text = codegen::generate_search_of_numbers(
      names.start, names.key, codegen::dialect_of(device->info().language));
  return {device,
          text.arguments,
          std::move(text.operation),
          {.name = options.name + "_starts", .schedule = options.schedule}};
}

}  // namespace

GroupKernel::GroupKernel(std::shared_ptr<device::Device> device, const GroupDtypes& dtypes,
                         RadixSortOptions options)
    : key_(dtypes.key),
      start_(dtypes.start),
      sort_(device, sorting_by_key(group_names(device, dtypes, options)),
            with_keys_of(dtypes.key, options)),
      starts_(starts_of(device, group_names(device, dtypes, options), options)) {}

void GroupKernel::launch(device::Stream& stream, const Counts& counts, const Arrays& arrays,
                         const device::Order& order) {
  const DType start(start_);
  const auto start_bits =
      8 * start.size_bytes() - (start.kind() == ScalarKind::signed_integer ? 1 : 0);
  if (start_bits < 64 && counts.n >> start_bits != 0)
    throw InvalidArgument(
        "starts of " + start.name() + " cannot count " + std::to_string(counts.n) + " values",
        "let the starts be int64");
  const memory::Buffer sorted_keys = scratch_on(stream, counts.n * DType(key_).size_bytes());
  const UserArgument given[] = {arrays.keys, arrays.values};
  const UserArgument sorted[] = {sorted_keys, arrays.grouped};
  const std::uint64_t last = counts.groups == 0 ? 0 : counts.groups - 1;
  const unsigned bits = std::max(1u, static_cast<unsigned>(std::bit_width(last)));
  LaunchesInTurn launches(stream, order);
  launches.then([&](const device::Order& own) {
    sort_.launch(stream, counts.n, {given, sorted, bits}, own);
  });
  const auto n_keys = static_cast<std::int64_t>(counts.n);
  const UserArgument places[] = {arrays.starts, sorted_keys, n_keys};
  launches.then(
      [&](const device::Order& own) {
        starts_.launch_arguments(stream, counts.groups + 1, places, own);
      },
      LaunchesInTurn::Place::last);
}

}  // namespace treadle::kernel
