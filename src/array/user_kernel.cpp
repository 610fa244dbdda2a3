// SPDX-License-Identifier: MIT
#include "treadle/array/user_kernel.hpp"

#include <algorithm>
#include <utility>

#include "array/access.hpp"
#include "array/evaluate.hpp"
#include "array/kernel_call.hpp"
#include "treadle/array/creation.hpp"
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

kernel::ReductionKernel& ReductionKernel::kernel_for(const KernelCall& call) {
  const std::lock_guard lock(mutex_);
  return form_of(forms_, call,
                 [&](std::shared_ptr<device::Device> device, std::span<const DType> open) {
                   kernel::ReductionOptions options = options_;
                   options.preamble = declarations_->around(options_.preamble, open, options.types);
                   kernel::ReductionTexts texts = texts_;
                   texts.arguments = declarations_->closed(open, options.types);
                   return kernel::ReductionKernel(std::move(device), dtype_, std::move(texts),
                                                  std::move(options));
                 });
}

Array ReductionKernel::call(std::span<const Operand> arguments,
                            const std::optional<kernel::ElementRange>& range, const Array* out) {
  if (arguments.size() < declarations_->all().size())
    throw InvalidArgument("reduction kernel " + options_.name + " takes " +
                              std::to_string(declarations_->all().size()) +
                              " arguments, and was given " + std::to_string(arguments.size()),
                          "pass one for each declaration");
  KernelCall call("reduction kernel " + options_.name, *declarations_, arguments);
  kernel::ReductionKernel& own = kernel_for(call);
  call.prepare(own, range);
  const StreamRef stream = call.context().stream({});
  const Array result = out != nullptr ? *out : empty({}, dtype_, {.stream = stream});
  if (out != nullptr) {
    require_one_context("reduction kernel " + options_.name, call.context(),
                        *Access::node(result).context);
    if (result.size() != 1 || !(result.dtype() == dtype_))
      throw InvalidArgument("out of reduction kernel " + options_.name + " is of " +
                                result.dtype().name() + " and shape " + shape_text(result.shape()),
                            "pass one element of " + dtype_.name());
    require_writable(Access::node(result));
  }
  {
    const WithoutHostLock released;
    own.launch_arguments(*stream, call.range(), result, call.arguments());
  }
  call.end();
  return result;
}

std::string ReductionKernel::text(std::span<const Operand> arguments) {
  return kernel_for({"reduction kernel " + options_.name, *declarations_, arguments}).text();
}

}  // namespace treadle::array
