// SPDX-License-Identifier: MIT
#include "treadle/opencl/kernel.hpp"

#include <algorithm>
#include <utility>

#include "opencl/kernel_state.hpp"
#include "opencl/ordering.hpp"
#include "opencl/query.hpp"
#include "opencl/svm_users.hpp"
#include "treadle/opencl/allocation.hpp"
#include "treadle/opencl/program.hpp"

namespace treadle::opencl {

void WorkSize::refuse(std::size_t dimensions) {
  throw InvalidArgument("a kernel runs over 1 to 3 dimensions, not " + std::to_string(dimensions),
                        "fold the outer dimensions into one");
}

namespace {

InfoValue ask_argument(const Table& cl, RawKernel raw, unsigned index, KernelArgInfo parameter) {
  return query(cl, "clGetKernelArgInfo", parameter,
               [&](std::size_t size, void* data, std::size_t* size_out) {
                 return cl.clGetKernelArgInfo(raw, index, static_cast<cl_uint>(parameter), size,
                                              data, size_out);
               });
}

KernelParameter ask_parameter(const Table& cl, RawKernel raw, unsigned index) {
  const auto number = [&](KernelArgInfo parameter) {
    return std::get<std::uint64_t>(ask_argument(cl, raw, index, parameter));
  };
  const auto text = [&](KernelArgInfo parameter) {
    return std::get<std::string>(ask_argument(cl, raw, index, parameter));
  };
  KernelParameter parameter;
  try {
    parameter.address =
        static_cast<KernelArgAddressQualifier>(number(KernelArgInfo::address_qualifier));
    parameter.access =
        static_cast<KernelArgAccessQualifier>(number(KernelArgInfo::access_qualifier));
    parameter.qualifiers =
        static_cast<KernelArgTypeQualifier>(number(KernelArgInfo::type_qualifier));
    parameter.type = text(KernelArgInfo::type_name);
    parameter.name = text(KernelArgInfo::name);
  } catch (const Error&) {
    // CL_KERNEL_ARG_INFO_NOT_AVAILABLE, or OpenCL 1.1: then the parameter has no name.
  }
  return parameter;
}

}  // namespace

KernelState::KernelState(Context context, Handle<RawKernel> handle,
                         std::shared_ptr<const ProgramText> text)
    : context_(std::move(context)),
      handle_(std::move(handle)),
      text_(std::move(text)),
      name_(std::get<std::string>(query_object(handle_.table(), "clGetKernelInfo",
                                               handle_.table().clGetKernelInfo, handle_.raw(),
                                               KernelInfo::function_name))),
      argument_count_(ask_value<cl_uint>(handle_.table(), "clGetKernelInfo",
                                         handle_.table().clGetKernelInfo, handle_.raw(),
                                         CL_KERNEL_NUM_ARGS)),
      set_values_(argument_count_) {}

const std::vector<KernelParameter>& KernelState::parameters() const {
  std::call_once(parameters_asked_, [this] {
    parameters_.resize(argument_count_);
    for (unsigned index = 0; index < argument_count_; ++index) {
      parameters_[index] = ask_parameter(handle_.table(), handle_.raw(), index);
      if (parameters_[index].type.empty()) return;  // then none has one
    }
  });
  return parameters_;
}

namespace {

/// Whether PoCL takes a parameter for memory whose type goes by another name: so it does if that is
/// sampler_t's, and then ends the process for values and samplers alike. Only memory may be left
/// out. `probe` is a kernel whose arguments nobody needs.
bool is_taken_for_memory(const Handle<RawKernel>& probe, unsigned index) {
  return probe.table().clSetKernelArg(probe.raw(), index, sizeof(cl_mem), nullptr) == CL_SUCCESS;
}

Handle<RawKernel> another_of(const KernelState& kernel) {
  const Table& cl = kernel.handle().table();
  const auto program = ask_value<RawProgram>(cl, "clGetKernelInfo", cl.clGetKernelInfo,
                                             kernel.handle().raw(), CL_KERNEL_PROGRAM);
  cl_int code = CL_SUCCESS;
  const RawKernel raw = cl.clCreateKernel(program, kernel.name().c_str(), &code);
  check(cl, code, "clCreateKernel", [&] { return '"' + kernel.name() + '"'; });
  return {kernel.context().shared_table(), raw, Ownership::adopt};
}

bool may_be_any_type(KindSet accepted) {
  constexpr auto both =
      static_cast<KindSet>(set_of(ArgumentView::Kind::value) | set_of(ArgumentView::Kind::sampler));
  return (accepted & both) == both;
}

}  // namespace

void KernelState::classify() const {
  std::vector<KindSet> accepted;
  for (const KernelParameter& parameter : parameters())
    accepted.push_back(accepted_kinds(parameter));
  const bool is_any = std::ranges::any_of(parameters(), [](const KernelParameter& parameter) {
    return !parameter.type.empty() && may_be_any_type(accepted_kinds(parameter));
  });
  if (is_any && context_.platform().name() == "Portable Computing Language") {
    const Handle<RawKernel> probe = another_of(*this);
    for (unsigned index = 0; index < argument_count_; ++index)
      if (may_be_any_type(accepted[index]) && is_taken_for_memory(probe, index))
        accepted[index] = 0;
  }
  accepted_ = std::move(accepted);
}

namespace {

/// Sets an argument, unless OpenCL has this value; launch_lock() held.
void set_one(const KernelState& kernel, unsigned index, const ArgumentView& argument) {
  const Table& cl = kernel.handle().table();
  const RawKernel raw = kernel.handle().raw();
  if (!kernel.takes(index, argument.kind)) [[unlikely]]
    raise_wrong_kind(kernel, index, argument);
  if (argument.context != nullptr && argument.context != kernel.context().raw()) [[unlikely]]
    raise_foreign(kernel, index, argument);
  SetValues& known = kernel.set_values();
  const bool is_kept = SetValues::keeps(argument);
  if (is_kept && known.has(index, argument) && !kernel.is_shared()) return;
  if (argument.kind == ArgumentView::Kind::local) [[unlikely]]
    kernel.before_local_argument();
  known.forget(index);
  if (argument.kind == ArgumentView::Kind::svm) {
    const int code = cl.clSetKernelArgSVMPointer(raw, index, argument.data);
    if (code != CL_SUCCESS) [[unlikely]]
      raise_argument(kernel, index, argument, code, "clSetKernelArgSVMPointer");
    return;
  }
  const int code = cl.clSetKernelArg(raw, index, argument.size_bytes, argument.data);
  if (code != CL_SUCCESS) [[unlikely]]
    raise_argument(kernel, index, argument, code, "clSetKernelArg");
  if (is_kept) known.remember(index, argument);
}

/// The shapes' own agreement, which OpenCL cannot see: it takes one number of dimensions for all.
void check_shapes(const KernelState& kernel, const LaunchConfig& config) {
  const unsigned dimensions = config.global.dimensions();
  const auto agrees = [&](const WorkSize& size) {
    return size.is_empty() || size.dimensions() == dimensions;
  };
  // The standard's rule, asked here: PoCL takes groups of nothing.
  for (unsigned i = 0; i < config.local.dimensions(); ++i)
    if (config.local[i] == 0) [[unlikely]]
      raise_launch(kernel, config, CL_INVALID_WORK_GROUP_SIZE);
  if (agrees(config.local) && agrees(config.offset)) return;
  const bool is_local = !agrees(config.local);
  const WorkSize& other = is_local ? config.local : config.offset;
  throw InvalidArgument("kernel \"" + kernel.name() + "\": the global size has " +
                            std::to_string(dimensions) + " dimensions, the " +
                            (is_local ? "local size " : "offset ") +
                            std::to_string(other.dimensions()),
                        "give as many sizes for each");
}

Event enqueue_locked(const KernelState& kernel, const LaunchConfig& config) {
  check_local_memory(kernel, config.queue.device());
  const Table& cl = kernel.handle().table();
  Ordering o(config.order);
  const int code = allocated("clEnqueueNDRangeKernel", [&] {
    return cl.clEnqueueNDRangeKernel(
        config.queue.raw(), kernel.handle().raw(), config.global.dimensions(), config.offset.data(),
        config.global.data(), config.local.data(), o.count(), o.list(), o.event());
  });
  if (code != CL_SUCCESS) [[unlikely]]
    raise_launch(kernel, config, code);
  note_svm_use(config.queue);
  return o.take(config.queue);
}

}  // namespace

Kernel::Kernel(std::shared_ptr<const KernelState> state) noexcept : state_(std::move(state)) {}

Kernel::Kernel(std::shared_ptr<const Table> table, RawKernel raw, Ownership ownership) {
  Handle<RawKernel> owned(table, raw, ownership);
  const Context context(table,
                        ask_value<RawContext>(*table, "clGetKernelInfo", table->clGetKernelInfo,
                                              raw, CL_KERNEL_CONTEXT),
                        Ownership::retain);
  state_ = adopt_kernel(context, owned.detach());
  state_->share();
}

Event Kernel::launch_list(const LaunchConfig& config,
                          std::span<const ArgumentView> arguments) const {
  if (state_ == nullptr) raise_empty();
  const KernelState& kernel = *state_;
  check_shapes(kernel, config);
  if (arguments.size() != kernel.argument_count()) [[unlikely]]
    throw InvalidArgument("kernel \"" + kernel.name() + "\" takes " +
                              std::to_string(kernel.argument_count()) + " arguments, not " +
                              std::to_string(arguments.size()),
                          "give one for each parameter; LocalMemory{bytes} for a __local pointer");
  const std::lock_guard lock(kernel.launch_lock());
  for (unsigned index = 0; index < arguments.size(); ++index)
    set_one(kernel, index, arguments[index]);
  return enqueue_locked(kernel, config);
}

void Kernel::set_argument(unsigned index, const ArgumentView& argument) const {
  if (state_ == nullptr) raise_empty();
  const std::lock_guard lock(state_->launch_lock());
  set_one(*state_, index, argument);
}

Event Kernel::enqueue(const LaunchConfig& config) const {
  if (state_ == nullptr) raise_empty();
  check_shapes(*state_, config);
  const std::lock_guard lock(state_->launch_lock());
  return enqueue_locked(*state_, config);
}

Kernel Kernel::clone() const {
  cl_int code = CL_SUCCESS;
  const RawKernel copy = table().clCloneKernel(handle().raw(), &code);
  check(table(), code, "clCloneKernel", [&] { return "\"" + name() + "\""; });
  return Kernel(adopt_kernel(context(), copy, state_->text()));
}

InfoValue Kernel::info(KernelInfo parameter) const {
  return query_object(table(), "clGetKernelInfo", table().clGetKernelInfo, handle().raw(),
                      parameter);
}

InfoValue Kernel::work_group_info(const Device& device, KernelWorkGroupInfo parameter) const {
  return query(table(), "clGetKernelWorkGroupInfo", parameter,
               [&](std::size_t size, void* data, std::size_t* size_out) {
                 return table().clGetKernelWorkGroupInfo(handle().raw(), device.raw(),
                                                         static_cast<cl_uint>(parameter), size,
                                                         data, size_out);
               });
}

InfoValue Kernel::sub_group_info(const Device& device, KernelSubGroupInfo parameter,
                                 std::span<const std::size_t> input) const {
  const bool is_core = is_present(table().clGetKernelSubGroupInfo);
  const char* call = is_core ? "clGetKernelSubGroupInfo" : "clGetKernelSubGroupInfoKHR";
  const auto ask = is_core ? table().clGetKernelSubGroupInfo : table().clGetKernelSubGroupInfoKHR;
  // This query's result has the size that is requested, so its size cannot be queried.
  if (parameter == KernelSubGroupInfo::local_size_for_sub_group_count) {
    std::vector<std::uint64_t> shape(3);
    check(table(),
          ask(handle().raw(), device.raw(), static_cast<cl_uint>(parameter), input.size_bytes(),
              input.data(), shape.size() * sizeof shape[0], shape.data(), nullptr),
          call);
    return shape;
  }
  return query(table(), call, parameter, [&](std::size_t size, void* data, std::size_t* size_out) {
    return ask(handle().raw(), device.raw(), static_cast<cl_uint>(parameter), input.size_bytes(),
               input.data(), size, data, size_out);
  });
}

InfoValue Kernel::argument_info(unsigned index, KernelArgInfo parameter) const {
  return ask_argument(table(), handle().raw(), index, parameter);
}

WorkSize Kernel::suggested_local_size(const LaunchConfig& config) const {
  if (state_ == nullptr) raise_empty();
  check_shapes(*state_, config);
  std::size_t sizes[3] = {};
  const std::lock_guard lock(state_->launch_lock());
  check(table(),
        table().clGetKernelSuggestedLocalWorkSizeKHR(
            config.queue.raw(), handle().raw(), config.global.dimensions(), config.offset.data(),
            config.global.data(), sizes),
        "clGetKernelSuggestedLocalWorkSizeKHR", [&] { return "\"" + name() + "\""; });
  return WorkSize(std::span(sizes, config.global.dimensions()));
}

const std::vector<KernelParameter>& Kernel::parameters() const {
  if (state_ == nullptr) raise_empty();
  return state_->parameters();
}
unsigned Kernel::argument_count() const {
  if (state_ == nullptr) raise_empty();
  return state_->argument_count();
}
const std::string& Kernel::name() const {
  if (state_ == nullptr) raise_empty();
  return state_->name();
}
Program Kernel::program() const {
  return Program(shared_table(), get<KernelInfo::program>(), Ownership::retain);
}
const Context& Kernel::context() const {
  if (state_ == nullptr) raise_empty();
  return state_->context();
}
RawKernel Kernel::raw() const {
  if (state_ == nullptr) raise_empty();
  state_->share();
  return state_->handle().raw();
}
const Handle<RawKernel>& Kernel::handle() const {
  if (state_ == nullptr) raise_empty();
  return state_->handle();
}
const std::shared_ptr<const Table>& Kernel::shared_table() const {
  if (state_ == nullptr) raise_empty();
  return state_->handle().shared_table();
}
bool Kernel::operator==(const Kernel& other) const noexcept {
  if (state_ == nullptr || other.state_ == nullptr) return state_ == other.state_;
  return state_->handle() == other.state_->handle();
}

}  // namespace treadle::opencl
