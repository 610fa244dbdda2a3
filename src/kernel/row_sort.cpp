// SPDX-License-Identifier: MIT
// Elements are moved unchanged; the key of an element is computed whenever it is needed
// (ordered_key.hpp).
//
// Processors sort row by row if all rows are short or there are at least as many rows as
// processors. Groups whose sub-groups have votes sort a row each, if a row fits
// (codegen/row_sort.hpp). Otherwise several rows are sorted together, with the row's number in the
// high bits of the key. If row number and key need more than 64 bits, all elements are sorted by
// key first, and then by row in a second, stable sort.
#include "treadle/kernel/row_sort.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "declared_kernel.hpp"
#include "plan_table.hpp"
#include "several_launches.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/ordered_key.hpp"
#include "treadle/codegen/row_sort.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/kernel/radix_sort_kernel.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// Does not keep the device alive.
struct RowSortPlan {
  std::unique_ptr<RadixSortKernel> sort;
};

/// Kernels that sort row by row; they do not keep the device alive.
struct SingleRowsPlan {
  DeclaredKernel kernel;
  unsigned group_size;
};

namespace {

/// The choices that decide the text of a sort.
struct RowSortForm {
  Scalar dtype;
  bool has_places, has_rows, is_long;  ///< is_long: places and indices have 64 bits
};

/// The C texts for keys.
struct KeyTexts {
  const codegen::Dialect& dialect;
  codegen::TypeNames types;
  Scalar dtype;
  std::string element, place, key;

  KeyTexts(device::Device& device, const RowSortForm& form, bool is_wide)
      : dialect(codegen::dialect_of(device.info().language)),
        types(dialect),
        dtype(is_wide || codegen::element_bits(form.dtype) == 64 ? Scalar::uint64 : Scalar::uint32),
        element(types.name_of(codegen::unsigned_of(DType(form.dtype).size_bytes()))),
        place(types.name_of(form.is_long ? Scalar::uint64 : Scalar::uint32)),
        key(types.name_of(dtype)) {}
};

std::shared_ptr<const RowSortPlan> make_row_sort_plan(device::Device& device,
                                                      const RowSortForm& form,
                                                      const RowSort& sort) {
  const KeyTexts names(device, form, form.has_rows);
  const auto& [dialect, types, key_dtype, element, place, key] = names;
  RadixSortTexts texts{.arguments = "const " + element + " *elements",
                       .key = "treadle_ordered(elements[i]) ^ flip",
                       .sorted = {"elements"}};
  if (form.has_places) {
    texts.arguments += ", const " + place + " *places";
    texts.sorted.push_back("places");
  }
  texts.arguments += ", " + key + " flip";
  if (form.has_rows) {
    const unsigned bits = codegen::element_bits(form.dtype);
    const std::string row = "(" + key + ")(places[i] / length)";
    texts.arguments += ", " + place + " length" + (bits == 64 ? ", uint by_rows" : "");
    texts.key = bits == 64 ? "by_rows ? " + row + " : " + texts.key
                           : "(" + texts.key + ") | " + row + " << " + std::to_string(bits);
  }
  auto plan = std::make_shared<RowSortPlan>();
  plan->sort = std::make_unique<RadixSortKernel>(
      device.shared_from_this(), std::move(texts),
      RadixSortOptions{.name = "sort_" + DType(form.dtype).name() +
                               (form.has_places ? "_places" : "") + (form.has_rows ? "_rows" : ""),
                       .preamble = codegen::key_function(form.dtype, dialect, key),
                       .key_dtype = key_dtype,
                       .index_dtype = form.is_long ? Scalar::int64 : Scalar::int32,
                       .schedule = sort.schedule});
  plan->sort->let_go_of_device();
  return plan;
}

/// Makes a kernel that sorts row by row, on either schedule. `items` is 0 if one work-item sorts a
/// row.
std::shared_ptr<const SingleRowsPlan> make_single_rows_plan(device::Device& device,
                                                            const RowSortForm& form,
                                                            unsigned items) {
  const KeyTexts texts(device, form, false);
  const auto pointers = [&](const std::string& type, std::string_view from, std::string_view to,
                            std::string_view between) {
    std::string all = "const " + type + " *" + std::string(from) + ", " + type + " *";
    all += to;
    if (items == 0) (all += ", " + type + " *") += between;
    return all + ", ";
  };
  std::string declared = pointers(texts.element, "elements", "sorted", "scratch");
  if (form.has_places)
    declared += pointers(texts.place, "places", "sorted_places", "scratch_places");
  declared += items == 0 ? "long rows, long length, long together, " : "long length, ";
  declared += texts.key + " flip";
  const codegen::RowSortSnippet snippet{
      .parameters = declared_parameters(declared, texts.types, device),
      .key_dtype = texts.dtype,
      .key_bits = form.dtype == Scalar::boolean ? 1 : codegen::element_bits(form.dtype),
      .has_places = form.has_places,
      .is_long = form.is_long,
      .items = items,
      .name = "sort_rows_" + DType(form.dtype).name() + (form.has_places ? "_places" : ""),
      .preamble = codegen::key_function(form.dtype, texts.dialect, texts.key)};
  const codegen::Tiling& tiling = tiling_of(device, items == 0 ? Schedule::narrow : Schedule::wide);
  const codegen::RowSortText made =
      codegen::generate_row_sort(snippet, tiling, texts.dialect, texts.types);
  const Program program(device.shared_from_this(), made.text, {.source_name = snippet.name});
  return std::make_shared<SingleRowsPlan>(
      SingleRowsPlan{{program, snippet.name, snippet.parameters}, made.group_size});
}

const SingleRowsPlan& single_rows_plan(device::Device& device, const RowSortForm& form,
                                       unsigned items) {
  std::string key{static_cast<char>(form.dtype), static_cast<char>(form.has_places),
                  static_cast<char>(form.is_long), static_cast<char>(items)};
  append_key(key, tiling_of(device, items == 0 ? Schedule::narrow : Schedule::wide));
  return plans<SingleRowsPlan>(device).find(
      key, [&] { return make_single_rows_plan(device, form, items); });
}

bool has_rows_of_int32(const RowSort& sort) {
  return sort.rows != 0 && sort.length != 0 &&
         sort.length <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
}

/// Whether one work-item sorts each row.
bool are_single_rows(device::Device& device, const RowSort& sort) {
  const codegen::Tiling& tiling = tiling_of(device, sort.schedule);
  return tiling.schedule == Schedule::narrow && has_rows_of_int32(sort) &&
         (sort.length <= tiling.lone_sort || sort.rows >= device.info().performance.compute_units);
}

/// Elements of each work-item if one group sorts each row; 0: a group cannot sort a row.
unsigned items_of_group(device::Device& device, const RowSort& sort, bool has_places) {
  if (!has_rows_of_int32(sort) || sort.rows > std::numeric_limits<std::int32_t>::max()) return 0;
  const codegen::Tiling& tiling = tiling_of(device, sort.schedule);
  if (!has_room_to_sweep(device.info().limits, tiling, tiling.row_warps)) return 0;
  const std::size_t place = has_places ? DType(place_dtype(sort)).size_bytes() : 1;
  return codegen::row_items(sort.length, std::max(DType(sort.dtype).size_bytes(), place), tiling,
                            codegen::dialect_of(device.info().language));
}

std::uint64_t flip_of(const RowSort& sort) {
  return sort.is_descending ? codegen::all_key_bits(sort.dtype) : 0;
}

void sort_single_rows(device::Stream& stream, const RowSort& sort, const RowSortForm& form,
                      const RowSortArguments& arguments, const device::Order& order) {
  device::Device& device = stream.device();
  const codegen::Tiling& tiling = tiling_of(device, Schedule::narrow);
  const SingleRowsPlan& plan = single_rows_plan(device, form, 0);
  // As many groups as other sorts have intervals, so that the scratch memory stays in the cache.
  const std::uint64_t most =
      std::max(device.info().performance.compute_units, 1u) * tiling.intervals_per_unit;
  const std::uint64_t together =
      std::max((sort.rows + most - 1) / most, tiling.least_interval / sort.length + 1);
  const std::uint64_t groups = (sort.rows + together - 1) / together;
  const std::uint64_t n = sort.length <= tiling.ranked_row ? 1 : groups * sort.length;
  const memory::Buffer scratch = scratch_on(stream, n * DType(sort.dtype).size_bytes());
  std::optional<memory::Buffer> scratch_places;
  std::vector<UserArgument> given{arguments.elements, arguments.sorted, scratch};
  if (form.has_places) {
    scratch_places = scratch_on(stream, n * DType(place_dtype(sort)).size_bytes());
    given.emplace_back(*arguments.places);
    given.emplace_back(*arguments.sorted_places);
    given.emplace_back(*scratch_places);
  }
  const std::uint64_t flip = flip_of(sort);
  for (const std::uint64_t* number : {&sort.rows, &sort.length, &together, &flip})
    given.emplace_back(*number);
  plan.kernel.launch(stream, given, groups, 1, order);
}

void sort_by_groups(device::Stream& stream, const RowSort& sort, const RowSortForm& form,
                    unsigned items, const RowSortArguments& arguments, const device::Order& order) {
  const SingleRowsPlan& plan = single_rows_plan(stream.device(), form, items);
  std::vector<UserArgument> given{arguments.elements, arguments.sorted};
  if (form.has_places) {
    given.emplace_back(*arguments.places);
    given.emplace_back(*arguments.sorted_places);
  }
  const std::uint64_t flip = flip_of(sort);
  given.emplace_back(sort.length);
  given.emplace_back(flip);
  plan.kernel.launch(stream, given, sort.rows, plan.group_size, order);
}

void require_row_sort(device::Device& device, const RowSort& sort,
                      const RowSortArguments& arguments) {
  const DType dtype(sort.dtype);
  if (dtype.kind() == ScalarKind::complex || sort.dtype == Scalar::structure)
    throw DTypeError("a sort of rows of " + dtype.name(), "sort by each of its parts");
  if (arguments.places.has_value() != arguments.sorted_places.has_value() ||
      (needs_places(device, sort) && !arguments.places))
    throw InvalidArgument("a sort of " + std::to_string(sort.rows) + " rows without places",
                          "pass places and where they go");
}

}  // namespace

bool needs_places(device::Device& device, const RowSort& sort) {
  return sort.rows > 1 && !are_single_rows(device, sort) &&
         items_of_group(device, sort, false) == 0;
}

Scalar place_dtype(const RowSort& sort) {
  return sort.rows * sort.length <= std::numeric_limits<std::int32_t>::max() ? Scalar::uint32
                                                                             : Scalar::uint64;
}

void launch_row_sort(device::Stream& stream, const RowSort& sort, const RowSortArguments& arguments,
                     const device::Order& order) {
  device::Device& device = stream.device();
  require_row_sort(device, sort, arguments);
  const RowSortForm form{sort.dtype, arguments.places.has_value(), sort.rows > 1,
                         place_dtype(sort) == Scalar::uint64};
  if (are_single_rows(device, sort)) return sort_single_rows(stream, sort, form, arguments, order);
  if (const unsigned items = items_of_group(device, sort, form.has_places); items > 0)
    return sort_by_groups(stream, sort, form, items, arguments, order);
  std::string key{static_cast<char>(form.dtype), static_cast<char>(form.has_places),
                  static_cast<char>(form.has_rows), static_cast<char>(form.is_long)};
  append_key(key, tiling_of(device, sort.schedule));
  RadixSortKernel& radix = *plans<RowSortPlan>(device)
                                .find(key, [&] { return make_row_sort_plan(device, form, sort); })
                                .sort;
  const std::uint64_t n = sort.rows * sort.length;
  const unsigned bits = codegen::element_bits(sort.dtype);
  const unsigned row_bits =
      form.has_rows ? static_cast<unsigned>(std::bit_width(sort.rows - 1)) : 0;
  // Keys of bool differ in one bit.
  const unsigned key_bits = sort.dtype == Scalar::boolean && row_bits == 0 ? 1 : bits;
  const std::uint64_t flip = flip_of(sort);
  const auto launch = [&](const device::Argument& from, const device::Argument* from_places,
                          const device::Argument& to, const device::Argument* to_places,
                          std::uint32_t by_rows, unsigned sorted_bits, const device::Order& own) {
    std::vector<UserArgument> given{from}, sorted{to};
    if (from_places != nullptr) {
      given.push_back(*from_places);
      sorted.push_back(*to_places);
    }
    given.emplace_back(flip);
    if (form.has_rows) given.emplace_back(sort.length);
    if (form.has_rows && bits == 64) given.emplace_back(by_rows);
    radix.launch(stream, n, {given, sorted, sorted_bits}, own);
  };
  const device::Argument* const places = arguments.places ? &*arguments.places : nullptr;
  const device::Argument* const into = arguments.places ? &*arguments.sorted_places : nullptr;
  if (!form.has_rows || bits < 64)
    return launch(arguments.elements, places, arguments.sorted, into, 0, key_bits + row_bits,
                  order);
  const memory::Buffer between = scratch_on(stream, n * DType(sort.dtype).size_bytes());
  const memory::Buffer between_places =
      scratch_on(stream, n * DType(place_dtype(sort)).size_bytes());
  const device::Argument half(between), half_places(between_places);
  LaunchesInTurn launches(stream, order);
  launches.then([&](const device::Order& own) {
    launch(arguments.elements, places, half, &half_places, 0, bits, own);
  });
  launches.then(
      [&](const device::Order& own) {
        launch(half, &half_places, arguments.sorted, into, 1, row_bits, own);
      },
      LaunchesInTurn::Place::last);
}

}  // namespace treadle::kernel
