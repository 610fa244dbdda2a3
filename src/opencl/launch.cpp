// SPDX-License-Identifier: MIT
// What a refused argument or launch means. The limits are asked only here, after the refusal.
#include <algorithm>
#include <string>

#include "opencl/kernel_state.hpp"

namespace treadle::opencl {
namespace {

std::string text_of(const WorkSize& size) {
  std::string text = "(";
  for (unsigned i = 0; i < size.dimensions(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(size[i]);
  return text + ")";
}

std::string describe_argument(const ArgumentView& argument) {
  using Kind = ArgumentView::Kind;
  switch (argument.kind) {
    case Kind::local:
      return std::to_string(argument.size_bytes) + " bytes of local memory";
    case Kind::svm:
      return "a pointer to shared memory";
    case Kind::buffer:
      return "a buffer";
    case Kind::image:
      return "an image";
    case Kind::sampler:
      return "a sampler";
    case Kind::pipe:
      return "a pipe";
    case Kind::queue:
      return "a queue";
    case Kind::null:
      return "nothing";
    case Kind::bytes:
    case Kind::value:
      break;
  }
  return std::to_string(argument.size_bytes) + " bytes";
}

std::string describe_parameter(const KernelState& kernel, unsigned index) {
  std::string text = "kernel \"" + kernel.name() + "\", argument " + std::to_string(index);
  if (index >= kernel.argument_count())
    return text + ": it has only " + std::to_string(kernel.argument_count());
  const KernelParameter& parameter = kernel.parameters()[index];
  if (!parameter.name.empty()) text += " (" + parameter.type + " " + parameter.name + ")";
  return text;
}

/// What a refused kind of argument means in OpenCL's words, and what the parameter takes instead.
struct Wanted {
  int code;
  const char* hint;
};
Wanted wanted_for(KindSet accepted) {
  using Kind = ArgumentView::Kind;
  if ((accepted & set_of(Kind::buffer)) != 0)
    return {CL_INVALID_MEM_OBJECT, "pass a buffer, shared memory, or the memory of an array"};
  if ((accepted & set_of(Kind::local)) != 0)
    return {CL_INVALID_ARG_VALUE, "pass LocalMemory of as many bytes as a group needs"};
  if ((accepted & set_of(Kind::value)) != 0)
    return {CL_INVALID_ARG_VALUE, "pass a value of the parameter's own type"};
  if ((accepted & set_of(Kind::image)) != 0) return {CL_INVALID_MEM_OBJECT, "pass an image"};
  if ((accepted & set_of(Kind::sampler)) != 0) return {CL_INVALID_SAMPLER, "pass a sampler"};
  if ((accepted & set_of(Kind::pipe)) != 0) return {CL_INVALID_MEM_OBJECT, "pass a pipe"};
  return {CL_INVALID_ARG_VALUE,
          "PoCL takes the parameter for memory: declare it as sampler_t, not by another name"};
}

/// Adds each limit that the shape breaks. What a platform cannot tell is left out.
class Limits {
 public:
  Limits(const KernelState& kernel, const LaunchConfig& config)
      : kernel_(Handle<RawKernel>(kernel.handle())), config_(config) {}

  std::string broken() {
    try {
      check_divisible();
      check_group();
      check_items();
      check_compiled();
    } catch (const Error&) {
      // The refusal itself is reported all the same.
    }
    return text_;
  }

 private:
  void add(const std::string& text) { text_ += "; " + text; }

  template <class T>
  std::vector<T> ask(cl_uint parameter) {
    std::vector<T> values(3);
    std::size_t size = 0;
    const Table& cl = kernel_.table();
    check(cl,
          cl.clGetKernelWorkGroupInfo(kernel_.raw(), config_.queue.device().raw(), parameter,
                                      values.size() * sizeof(T), values.data(), &size),
          "clGetKernelWorkGroupInfo");
    values.resize(size / sizeof(T));
    return values;
  }

  std::size_t group_items() const {
    std::size_t items = 1;
    for (unsigned i = 0; i < config_.local.dimensions(); ++i) items *= config_.local[i];
    return items;
  }

  void check_divisible() {
    for (unsigned i = 0; i < config_.local.dimensions(); ++i)
      if (config_.local[i] == 0)
        add("a local size is 0");
      else if (config_.global[i] % config_.local[i] != 0)
        add("global size " + std::to_string(config_.global[i]) +
            " is not a multiple of local size " + std::to_string(config_.local[i]) +
            " in dimension " + std::to_string(i));
    for (unsigned i = 0; i < config_.global.dimensions(); ++i)
      if (config_.global[i] == 0) add("a global size is 0");
  }

  void check_group() {
    const std::size_t most = ask<std::size_t>(CL_KERNEL_WORK_GROUP_SIZE).at(0);
    if (group_items() > most)
      add("a group has " + std::to_string(group_items()) + " work-items, this kernel allows " +
          std::to_string(most) + " on " + config_.queue.device().name());
  }

  void check_items() {
    const auto most = config_.queue.device().get<DeviceInfo::max_work_item_sizes>();
    for (unsigned i = 0; i < config_.local.dimensions() && i < most.size(); ++i)
      if (config_.local[i] > most[i])
        add("the device allows " + std::to_string(most[i]) + " work-items in dimension " +
            std::to_string(i) + " of a group");
  }

  void check_compiled() {
    const auto wanted = ask<std::size_t>(CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
    if (std::ranges::count(wanted, std::size_t{0}) > 0) return;
    const WorkSize shape{std::span<const std::size_t>(wanted)};
    for (unsigned i = 0; i < shape.dimensions(); ++i)
      if (shape[i] != (i < config_.local.dimensions() ? config_.local[i] : 1))
        return add("the source requires groups of " + text_of(shape));
  }

  Handle<RawKernel> kernel_;
  const LaunchConfig& config_;
  std::string text_;
};

}  // namespace

void raise_argument(const KernelState& kernel, unsigned index, const ArgumentView& argument,
                    int code, const char* call) {
  std::string text = describe_parameter(kernel, index);
  if (index < kernel.argument_count()) text += ": given " + describe_argument(argument);
  raise(kernel.handle().table(), code, call, std::move(text));
}

void raise_wrong_kind(const KernelState& kernel, unsigned index, const ArgumentView& argument) {
  const Wanted wanted = wanted_for(kernel.accepted(index));
  raise(kernel.handle().table(), wanted.code, "clSetKernelArg",
        describe_parameter(kernel, index) + ": given " + describe_argument(argument), wanted.hint);
}

void raise_foreign(const KernelState& kernel, unsigned index, const ArgumentView& argument) {
  raise(kernel.handle().table(), CL_INVALID_CONTEXT, "clSetKernelArg",
        describe_parameter(kernel, index) + ": given " + describe_argument(argument) +
            " of another context",
        "make it in the kernel's context, or copy its contents through the host");
}

void raise_launch(const KernelState& kernel, const LaunchConfig& config, int code) {
  std::string text = "kernel \"" + kernel.name() + "\" over " + text_of(config.global);
  if (!config.local.is_empty()) text += " in groups of " + text_of(config.local);
  if (code <= CL_INVALID_WORK_DIMENSION && code >= CL_INVALID_GLOBAL_OFFSET)
    text += Limits(kernel, config).broken();
  if (code == CL_INVALID_GLOBAL_WORK_SIZE) text += Limits(kernel, config).broken();
  if (code == CL_INVALID_KERNEL_ARGS) text += "; an argument was never set";
  raise(kernel.handle().table(), code, "clEnqueueNDRangeKernel", std::move(text));
}

}  // namespace treadle::opencl
