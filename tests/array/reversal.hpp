// SPDX-License-Identifier: MIT
// Computations that exist for tests alone: what a room attaches that computes something of its own.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "treadle/array/computation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {

/// Float32 in one axis, the other way round.
struct Reversal : Computation {
  mutable std::atomic<int> runs = 0, parts = 0;
  mutable std::atomic<bool> fails = false;

 protected:
  /// Throws if it is to fail, and counts.
  void begin(const ComputationLaunch& launch) const {
    if (fails) throw InvalidState("the reversal fails");
    ++runs;
    parts += static_cast<int>(launch.parts.size());
  }
};

/// From memory to memory: result 0 is the array, result 1, of shape (1), what was its last element.
struct PlainReversal final : Reversal {
  std::string_view name() const override { return "plain_reversal"; }
  kernel::KernelNote run(device::Stream& stream, const ComputationLaunch& launch) const override {
    begin(launch);
    codegen::ExpressionBuilder build;
    build.output(build.leaf(Scalar::float32));
    const codegen::Expression copy = build.build();
    const ArrayPlace x = launch.input(0);
    const std::int64_t back[] = {-x.strides[0]};
    const device::Location last =
        x.location + static_cast<std::uint64_t>((x.shape[0] - 1) * x.strides[0]);
    kernel::KernelNote note;
    for (unsigned k = 0; k < 2; ++k)
      if (const std::optional<ArrayPlace> z = launch.result(k)) {
        const kernel::ElementwiseArray arrays[] = {{z->location, z->strides}, {last, back}};
        note = kernel::launch_elementwise(stream, {copy, z->shape, arrays});
      }
    return note;
  }
};

/// One launch with all that is below and above it, of one result or more that are the same.
struct FusedReversal final : Reversal {
  std::string_view name() const override { return "fused_reversal"; }
  bool takes_prologue() const noexcept override { return true; }
  bool takes_epilogue() const noexcept override { return true; }
  DType input_dtype(const DType&) const override { return Scalar::float32; }

  kernel::KernelNote run(device::Stream& stream, const ComputationLaunch& launch) const override {
    begin(launch);
    return with_launch(launch, [&](const kernel::ElementwiseLaunch& all) {
      return kernel::launch_elementwise(stream, all);
    });
  }
  kernel::KernelNote described(device::Device& device,
                               const ComputationLaunch& launch) const override {
    return with_launch(launch, [&](const kernel::ElementwiseLaunch& all) {
      return kernel::prepare_elementwise(device, all)->note;
    });
  }

 private:
  /// The prologue's instructions, and then those of the epilogue, whose first leaves they are.
  static codegen::Expression joined(const codegen::Expression& below,
                                    const codegen::Expression& above, std::size_t parts) {
    codegen::Expression made = below;
    made.instructions.clear();
    std::vector<codegen::Value> moved;
    const auto add = [&](const codegen::Instruction& instruction) {
      made.instructions.push_back(instruction);
      return static_cast<codegen::Value>(made.instructions.size() - 1);
    };
    const auto scalars = static_cast<codegen::Value>(below.scalars.size() + above.scalars.size());
    for (codegen::Instruction instruction : below.instructions) {
      if (instruction.op == Op::iota) {  // counted from the other end
        const codegen::Value position = add(instruction);
        const codegen::Value last = add({Op::scalar, Scalar::int64, {scalars}});
        moved.push_back(add({Op::subtract, Scalar::int64, {last, position}}));
        continue;
      }
      if (instruction.op != Op::leaf && instruction.op != Op::scalar)
        for (unsigned i = 0; i < op_info(instruction.op).arity; ++i)
          instruction.operands[i] = moved[instruction.operands[i]];
      moved.push_back(add(instruction));
    }
    const std::vector<codegen::Value> prologue = std::move(moved);
    moved.clear();
    for (codegen::Instruction instruction : above.instructions) {
      if (instruction.op == Op::leaf && instruction.operands[0] < parts) {
        moved.push_back(prologue[below.outputs[instruction.operands[0]]]);
        continue;
      }
      if (instruction.op == Op::leaf)
        instruction.operands[0] =
            static_cast<codegen::Value>(instruction.operands[0] + below.leaves.size() - parts);
      else if (instruction.op == Op::scalar)
        instruction.operands[0] =
            static_cast<codegen::Value>(instruction.operands[0] + below.scalars.size());
      else
        for (unsigned i = 0; i < op_info(instruction.op).arity; ++i)
          instruction.operands[i] = moved[instruction.operands[i]];
      moved.push_back(add(instruction));
    }
    made.leaves.insert(made.leaves.end(), above.leaves.begin() + static_cast<std::ptrdiff_t>(parts),
                       above.leaves.end());
    made.scalars.insert(made.scalars.end(), above.scalars.begin(), above.scalars.end());
    if (below.uses_position()) made.scalars.push_back(Scalar::int64);
    made.outputs.clear();
    for (const codegen::Value value : above.outputs) made.outputs.push_back(moved[value]);
    return made;
  }
  template <class Use>
  static kernel::KernelNote with_launch(const ComputationLaunch& launch, Use use) {
    const kernel::ElementwiseLaunch &below = launch.inputs[0], &above = launch.epilogue;
    const codegen::Expression all = joined(below.expression, above.expression, launch.parts.size());
    const std::size_t outputs = above.expression.outputs.size();
    std::vector<std::int64_t> back;
    for (const kernel::ElementwiseArray& array : below.arrays) back.push_back(-array.strides[0]);
    std::vector<kernel::ElementwiseArray> arrays(
        above.arrays.begin(), above.arrays.begin() + static_cast<std::ptrdiff_t>(outputs));
    for (std::size_t k = 0; k < back.size(); ++k)
      arrays.push_back(
          {below.arrays[k].location + static_cast<std::uint64_t>((below.extents[0] - 1) * -back[k]),
           std::span(&back[k], 1)});
    arrays.insert(arrays.end(), above.arrays.begin() + static_cast<std::ptrdiff_t>(outputs),
                  above.arrays.end());
    std::vector<ElementBytes> scalars(below.scalars.begin(), below.scalars.end());
    scalars.insert(scalars.end(), above.scalars.begin(), above.scalars.end());
    if (below.expression.uses_position())
      scalars.push_back(Number(below.extents[0] - 1).as(Scalar::int64));
    return use(kernel::ElementwiseLaunch{all, above.extents, arrays, scalars});
  }
};

/// The array reversed, pending.
template <class Kind>
Array reversed(const std::shared_ptr<Kind>& reversal, const Array& x) {
  const ResultSpec result[] = {{Shape(x.shape().begin(), x.shape().end()), Scalar::float32}};
  return pending_results(reversal, std::span(&x, 1), result).front();
}

}  // namespace treadle::array
