// SPDX-License-Identifier: MIT
#include "array/folding.hpp"

namespace treadle::array {
namespace {

codegen::ReductionExpression reduction_in(const ComputationLaunch& launch) {
  codegen::ReductionExpression made{
      launch.inputs.front().expression, {}, launch.epilogue.expression};
  for (const ComputationLaunch::Part& part : launch.parts)
    made.folds.push_back(static_cast<const Folding&>(*part.computation).fold);
  return made;
}

}  // namespace

bool Folding::goes_with(const Computation& other) const noexcept {
  const auto* folding = dynamic_cast<const Folding*>(&other);
  return folding != nullptr && axes == folding->axes && keeps_axes == folding->keeps_axes &&
         extents == folding->extents;
}

bool Folding::equals(const Computation& other) const noexcept {
  return goes_with(other) && fold == static_cast<const Folding&>(other).fold;
}

template <class Use>
auto Folding::with_launch(const ComputationLaunch& launch, Use use) const {
  const codegen::ReductionExpression expression = reduction_in(launch);
  const kernel::ElementwiseLaunch &map = launch.inputs.front(), &epilogue = launch.epilogue;
  std::vector<kernel::ElementwiseArray> arrays(map.arrays.begin(), map.arrays.end());
  arrays.reserve(map.arrays.size() + epilogue.arrays.size());
  std::vector<std::int64_t> strides;  // of the results, along the kept axes
  strides.reserve(epilogue.arrays.size() * epilogue.extents.size());
  for (const kernel::ElementwiseArray& array : epilogue.arrays) {
    const std::size_t first = strides.size();
    for (std::size_t axis = 0; axis < array.strides.size(); ++axis)
      if (!keeps_axes || !is_folded(axis)) strides.push_back(array.strides[axis]);
    arrays.push_back({array.location, std::span(strides).subspan(first)});
  }
  std::vector<std::size_t> folded;
  for (std::size_t axis = 0; axis < extents.size(); ++axis)
    if (is_folded(axis)) folded.push_back(axis);
  std::vector<ElementBytes> scalars(map.scalars.begin(), map.scalars.end());
  scalars.insert(scalars.end(), epilogue.scalars.begin(), epilogue.scalars.end());
  return use(kernel::ReductionLaunch{expression, extents, folded, arrays, scalars});
}

kernel::KernelNote Folding::run(device::Stream& stream, const ComputationLaunch& launch) const {
  return with_launch(launch, [&](const kernel::ReductionLaunch& reduction) {
    return kernel::launch_reduction(stream, reduction);
  });
}

kernel::KernelNote Folding::described(device::Device& device,
                                      const ComputationLaunch& launch) const {
  return with_launch(launch, [&](const kernel::ReductionLaunch& reduction) {
    const auto prepared = kernel::prepare_reduction(device, reduction);
    return prepared != nullptr ? prepared->note : kernel::KernelNote{};
  });
}

std::string Folding::title(const ComputationLaunch& launch) const {
  return codegen::kernel_name(reduction_in(launch));
}

}  // namespace treadle::array
