// SPDX-License-Identifier: MIT
#include "treadle/kernel/search.hpp"

#include <memory>
#include <string>
#include <utility>

#include "plan_table.hpp"
#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect.hpp"
#include "treadle/codegen/search.hpp"
#include "treadle/kernel/elementwise_kernel.hpp"
#include "treadle/kernel/tiling.hpp"

namespace treadle::kernel {

/// Does not keep the device alive.
struct SearchPlan {
  std::unique_ptr<ElementwiseKernel> search;
};

namespace {

std::shared_ptr<const SearchPlan> make_search_plan(device::Device& device, Scalar dtype) {
  codegen::SearchText text =
      codegen::generate_search(dtype, codegen::dialect_of(device.info().language));
  auto plan = std::make_shared<SearchPlan>();
  plan->search = std::make_unique<ElementwiseKernel>(
      device.shared_from_this(), text.arguments, std::move(text.operation),
      ElementwiseOptions{.name = "search_" + DType(dtype).name(),
                         .preamble = std::move(text.preamble)});
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
