// SPDX-License-Identifier: MIT
// From any layout to what VkFFT transforms: dense arrays of up to four axes and batches, the halved
// axis innermost.
//
//   rfft of (5, 8, 6) along axis 1    elements (5, 6, 8) dense   copied from strides (48, 1, 6)
//                                     VkFFT: extents 8, batches 30 -> (5, 6, 5)
//                                     (5, 5, 6) dense            copied to strides (30, 1, 6)
//
//   fft of (4, 5, 6, 7) along axis 2  VkFFT: extents 7 (left out), 6, batches 20
#include "fft/generated.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fft/cufft_plan.hpp"
#include "fft/plans.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/codegen/expression.hpp"
#include "treadle/device/device.hpp"
#include "treadle/kernel/elementwise.hpp"
#include "treadle/memory/device_pool.hpp"

namespace treadle::fft {
namespace {

using Extents64 = std::vector<std::int64_t>;

/// Whether an address is one of complex numbers: cuFFT reads real elements in pairs.
bool is_at_pair(const device::Location& place, Scalar complex) {
  return (place.handle + place.offset) % DType(complex).size_bytes() == 0;
}

/// One transform on its way: a stream, and memory for as long as it is queued.
class Passes {
 public:
  /// `trial`: generated kernels alone, of plans that are dropped with it.
  Passes(device::Stream& stream, bool is_double, Plans* trial = nullptr)
      : stream_(stream),
        trial_(trial),
        part_(is_double ? Scalar::float64 : Scalar::float32),
        complex_(is_double ? Scalar::complex128 : Scalar::complex64) {}

  device::Location scratch(const Extents64& shape, Scalar dtype) {
    ++passes_;
    const std::size_t bytes =
        DType(dtype).size_bytes() * static_cast<std::size_t>(element_count(shape));
    memory_.push_back(
        memory::pool_of(stream_.device()).allocate(bytes, stream_.shared_from_this()));
    return memory_.back().block().location();
  }
  static Extents64 dense_strides(const Extents64& shape, Scalar dtype) {
    Extents64 strides(shape.size());
    auto next = static_cast<std::int64_t>(DType(dtype).size_bytes());
    for (std::size_t axis = shape.size(); axis-- > 0; next *= shape[axis]) strides[axis] = next;
    return strides;
  }

  /// z = op(x), element by element; `op` none: a copy, or a cast.
  void each(const Extents64& shape, const kernel::ElementwiseArray& to, Scalar to_dtype,
            const kernel::ElementwiseArray& from, Scalar from_dtype, std::optional<Op> op = {}) {
    ++passes_;
    codegen::ExpressionBuilder build;
    codegen::Value value = build.leaf(from_dtype);
    if (op) value = build.step(*op, *op == Op::real ? part_ : from_dtype, {value});
    build.output(build.cast(value, to_dtype));
    const kernel::ElementwiseArray arrays[] = {to, from};
    kernel::launch_elementwise(stream_, {build.build(), shape, arrays});
  }
  /// Multiplies `count` real numbers that lie dense.
  void scale(device::Location place, std::int64_t count, double factor) {
    codegen::ExpressionBuilder build;
    const codegen::Value x = build.leaf(part_, 0);
    build.output(build.step(Op::multiply, part_, {x, build.scalar(part_)}));
    const std::int64_t stride[] = {part_ == Scalar::float64 ? 8 : 4}, extent[] = {count};
    const kernel::ElementwiseArray arrays[] = {{place, stride}};
    const ElementBytes scalars[] = {Number(factor).as(part_)};
    kernel::launch_elementwise(stream_, {build.build(), extent, arrays, scalars});
  }

  /// Transforms dense arrays of this shape (the real one), along axes marked in `along`.
  void transform(TransformKind kind, bool is_forward, const Extents64& shape,
                 const std::vector<bool>& along, device::Location from, device::Location to) {
    const PlanShape plan = plan_shape(kind, is_forward, shape, along, from == to);
    if (transform_by_cufft(plan, from, to)) return;
    note_pass(plans().generated(stream_, plan), from, to);
    last_.plan->run(stream_, {from, to});
  }
  /// Rows that one kernel transforms backward, so that the input stays as it is.
  static constexpr std::int64_t kept_row_bytes = 16 << 10;
  /// A complex transform, in as many plans as it takes: VkFFT leaves its input as it is where it
  /// transforms the innermost axis alone.
  void transform_complex(bool is_forward, const Extents64& shape, std::vector<bool> along,
                         device::Location from, device::Location to) {
    if (transform_by_cufft(plan_shape(TransformKind::complex, is_forward, shape, along, from == to),
                           from, to))
      return;
    if (!(from == to)) {
      std::size_t innermost = shape.size() - 1;
      while (innermost > 0 && shape[innermost] == 1) --innermost;
      const std::int64_t row_bytes = shape[innermost] * (complex_ == Scalar::complex128 ? 16 : 8);
      if (along[innermost] && (is_forward || row_bytes <= kept_row_bytes)) {
        std::vector<bool> alone(shape.size());
        alone[innermost] = true;
        transform(TransformKind::complex, is_forward, shape, alone, from, to);
        along[innermost] = false;
      } else {
        const Extents64 strides = dense_strides(shape, complex_);
        each(shape, {to, strides}, complex_, {from, strides}, complex_);
      }
    }
    if (std::ranges::find(along, true) == along.end()) return;
    if (collapsed(shape, along).rank <= PlanShape::max_rank)
      return transform(TransformKind::complex, is_forward, shape, along, to, to);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (!along[axis]) continue;
      std::vector<bool> alone(shape.size());
      alone[axis] = true;
      transform(TransformKind::complex, is_forward, shape, alone, to, to);
    }
  }
  /// Makes elements of a dense half spectrum real that symmetry makes real: element 0 of each row
  /// and, of an even length, the last one.
  void make_ends_real(const Extents64& shape, std::int64_t length, device::Location place) {
    ++passes_;
    const std::int64_t rows = element_count(shape) / shape.back();
    const std::int64_t element = complex_ == Scalar::complex128 ? 16 : 8;
    const std::int64_t extents[] = {rows, length % 2 == 0 ? 2 : 1};
    const std::int64_t strides[] = {shape.back() * element, (shape.back() - 1) * element};
    codegen::ExpressionBuilder build;
    const codegen::Value real = build.step(Op::real, part_, {build.leaf(complex_, 0)});
    build.output(build.cast(real, complex_));
    const kernel::ElementwiseArray arrays[] = {{place, strides}};
    kernel::launch_elementwise(stream_, {build.build(), extents, arrays});
  }
  /// Which engine transformed last, where there are two.
  const kernel::KernelNote& note() const { return last_.note; }
  /// The plan, if nothing else was queued, between these places, and no other would be taken later.
  Way only_plan(const device::Location& from, const device::Location& to) const {
    return is_final_ && passes_ == 1 && from_ == from && to_ == to ? last_ : Way();
  }
  Scalar part() const { return part_; }
  Scalar complex() const { return complex_; }

 private:
  /// Neighbouring axes that are not transformed become one, the outermost ones batches. A rank
  /// above PlanShape::max_rank says that there are too many.
  static PlanShape collapsed(const Extents64& shape, const std::vector<bool>& along) {
    PlanShape plan;
    std::vector<std::pair<std::uint64_t, bool>> axes;  // extents, and whether they are left out
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      const auto extent = static_cast<std::uint64_t>(shape[axis]);
      if (extent == 1) continue;
      if (!along[axis] && !axes.empty() && axes.back().second)
        axes.back().first *= extent;
      else
        axes.emplace_back(extent, !along[axis]);
    }
    if (!axes.empty() && axes.back().second) {
      plan.batches = axes.back().first;
      axes.pop_back();
    }
    plan.rank = static_cast<unsigned>(axes.size());
    for (unsigned axis = 0; axis < std::min(plan.rank, PlanShape::max_rank); ++axis)
      std::tie(plan.extents[axis], plan.is_left_out[axis]) = axes[axis];
    return plan;
  }

  PlanShape plan_shape(TransformKind kind, bool is_forward, const Extents64& shape,
                       const std::vector<bool>& along, bool is_in_place) const {
    PlanShape plan = collapsed(shape, along);
    plan.kind = kind;
    plan.is_forward = is_forward;
    plan.is_double = part_ == Scalar::float64;
    plan.is_in_place = is_in_place;
    return plan;
  }
  Plans& plans() const { return trial_ != nullptr ? *trial_ : stream_.device().slot<Plans>(); }
  /// False: cuFFT leaves it to generated kernels.
  bool transform_by_cufft(const PlanShape& shape, device::Location from, device::Location to) {
    if (trial_ != nullptr || generates_everywhere() || !is_at_pair(from, complex_) ||
        !is_at_pair(to, complex_))
      return false;
    const DeviceCufft& cufft = stream_.device().slot<DeviceCufft>();
    if (cufft.library == nullptr || !cufft_calls(shape)) return false;
    const Plans::OfTwo one = plans().of_two(stream_, cufft, shape, [&](const PlanShape& plan) {
      return generated_transform(stream_, plan);
    });
    is_final_ = is_final_ && one.is_final;
    last_.note = one.plan.note;
    if (one.plan.plan == nullptr) return false;
    note_pass(one.plan.plan, from, to);
    one.plan.plan->run(stream_, {from, to});
    return true;
  }

  void note_pass(std::shared_ptr<DevicePlan> plan, device::Location from, device::Location to) {
    ++passes_;
    last_.plan = std::move(plan);
    from_ = from, to_ = to;
  }

  device::Stream& stream_;
  Plans* trial_;
  int passes_ = 0;
  bool is_final_ = true;
  Way last_;  // of the last plan
  device::Location from_ = {}, to_ = {};
  Scalar part_, complex_;
  std::vector<memory::Allocation<memory::DeviceAllocator>> memory_;
};

Extents64 permuted(std::span<const std::int64_t> values, const std::vector<std::size_t>& order) {
  Extents64 made;
  for (const std::size_t axis : order) made.push_back(values[axis]);
  return made;
}

/// The axes in order, the halved one last.
std::vector<std::size_t> working_order(const Transform& transform, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (transform.kind == TransformKind::complex) return order;
  order.erase(order.begin() + transform.axes.back());
  order.push_back(transform.axes.back());
  return order;
}

/// Axes to transform, in the working order; those of length 1 stay as they are.
std::vector<bool> marked(const Transform& transform, const std::vector<std::size_t>& order,
                         const Extents64& shape) {
  std::vector<bool> along;
  for (std::size_t k = 0; k < order.size(); ++k)
    along.push_back(shape[k] > 1 &&
                    std::ranges::find(transform.axes, order[k]) != transform.axes.end());
  return along;
}

bool is_any(const std::vector<bool>& along) {
  return std::ranges::find(along, true) != along.end();
}

/// A transform in its working order.
struct Work {
  Passes& passes;
  const Transform& transform;
  Extents64 from_shape, from_strides, to_shape, to_strides;
  device::Location from, to;

  static bool is_dense(const Extents64& shape, const Extents64& strides, Scalar dtype) {
    return fft::is_dense({{}, shape, strides},
                         static_cast<std::int64_t>(DType(dtype).size_bytes()));
  }
  /// The input, dense; a copy that may be changed if asked for.
  device::Location dense_input(Scalar dtype, bool is_copied, std::optional<Op> op = {}) {
    if (!is_copied && is_dense(from_shape, from_strides, dtype)) return from;
    const device::Location made = passes.scratch(from_shape, dtype);
    const Extents64 strides = Passes::dense_strides(from_shape, dtype);
    passes.each(from_shape, {made, strides}, dtype, {from, from_strides}, dtype, op);
    return made;
  }
  void run(const std::vector<bool>& along) {
    switch (transform.kind) {
      case TransformKind::complex:
        return run_complex(along);
      case TransformKind::real_to_complex:
        return run_real(along);
      case TransformKind::complex_to_real:
        return run_half();
    }
  }

 private:
  void run_complex(const std::vector<bool>& along) {
    const Scalar complex = passes.complex();
    if (!is_any(along))
      return passes.each(to_shape, {to, to_strides}, complex, {from, from_strides}, complex);
    passes.transform_complex(transform.is_forward, to_shape, along, dense_input(complex, false),
                             to);
  }
  void run_real(std::vector<bool> along) {
    const Scalar complex = passes.complex();
    const bool is_turned = !is_dense(to_shape, to_strides, complex);
    const bool is_conjugated = !transform.is_forward;
    const device::Location place =
        is_turned || is_conjugated ? passes.scratch(to_shape, complex) : to;
    const Extents64 strides = Passes::dense_strides(to_shape, complex);
    if (along.back()) {
      std::vector<bool> last(along.size());
      last.back() = true;
      passes.transform(TransformKind::real_to_complex, true, from_shape, last,
                       dense_input(passes.part(), false), place);
    } else {
      passes.each(from_shape, {place, strides}, complex, {from, from_strides}, passes.part());
    }
    along.back() = false;
    if (is_any(along)) passes.transform_complex(true, to_shape, along, place, place);
    if (is_turned || is_conjugated)
      passes.each(to_shape, {to, to_strides}, complex, {place, strides}, complex,
                  is_conjugated ? std::optional(Op::conjugate) : std::nullopt);
  }
  void run_half() {
    const Scalar complex = passes.complex(), part = passes.part();
    if (to_shape.back() == 1)
      return passes.each(to_shape, {to, to_strides}, part, {from, from_strides}, complex, Op::real);
    const bool is_turned = !is_dense(to_shape, to_strides, part);
    const device::Location place = is_turned ? passes.scratch(to_shape, part) : to;
    std::vector<bool> last(to_shape.size());
    last.back() = true;
    const device::Location half = dense_input(
        complex, true, transform.is_forward ? std::optional(Op::conjugate) : std::nullopt);
    passes.make_ends_real(from_shape, to_shape.back(), half);
    passes.transform(TransformKind::complex_to_real, false, to_shape, last, half, place);
    if (is_turned)
      passes.each(to_shape, {to, to_strides}, part, {place, Passes::dense_strides(to_shape, part)},
                  part);
  }
};

}  // namespace

std::optional<FusedPlan> fused_plan(device::Stream& stream, const PlanShape& shape,
                                    const FusedText& text) {
  FusedPlan made = stream.device().slot<Plans>().fused(stream, shape, text);
  return made.plan != nullptr ? std::optional(std::move(made)) : std::nullopt;
}

RunTransform generated_transform(device::Stream& stream, const PlanShape& plan) {
  Extents64 shape{static_cast<std::int64_t>(plan.batches)};
  std::vector<bool> along{false};
  for (unsigned axis = plan.rank; axis-- > 0;) {
    shape.push_back(static_cast<std::int64_t>(plan.extents[axis]));
    along.push_back(!plan.is_left_out[axis]);
  }
  return [&stream, plan, shape, along, plans = std::make_shared<Plans>()](device::Location from,
                                                                          device::Location to) {
    Passes passes(stream, plan.is_double, plans.get());
    if (plan.kind == TransformKind::complex)
      return passes.transform_complex(plan.is_forward, shape, along, from, to);
    passes.transform(plan.kind, plan.is_forward, shape, along, from, to);
  };
}

void forget_plans(device::Device& device) { device.slot<Plans>().forget(); }

std::string PlanShape::key() const {
  std::string key;
  const auto add = [&](char word, std::uint64_t number) {
    key.push_back(word);
    key.append(std::to_string(number));
  };
  add(is_forward ? 'f' : 'i', static_cast<std::uint64_t>(kind));
  add(is_double ? 'd' : 's', batches);
  add('p', is_in_place ? 1 : 0);
  for (unsigned axis = 0; axis < rank; ++axis) add(is_left_out[axis] ? ',' : ';', extents[axis]);
  return key;
}

namespace {

/// None for layouts that are not dense, and for many axes.
std::optional<WayKey> way_key(const Transform& transform, const array::ArrayPlace& input,
                              const array::ArrayPlace& output, bool is_double) {
  const bool is_real_input = transform.kind == TransformKind::real_to_complex;
  const bool is_real_output = transform.kind == TransformKind::complex_to_real;
  const std::int64_t part = is_double ? 8 : 4;
  const auto& real = is_real_input ? input : output;
  if (real.shape.size() > WayKey::max_rank || !is_dense(input, is_real_input ? part : 2 * part) ||
      !is_dense(output, is_real_output ? part : 2 * part))
    return std::nullopt;
  WayKey key;
  std::ranges::copy(real.shape, key.extents.begin());
  key.rank = static_cast<std::uint8_t>(real.shape.size());
  for (const std::uint8_t axis : transform.axes)
    key.axes = static_cast<std::uint8_t>(key.axes | 1u << axis);
  key.last_axis = transform.axes.back();
  key.kind = transform.kind;
  key.is_forward = transform.is_forward;
  key.is_double = is_double;
  key.is_in_place = input.location == output.location;
  key.is_everywhere = generates_everywhere();
  const Scalar complex = is_double ? Scalar::complex128 : Scalar::complex64;
  key.is_at_pairs = is_at_pair(input.location, complex) && is_at_pair(output.location, complex);
  return key;
}

/// The passes that it takes, whatever the layouts. The last plan.
Way run_passes(device::Stream& stream, const Transform& transform, const array::ArrayPlace& input,
               const array::ArrayPlace& output, bool is_double, const std::optional<WayKey>& key) {
  Passes passes(stream, is_double);
  const std::vector<std::size_t> order = working_order(transform, output.shape.size());
  Work work{.passes = passes,
            .transform = transform,
            .from_shape = permuted(input.shape, order),
            .from_strides = permuted(input.strides, order),
            .to_shape = permuted(output.shape, order),
            .to_strides = permuted(output.strides, order),
            .from = input.location,
            .to = output.location};
  const bool is_real_input = transform.kind == TransformKind::real_to_complex;
  work.run(marked(transform, order, is_real_input ? work.from_shape : work.to_shape));
  const Way only = passes.only_plan(input.location, output.location);
  if (key && only.plan != nullptr) stream.device().slot<Plans>().keep(*key, only);
  return {nullptr, passes.note()};
}

}  // namespace

kernel::KernelNote run_generated(device::Stream& stream, const Transform& transform,
                                 const array::ArrayPlace& input, const array::ArrayPlace& output,
                                 bool is_double) {
  const auto key = way_key(transform, input, output, is_double);
  Way way = key ? stream.device().slot<Plans>().way(*key) : Way();
  if (way.plan != nullptr)
    way.plan->run(stream, {input.location, output.location});
  else
    way = run_passes(stream, transform, input, output, is_double, key);
  const bool is_real_output = transform.kind == TransformKind::complex_to_real;
  if (transform.factor != 1)
    Passes(stream, is_double)
        .scale(output.location, element_count(output.shape) * (is_real_output ? 1 : 2),
               transform.factor);
  if (way.note.name == nullptr) return {};
  const std::int64_t part = is_double ? 8 : 4;
  const auto bytes = [&](const array::ArrayPlace& place, bool is_real) {
    return static_cast<std::uint64_t>(element_count(place.shape) * (is_real ? part : 2 * part));
  };
  way.note.bytes_read = bytes(input, transform.kind == TransformKind::real_to_complex);
  way.note.bytes_written = bytes(output, is_real_output);
  return way.note;
}

}  // namespace treadle::fft
