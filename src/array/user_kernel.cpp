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

/// A kernel compiled for one device and for dtypes of the open declarations. Keeps the device
/// alive.
template <class Kernel>
struct FormOf {
  device::Device* device;
  std::vector<DType> open_dtypes;
  Kernel kernel;
};

/// Finds or makes the form of the kernel for this call's device and types.
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

/// The launches of one call that folds axes.
struct FoldedAxes {
  Shape result;
  std::vector<kernel::FoldedAxis> passes;  ///< each pass folds adjacent axes of the previous result
};

/// The passes that fold `axes`, the last axes first. Without axes every element is its own result.
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

/// Throws unless the outputs have separate memory, because the kernel writes each output
/// independently.
void require_apart(std::span<const Array> results, const std::string& who) {
  for (std::size_t k = 1; k < results.size(); ++k)
    for (std::size_t before = 0; before < k; ++before)
      if (may_share_memory(results[before], results[k]))
        throw InvalidArgument("out[" + std::to_string(before) + "] and out[" + std::to_string(k) +
                                  "] of " + who + " share memory",
                              "pass an array of its own for each result");
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
                   options.is_one_for_one = true;  // the elements broadcast together
                   options.preamble = declarations_->around(options_.preamble, open, options.types);
                   const std::string arguments = declarations_->closed(open, options.types);
                   return kernel::ElementwiseKernel(std::move(device), arguments, operation_,
                                                    std::move(options));
                 });
}

std::vector<Array> ElementwiseKernel::call(List<Operand> arguments,
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

std::string ElementwiseKernel::text(List<Operand> arguments) {
  return kernel_for({"elementwise kernel " + options_.name, *declarations_, arguments}).text();
}

struct ReductionKernel::Form : FormOf<kernel::ReductionKernel> {};

ReductionKernel::ReductionKernel(DType dtype, kernel::ReductionTexts texts,
                                 kernel::ReductionOptions options)
    : ReductionKernel({{std::move(dtype), std::move(texts.neutral), std::move(texts.reduce),
                        std::move(texts.map)}},
                      std::move(texts.arguments), std::move(options)) {}

ReductionKernel::ReductionKernel(std::vector<kernel::ReductionOutput> outputs,
                                 std::string arguments, kernel::ReductionOptions options)
    : declarations_(std::make_unique<OpenDeclarations>(arguments)),
      outputs_(std::move(outputs)),
      options_(std::move(options)) {
  if (outputs_.empty())
    throw InvalidArgument("reduction kernel " + options_.name + " has no results",
                          "give at least one output");
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
                   options.is_one_for_one = true;  // the elements broadcast together
                   options.preamble = declarations_->around(options_.preamble, open, options.types);
                   std::vector<kernel::ReductionOutput> outputs = outputs_;
                   std::string arguments;
                   if (!of_results) arguments = declarations_->closed(open, options.types);
                   for (std::size_t k = 0; of_results && k < outputs.size(); ++k) {
                     const std::string name = "treadle_folded_before_" + std::to_string(k);
                     arguments += (k == 0 ? "const " : ", const ") +
                                  c_type_of(outputs[k].dtype, options.types) + " *" + name;
                     outputs[k].map = name + "[i]";
                   }
                   return kernel::ReductionKernel(std::move(device), std::move(outputs), arguments,
                                                  std::move(options));
                 });
}

Array ReductionKernel::target(const KernelCall& call, const Shape& shape,
                              const ReductionCall& options, std::size_t output) const {
  const DType& dtype = outputs_[output].dtype;
  if (options.out == nullptr) return empty(shape, dtype, {.stream = call.context().stream({})});
  const Array& out = *options.out;
  const std::string who = "reduction kernel " + options_.name;
  require_one_context(who, call.context(), *Access::node(out).context);
  const bool fits = options.axes.named() ? std::ranges::equal(out.shape(), shape) : out.size() == 1;
  if (!fits || !(out.dtype() == dtype))
    throw InvalidArgument(
        (outputs_.size() == 1 ? "out" : "out[" + std::to_string(output) + "]") + " of " + who +
            " is of " + out.dtype().name() + " and shape " + shape_text(out.shape()),
        options.axes.named() ? "pass " + dtype.name() + " of shape " + shape_text(shape)
                             : "pass one element of " + dtype.name());
  require_writable(Access::node(out));
  return out;
}

Array ReductionKernel::call(List<Operand> arguments, const ReductionCall& options) {
  if (outputs_.size() != 1)
    throw InvalidArgument("reduction kernel " + options_.name + " has " +
                              std::to_string(outputs_.size()) + " results, not one",
                          "call results() or call_all()");
  const std::span<const Array> out(options.out, options.out == nullptr ? 0 : 1);
  return std::move(call_all(arguments, options, out).front());
}

/// Folds axes that are not adjacent one after another, the innermost axes first.
void ReductionKernel::launch_along(const KernelCall& call, kernel::ReductionKernel& own,
                                   std::span<const kernel::FoldedAxis> passes,
                                   List<Array> results) {
  const StreamRef stream = call.context().stream({});
  std::vector<kernel::UserArgument> given(call.arguments().begin(), call.arguments().end());
  std::vector<Array> before;
  for (std::size_t i = 0; i < passes.size(); ++i) {
    std::vector<Array> into;
    std::vector<kernel::UserArgument> targets;
    for (std::size_t k = 0; k < results.size(); ++k) {
      // If a result is not dense in C's order, compute a dense array and copy it.
      const DType& dtype = outputs_[k].dtype;
      const bool is_dense = results[k].layout().is_contiguous(dtype.size_bytes());
      const auto count = static_cast<std::int64_t>(passes[i].results());
      into.push_back(i + 1 == passes.size() && is_dense
                         ? results[k]
                         : empty({count}, dtype, {.stream = stream}));
    }
    for (const Array& array : into) targets.emplace_back(array);
    kernel::ReductionKernel& kernel = i == 0 ? own : kernel_for(call, Folds::results);
    {
      const WithoutHostLock released;
      kernel.launch_along(*stream, passes[i], targets, given);
    }
    before = std::move(into);
    given.clear();
    for (const Array& array : before) given.emplace_back(array);
  }
  for (std::size_t k = 0; k < results.size(); ++k)
    if (!results[k].layout().is_contiguous(outputs_[k].dtype.size_bytes()))
      results[k].assign(
          reshape(before[k], Shape(results[k].shape().begin(), results[k].shape().end())));
}

std::vector<Array> ReductionKernel::call_all(List<Operand> arguments, const ReductionCall& options,
                                             List<Array> out) {
  const std::string who = "reduction kernel " + options_.name;
  if (arguments.size() < declarations_->all().size())
    throw InvalidArgument(who + " takes " + std::to_string(declarations_->all().size()) +
                              " arguments, and was given " + std::to_string(arguments.size()),
                          "pass one for each declaration");
  if (options.range && options.axes.named())
    throw InvalidArgument(who + " is called with a range of indices and with axes",
                          "take slices of the arrays, and leave the range out");
  if (!out.empty() && out.size() != outputs_.size())
    throw InvalidArgument("out of " + who + " has " + std::to_string(out.size()) + " arrays",
                          "pass " + std::to_string(outputs_.size()) + ", one for each result");
  KernelCall call(who, *declarations_, arguments);
  kernel::ReductionKernel& own = kernel_for(call);
  call.prepare(own, options.range);
  const FoldedAxes folded = folded_axes(call.shape(), options, who);
  std::vector<Array> results;
  for (std::size_t k = 0; k < outputs_.size(); ++k) {
    ReductionCall one = options;
    one.out = out.empty() ? nullptr : &out[k];
    results.push_back(target(call, folded.result, one, k));
  }
  require_apart(results, who);
  if (options.axes.named()) {
    launch_along(call, own, folded.passes, results);
  } else {
    const std::vector<kernel::UserArgument> targets(results.begin(), results.end());
    const WithoutHostLock released;
    own.launch_all(*call.context().stream({}), call.range(), targets, call.arguments());
  }
  call.end();
  return results;
}

std::string ReductionKernel::text(List<Operand> arguments) {
  return kernel_for({"reduction kernel " + options_.name, *declarations_, arguments}).text();
}

struct ScanKernel::Form : FormOf<kernel::ScanKernel> {};

ScanKernel::ScanKernel(DType dtype, kernel::ScanTexts texts, kernel::ScanOptions options)
    : declarations_(std::make_unique<OpenDeclarations>(texts.arguments)),
      dtype_(std::move(dtype)),
      texts_(std::move(texts)),
      options_(std::move(options)) {
  options_.types = with_complex_names(std::move(options_.types));
}
ScanKernel::~ScanKernel() = default;

bool ScanKernel::may_write(std::size_t position) const noexcept {
  return declarations_->may_write(position);
}

kernel::ScanKernel& ScanKernel::kernel_for(const KernelCall& call) {
  const std::lock_guard lock(mutex_);
  return form_of(
      forms_, call, [&](std::shared_ptr<device::Device> device, std::span<const DType> open) {
        kernel::ScanOptions options = options_;
        options.preamble = declarations_->around(options_.preamble, open, options.types);
        kernel::ScanTexts texts = texts_;
        texts.arguments = declarations_->closed(open, options.types);
        return kernel::ScanKernel(std::move(device), dtype_, std::move(texts), std::move(options));
      });
}

std::vector<Array> ScanKernel::call(List<Operand> arguments) {
  KernelCall call("scan kernel " + options_.name, *declarations_, arguments);
  kernel::ScanKernel& own = kernel_for(call);
  call.prepare(own.parameters(), [&](std::string_view name) { return own.takes_element(name); });
  {
    const WithoutHostLock released;
    const StreamRef stream = call.context().stream({});
    own.launch_arguments(*stream, static_cast<std::uint64_t>(call.range().stop), call.arguments());
  }
  return call.end();
}

std::string ScanKernel::text(List<Operand> arguments) {
  return kernel_for({"scan kernel " + options_.name, *declarations_, arguments}).text();
}

}  // namespace treadle::array
