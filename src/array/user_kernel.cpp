// SPDX-License-Identifier: MIT
#include "treadle/array/user_kernel.hpp"

#include <algorithm>
#include <utility>

#include "array/access.hpp"
#include "array/axes.hpp"
#include "array/evaluate.hpp"
#include "array/kernel_call.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"

namespace treadle::array {
namespace {

/// A kernel for one device, which it keeps, and for dtypes of the open declarations.
template <class Kernel>
struct FormOf {
  device::Device* device;
  std::vector<DType> open_dtypes;
  Kernel kernel;
};

/// The form that was made for this call's device and types; a new one if there is none.
template <class Forms, class Make>
auto& form_of(Forms& forms, const KernelCall& call, Make make) {
  for (auto& form : forms)
    if (form->device == &call.context().device() &&
        std::ranges::equal(form->open_dtypes, call.open_dtypes()))
      return form->kernel;
  using Form = typename Forms::value_type::element_type;
  forms.push_back(std::unique_ptr<Form>(
      new Form{{&call.context().device(),
                {call.open_dtypes().begin(), call.open_dtypes().end()},
                make(call.context().device().shared_from_this(), call.open_dtypes())}}));
  return forms.back()->kernel;
}

/// What one call along axes launches.
struct FoldedAxes {
  Shape result;
  std::vector<kernel::FoldedAxis> passes;  ///< each folds neighbouring axes of what is there
};

/// The last of them is folded first, and with no axes every element is a result of its own.
FoldedAxes folded_axes(const std::optional<Shape>& shape, const ReductionCall& options,
                       const std::string& who) {
  FoldedAxes all;
  if (!options.axes.named()) {
    if (options.keeps_axes && shape) all.result.assign(shape->size(), 1);
    return all;
  }
  if (!shape)
    throw InvalidArgument(who + " uses no argument as x[i], whose axes could be meant",
                          "pass a range of indices");
  const Layout layout = Layout::contiguous(*shape, 1);
  const std::uint64_t axes = axes_of(options.axes, layout, who);
  const auto is_folded = [&](std::size_t axis) { return (axes >> axis & 1) != 0; };
  std::uint64_t outer = static_cast<std::uint64_t>(layout.size()), inner = 1;
  for (std::size_t i = shape->size(); i-- > 0;) {
    const auto extent = static_cast<std::uint64_t>((*shape)[i]);
    if (!is_folded(i)) {
      inner *= extent;
      continue;
    }
    std::uint64_t length = extent;
    for (; i > 0 && is_folded(i - 1); --i) length *= static_cast<std::uint64_t>((*shape)[i - 1]);
    outer = 1;
    for (std::size_t before = 0; before < i; ++before)
      outer *= static_cast<std::uint64_t>((*shape)[before]);
    all.passes.push_back({outer, length, inner});
  }
  if (all.passes.empty()) all.passes.push_back({outer, 1, 1});
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if (!is_folded(i)) all.result.push_back((*shape)[i]);
    if (is_folded(i) && options.keeps_axes) all.result.push_back(1);
  }
  return all;
}

}  // namespace

struct ElementwiseKernel::Form : FormOf<kernel::ElementwiseKernel> {};

ElementwiseKernel::ElementwiseKernel(std::string_view arguments, std::string operation,
                                     kernel::ElementwiseOptions options)
    : declarations_(std::make_unique<OpenDeclarations>(arguments)),
      operation_(std::move(operation)),
      options_(std::move(options)) {
  options_.types = with_complex_names(std::move(options_.types));
}
ElementwiseKernel::~ElementwiseKernel() = default;

bool ElementwiseKernel::may_write(std::size_t position) const noexcept {
  return declarations_->may_write(position);
}

kernel::ElementwiseKernel& ElementwiseKernel::kernel_for(const KernelCall& call) {
  const std::lock_guard lock(mutex_);
  return form_of(forms_, call,
                 [&](std::shared_ptr<device::Device> device, std::span<const DType> open) {
                   kernel::ElementwiseOptions options = options_;
                   options.preamble = declarations_->around(options_.preamble, open, options.types);
                   const std::string arguments = declarations_->closed(open, options.types);
                   return kernel::ElementwiseKernel(std::move(device), arguments, operation_,
                                                    std::move(options));
                 });
}

std::vector<Array> ElementwiseKernel::call(std::span<const Operand> arguments,
                                           const std::optional<kernel::ElementRange>& range) {
  KernelCall call("elementwise kernel " + options_.name, *declarations_, arguments);
  kernel::ElementwiseKernel& own = kernel_for(call);
  call.prepare(own, range);
  {
    const WithoutHostLock released;
    const StreamRef stream = call.context().stream({});
    if (range)
      own.launch_arguments(*stream, call.range(), call.arguments());
    else
      own.launch_arguments(*stream, static_cast<std::uint64_t>(call.range().stop),
                           call.arguments());
  }
  return call.end();
}

std::string ElementwiseKernel::text(std::span<const Operand> arguments) {
  return kernel_for({"elementwise kernel " + options_.name, *declarations_, arguments}).text();
}

struct ReductionKernel::Form : FormOf<kernel::ReductionKernel> {};

ReductionKernel::ReductionKernel(DType dtype, kernel::ReductionTexts texts,
                                 kernel::ReductionOptions options)
    : dtype_(std::move(dtype)),
      declarations_(std::make_unique<OpenDeclarations>(texts.arguments)),
      texts_(std::move(texts)),
      options_(std::move(options)) {
  options_.types = with_complex_names(std::move(options_.types));
}
ReductionKernel::~ReductionKernel() = default;

bool ReductionKernel::may_write(std::size_t position) const noexcept {
  return declarations_->may_write(position);
}

kernel::ReductionKernel& ReductionKernel::kernel_for(const KernelCall& call, Folds folds) {
  const std::lock_guard lock(mutex_);
  const bool of_results = folds == Folds::results;
  return form_of(of_results ? forms_of_results_ : forms_, call,
                 [&](std::shared_ptr<device::Device> device, std::span<const DType> open) {
                   kernel::ReductionOptions options = options_;
                   options.preamble = declarations_->around(options_.preamble, open, options.types);
                   kernel::ReductionTexts texts = texts_;
                   if (of_results) {
                     texts.arguments =
                         "const " + c_type_of(dtype_, options.types) + " *treadle_folded_before";
                     texts.map = "treadle_folded_before[i]";
                   } else {
                     texts.arguments = declarations_->closed(open, options.types);
                   }
                   return kernel::ReductionKernel(std::move(device), dtype_, std::move(texts),
                                                  std::move(options));
                 });
}

Array ReductionKernel::target(const KernelCall& call, const Shape& shape,
                              const ReductionCall& options) const {
  if (options.out == nullptr) return empty(shape, dtype_, {.stream = call.context().stream({})});
  const Array& out = *options.out;
  const std::string who = "reduction kernel " + options_.name;
  require_one_context(who, call.context(), *Access::node(out).context);
  const bool fits = options.axes.named() ? std::ranges::equal(out.shape(), shape) : out.size() == 1;
  if (!fits || !(out.dtype() == dtype_))
    throw InvalidArgument(
        "out of " + who + " is of " + out.dtype().name() + " and shape " + shape_text(out.shape()),
        options.axes.named() ? "pass " + dtype_.name() + " of shape " + shape_text(shape)
                             : "pass one element of " + dtype_.name());
  require_writable(Access::node(out));
  return out;
}

Array ReductionKernel::call(std::span<const Operand> arguments, const ReductionCall& options) {
  const std::string who = "reduction kernel " + options_.name;
  if (arguments.size() < declarations_->all().size())
    throw InvalidArgument(who + " takes " + std::to_string(declarations_->all().size()) +
                              " arguments, and was given " + std::to_string(arguments.size()),
                          "pass one for each declaration");
  if (options.range && options.axes.named())
    throw InvalidArgument(who + " is called with a range of indices and with axes",
                          "take slices of the arrays, and leave the range out");
  KernelCall call(who, *declarations_, arguments);
  kernel::ReductionKernel& own = kernel_for(call);
  call.prepare(own, options.range);
  const FoldedAxes folded = folded_axes(call.shape(), options, who);
  const Array result = target(call, folded.result, options);
  const StreamRef stream = call.context().stream({});
  if (!options.axes.named()) {
    const WithoutHostLock released;
    own.launch_arguments(*stream, call.range(), result, call.arguments());
  } else {
    // An array that is no dense memory in C's order receives what a dense one has.
    const bool is_dense = result.layout().is_contiguous(dtype_.size_bytes());
    std::vector<device::Argument> given(call.arguments().begin(), call.arguments().end());
    Array before;
    for (std::size_t i = 0; i < folded.passes.size(); ++i) {
      const bool is_last = i + 1 == folded.passes.size();
      const kernel::FoldedAxis& axis = folded.passes[i];
      const Array into = is_last && is_dense ? result
                                             : empty({static_cast<std::int64_t>(axis.results())},
                                                     dtype_, {.stream = stream});
      kernel::ReductionKernel& kernel = i == 0 ? own : kernel_for(call, Folds::results);
      {
        const WithoutHostLock released;
        kernel.launch_along(*stream, axis, into, given);
      }
      before = into;
      given.assign(1, device::Argument(before));
    }
    if (!is_dense) result.assign(reshape(before, folded.result));
  }
  call.end();
  return result;
}

std::string ReductionKernel::text(std::span<const Operand> arguments) {
  return kernel_for({"reduction kernel " + options_.name, *declarations_, arguments}).text();
}

}  // namespace treadle::array
