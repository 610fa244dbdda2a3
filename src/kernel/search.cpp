// SPDX-License-Identifier: MIT
// Each work-item halves the sorted elements until one place is left. Keys are compared
// (ordered_key.hpp); of complex numbers three, of which the first says what is NaN.
#include "treadle/kernel/search.hpp"

#include <memory>
#include <string>

#include "ordered_key.hpp"
#include "plan_table.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/kernel/elementwise_kernel.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// A search that does not keep the device alive.
struct SearchPlan {
  std::unique_ptr<ElementwiseKernel> search;
};

namespace {

constexpr const char* real_search = R"(const treadle_key wanted_key = treadle_ordered(wanted[i]);
long low = 0, high = length;
while (low < high) {
  const long middle = low + (high - low) / 2;
  const treadle_key key = treadle_ordered(sorted[middle]);
  if (key < wanted_key || (behind != 0 && key == wanted_key)) low = middle + 1; else high = middle;
}
places[i] = low;)";

constexpr const char* complex_search =
    R"(const treadle_key real = treadle_ordered(wanted[2 * i]);
const treadle_key imaginary = treadle_ordered(wanted[2 * i + 1]);
const uint nans = treadle_nans(real, imaginary);
long low = 0, high = length;
while (low < high) {
  const long middle = low + (high - low) / 2;
  const treadle_key r = treadle_ordered(sorted[2 * middle]);
  const treadle_key m = treadle_ordered(sorted[2 * middle + 1]);
  const uint n = treadle_nans(r, m);
  const int is_equal = n == nans && r == real && m == imaginary;
  const int is_less = n != nans ? n < nans : r != real ? r < real : m < imaginary;
  if (is_less || (behind != 0 && is_equal)) low = middle + 1; else high = middle;
}
places[i] = low;)";

std::shared_ptr<const SearchPlan> make_search_plan(device::Device& device, Scalar dtype) {
  const codegen::Dialect& dialect = codegen::dialect_of(device.info().language);
  const codegen::TypeNames types(dialect);
  const bool is_complex = DType(dtype).kind() == ScalarKind::complex;
  const Scalar part = dtype == Scalar::complex64    ? Scalar::float32
                      : dtype == Scalar::complex128 ? Scalar::float64
                                                    : dtype;
  const std::string element = types.name_of(unsigned_of(DType(part).size_bytes()));
  const std::string key = types.name_of(element_bits(part) == 64 ? Scalar::uint64 : Scalar::uint32);
  std::string preamble =
      "typedef " + key + " treadle_key;\n" + key_function(part, dialect, "treadle_key");
  if (is_complex)  // the key of NaN is the largest that there is
    preamble += dialect.always_inline +
                " uint treadle_nans(treadle_key r, treadle_key m)\n{\n  const treadle_key nan = "
                "~(treadle_key)0;\n  return (r == nan ? 2u : 0u) + (m == nan ? 1u : 0u);\n}\n";
  auto plan = std::make_shared<SearchPlan>();
  plan->search = std::make_unique<ElementwiseKernel>(
      device.shared_from_this(),
      "const " + element + " *sorted, const " + element +
          " *wanted, long *places, long length, uint behind",
      is_complex ? complex_search : real_search,
      ElementwiseOptions{.name = "search_" + DType(dtype).name(), .preamble = preamble});
  plan->search->let_go_of_device();
  return plan;
}

}  // namespace

void launch_search(device::Stream& stream, const Search& search, const SearchArguments& arguments,
                   const device::Order& order) {
  if (search.dtype == Scalar::structure)
    throw DTypeError("a search of records", "search one of their fields");
  device::Device& device = stream.device();
  std::string key{static_cast<char>(search.dtype)};
  append_key(key, tiling_of(device));
  const SearchPlan& plan =
      plans<SearchPlan>(device).find(key, [&] { return make_search_plan(device, search.dtype); });
  const auto length = static_cast<std::int64_t>(search.length);
  const std::uint32_t behind = search.is_behind_equal ? 1 : 0;
  const UserArgument all[] = {arguments.sorted, arguments.wanted, arguments.places, length, behind};
  plan.search->launch_arguments(stream, search.wanted, all, order);
}

}  // namespace treadle::kernel
