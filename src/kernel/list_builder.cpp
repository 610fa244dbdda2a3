// SPDX-License-Identifier: MIT
#include "treadle/kernel/list_builder.hpp"

#include <algorithm>

#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::kernel {
namespace {

/// Refuses lists for which no text can be generated, and returns the lists otherwise.
std::vector<BuiltList> checked(std::vector<BuiltList> lists,
                               const std::shared_ptr<device::Device>& device, Scalar index_dtype) {
  if (device == nullptr) throw InvalidArgument("a ListBuilder needs a device");
  if (index_dtype != Scalar::int32 && index_dtype != Scalar::int64)
    throw DTypeError("lists are counted in " + DType(index_dtype).name(), "choose int32 or int64");
  for (const BuiltList& list : lists) {
    if (std::ranges::count(lists, list.name, &BuiltList::name) > 1)
      throw InvalidArgument("two lists are called " + list.name, "give each a name of its own");
    if (list.mother.empty()) continue;
    const auto mother = std::ranges::find(lists, list.mother, &BuiltList::name);
    if (mother == lists.end() || !mother->mother.empty())
      throw InvalidArgument("list " + list.name + " is to share the counts of " + list.mother +
                                ", which is no list with counts of its own",
                            "name one that has");
  }
  return lists;
}

const codegen::Dialect& dialect_of(const device::Device& device) {
  return codegen::dialect_of(device.info().language);
}
std::string index_type(const device::Device& device, Scalar dtype) {
  return codegen::TypeNames(dialect_of(device)).name_of(dtype);
}

ElementwiseKernel stage_kernel(const std::shared_ptr<device::Device>& device,
                               const std::vector<BuiltList>& lists, const ListBuilderTexts& texts,
                               ElementwiseOptions options, codegen::ListStage stage,
                               Scalar index_dtype) {
  codegen::TypeNames types(dialect_of(*device));
  for (const auto& [name, dtype] : options.types) types.add(name, dtype);
  codegen::ListText made = codegen::generate_list_stage(
      lists, texts, stage, types.name_of(index_dtype), dialect_of(*device), types);
  options.name += stage == codegen::ListStage::count ? "_count" : "_write";
  options.preamble.append(1, '\n').append(made.preamble);
  return {device, made.arguments, std::move(made.operation), std::move(options)};
}

}  // namespace

ListBuilder::ListBuilder(std::shared_ptr<device::Device> device, std::vector<BuiltList> lists,
                         const ListBuilderTexts& texts, const ElementwiseOptions& options,
                         Scalar index_dtype)
    : device_(std::move(device)),
      lists_(checked(std::move(lists), device_, index_dtype)),
      count_(stage_kernel(device_, lists_, texts, options, codegen::ListStage::count, index_dtype)),
      write_(stage_kernel(device_, lists_, texts, options, codegen::ListStage::write, index_dtype)),
      add_up_(device_, index_dtype,
              codegen::scan_of_counts(index_type(*device_, index_dtype), dialect_of(*device_)),
              {.name = options.name + "_starts",
               .index_dtype = index_dtype,
               .schedule = options.schedule}),
      compress_(device_, index_dtype,
                codegen::scan_of_lists(index_type(*device_, index_dtype), dialect_of(*device_)),
                {.name = options.name + "_compress",
                 .index_dtype = index_dtype,
                 .schedule = options.schedule}) {}

std::vector<std::string> ListBuilder::counted() const {
  std::vector<std::string> names;
  for (const BuiltList& list : lists_)
    if (codegen::has_counts(lists_, list)) names.push_back(list.name);
  return names;
}
std::vector<std::string> ListBuilder::written() const {
  std::vector<std::string> names;
  for (const BuiltList& list : lists_)
    if (!list.is_left_out) names.push_back(list.name);
  return names;
}

void ListBuilder::count(device::Stream& stream, std::uint64_t n,
                        std::span<const UserArgument> counts,
                        std::span<const UserArgument> arguments, const device::Order& order) {
  std::vector<UserArgument> all(counts.begin(), counts.end());
  all.insert(all.end(), arguments.begin(), arguments.end());
  count_.launch_arguments(stream, n, all, order);
}

void ListBuilder::write(device::Stream& stream, std::uint64_t n,
                        std::span<const UserArgument> starts,
                        std::span<const UserArgument> elements,
                        std::span<const UserArgument> arguments, const device::Order& order) {
  std::vector<UserArgument> all(starts.begin(), starts.end());
  all.insert(all.end(), elements.begin(), elements.end());
  all.insert(all.end(), arguments.begin(), arguments.end());
  write_.launch_arguments(stream, n, all, order);
}

void ListBuilder::add_up(device::Stream& stream, std::uint64_t n, const UserArgument& counts,
                         const UserArgument& starts, const device::Order& order) {
  const UserArgument all[] = {counts, starts};
  add_up_.launch_arguments(stream, n, all, order);
}

void ListBuilder::compress(device::Stream& stream, std::uint64_t n, const UserArgument& starts,
                           const Compressed& compressed, const device::Order& order) {
  const UserArgument all[] = {starts, compressed.starts, compressed.objects, compressed.places};
  compress_.launch_arguments(stream, n, all, order);
}

}  // namespace treadle::kernel
