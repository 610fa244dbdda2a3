// SPDX-License-Identifier: MIT
#include "treadle/cuda/function.hpp"

#include <algorithm>
#include <utility>

#include "cuda/argument_check.hpp"
#include "cuda/function_state.hpp"
#include "cuda/raw_attributes.hpp"
#include "treadle/cuda/allocation.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::cuda {
namespace {

ParameterKind kind_of(const std::string& type, unsigned kind) {
  enum : unsigned { value, pointer, structure };  // module_abi.h
  if (kind == pointer) return ParameterKind::pointer;
  if (kind == structure) return ParameterKind::structure;
  if (kind != value || type.empty()) return ParameterKind::unknown;
  const bool floating = type.find("float") != std::string::npos ||
                        type.find("double") != std::string::npos ||
                        type.find("half") != std::string::npos;
  return floating ? ParameterKind::floating : ParameterKind::integer;
}

void add_names(const Table& cu, RawFunction raw, std::size_t index, KernelParameter& parameter) {
  if (cu.parameter_info == nullptr) return;
  const char *name = nullptr, *type = nullptr;
  unsigned kind = 0;
  if (cu.parameter_info(raw, index, &name, &type, &kind) != 0) return;
  if (name != nullptr) parameter.name = name;
  if (type != nullptr) parameter.type = type;
  parameter.kind = kind_of(parameter.type, kind);
}

ParameterLayout ask_layout(const Table& cu, RawFunction raw, ParameterLayout of_compiler) {
  if (!is_present(cu.cuFuncGetParamInfo)) return of_compiler;
  ParameterLayout layout;
  for (std::size_t index = 0;; ++index) {
    KernelParameter parameter;
    // The first index that is refused is the number of parameters.
    const int code = cu.cuFuncGetParamInfo(raw, index, &parameter.offset, &parameter.size);
    if (code == CUDA_ERROR_INVALID_VALUE) break;
    if (code != CUDA_SUCCESS) return of_compiler;
    add_names(cu, raw, index, parameter);
    layout.buffer_bytes = parameter.offset + parameter.size;
    layout.parameters.push_back(std::move(parameter));
  }
  layout.known = true;
  return layout;
}

}  // namespace

FunctionState::FunctionState(std::shared_ptr<const ModuleState> module, Context context,
                             RawFunction raw, std::string symbol, const std::string& name,
                             ParameterLayout of_compiler)
    : table_(&context.state()->table()),
      raw_(raw),
      sync_(settings().sync),
      context_(std::move(context)),
      module_(std::move(module)),
      references_(references_of(*module_)),
      symbol_(std::move(symbol)),
      name_(cuda::lasting_name(name)),
      layout_(ask_layout(*table_, raw, std::move(of_compiler))) {
  for (const KernelParameter& parameter : layout_.parameters) sizes_.push_back(parameter.size);
}

int FunctionState::attribute(FunctionAttribute attribute) const noexcept {
  int value = 0;
  const int code =
      table_->cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(attribute), raw_);
  return code == CUDA_SUCCESS ? value : 0;
}

const ParameterLayout& Function::parameters() const { return state_->layout(); }
const std::string& Function::name() const noexcept { return state_->name(); }
bool Function::is_last() const noexcept { return state_.use_count() == 1 && state_->is_last(); }
const std::string& Function::symbol() const noexcept { return state_->symbol(); }
const Context& Function::context() const noexcept { return state_->context(); }
RawFunction Function::raw() const noexcept { return state_->raw(); }

int Function::attribute(FunctionAttribute attribute) const {
  const Activation active(context());
  int value = 0;
  check(active.table(),
        active.table().cuFuncGetAttribute(&value, static_cast<CUfunction_attribute>(attribute),
                                          raw()),
        "cuFuncGetAttribute", [&] { return "kernel \"" + name() + "\""; });
  return value;
}

void Function::set_attribute(FunctionAttribute attribute, int value) const {
  const Activation active(context());
  check(
      active.table(),
      active.table().cuFuncSetAttribute(raw(), static_cast<CUfunction_attribute>(attribute), value),
      "cuFuncSetAttribute",
      [&] { return "kernel \"" + name() + "\", value " + std::to_string(value); });
}

void Function::set_cache_config(CacheConfig config) const {
  const Activation active(context());
  check(active.table(),
        active.table().cuFuncSetCacheConfig(raw(), static_cast<CUfunc_cache>(config)),
        "cuFuncSetCacheConfig", [&] { return "kernel \"" + name() + "\""; });
}

void refuse_references(const FunctionState& function) {
  if (function.references().is_used())
    throw NotSupported("kernel \"" + function.name() +
                           "\" cannot be part of a graph: a texture or surface reference of its "
                           "module is bound, and may be bound to something else between launches",
                       "pass the kernel a texture or surface object");
}

namespace {

/// The driver's call for more than a shape, which takes arguments either way.
int start_extended(const FunctionState& function, const LaunchConfig& config, void** arguments,
                   void** packed) {
  RawAttributes attributes(config);
  const CUlaunchConfig raw{.gridDimX = config.grid.x,
                           .gridDimY = config.grid.y,
                           .gridDimZ = config.grid.z,
                           .blockDimX = config.block.x,
                           .blockDimY = config.block.y,
                           .blockDimZ = config.block.z,
                           .sharedMemBytes = config.shared_bytes,
                           .hStream = config.stream.raw(),
                           .attrs = attributes.all().data(),
                           .numAttrs = static_cast<unsigned>(attributes.all().size())};
  return allocated(
      [&] { return function.table().cuLaunchKernelEx(&raw, function.raw(), arguments, packed); });
}

/// Whether there is something that cuLaunchKernel does not take.
bool is_extended(const LaunchConfig& config) {
  return config.cooperative || config.attributes != nullptr;
}

/// The driver's answer; `packed` is null where `arguments` is given, and the other way.
int ask_to_start(const FunctionState& function, const LaunchConfig& config, void** arguments,
                 void** packed) {
  if (is_extended(config)) return start_extended(function, config, arguments, packed);
  return allocated([&] {
    return function.table().cuLaunchKernel(
        function.raw(), config.grid.x, config.grid.y, config.grid.z, config.block.x, config.block.y,
        config.block.z, config.shared_bytes, config.stream.raw(), arguments, packed);
  });
}

/// Whether a launch became a node of a graph, for which nobody can wait.
bool is_capturing(const Table& cu, RawStream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return cu.cuStreamIsCapturing(stream, &status) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/// The one place kernels are started from.
void start(const FunctionState& function, const LaunchConfig& config, void** arguments,
           void** packed) {
  const Activation active(function.context());
  const Table& cu = function.table();
  const auto ask = [&] { return ask_to_start(function, config, arguments, packed); };
  ReferenceSet& references = function.references();
  const bool has_references = references.is_used();
  if (has_references && is_capturing(cu, config.stream.raw())) refuse_references(function);
  const int code =
      has_references ? references.launch(function.context(), config.stream.raw(), ask) : ask();
  if (code != CUDA_SUCCESS) [[unlikely]]
    raise_launch(function, config, code,
                 is_extended(config) ? "cuLaunchKernelEx" : "cuLaunchKernel");
  function.context().state()->launches().note(function.lasting_name(), config);
  if (function.waits_after_launch() && !is_capturing(cu, config.stream.raw())) [[unlikely]] {
    const int outcome = cu.cuStreamSynchronize(config.stream.raw());
    if (outcome != CUDA_SUCCESS) raise_launch(function, config, outcome, "cuStreamSynchronize");
  }
}

}  // namespace

void Function::check_arguments(std::span<const std::size_t> sizes) const {
  const FunctionState& function = *state_;
  if (!function.layout().known) return;
  const auto& expected = function.sizes();
  if (sizes.size() != expected.size()) [[unlikely]]
    throw wrong_argument_count(function.name(), function.layout(), sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] != expected[i]) [[unlikely]]
      throw wrong_argument_size(function.name(), function.layout(), i, sizes[i]);
}

void Function::launch_checked(const LaunchConfig& config, void** arguments,
                              std::span<const std::size_t> sizes) const {
  check_arguments(sizes);
  start(*state_, config, arguments, nullptr);
}

void Function::launch_unchecked(const LaunchConfig& config, void** arguments) const {
  if (arguments == nullptr && !state_->sizes().empty()) [[unlikely]]
    throw wrong_argument_count(name(), parameters(), 0);
  start(*state_, config, arguments, nullptr);
}

void Function::launch_buffer(const LaunchConfig& config, const void* packed,
                             std::size_t size_bytes) const {
  const ParameterLayout& layout = parameters();
  // A buffer may end in padding up to its largest alignment.
  if (layout.known && (size_bytes < layout.buffer_bytes || size_bytes > layout.buffer_bytes + 15))
    throw InvalidArgument("kernel \"" + name() + "\": the packed arguments have " +
                          std::to_string(size_bytes) + " bytes, the parameters take " +
                          std::to_string(layout.buffer_bytes));
  refuse_null("cuLaunchKernel", "packed", packed, size_bytes);
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(packed),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size_bytes, CU_LAUNCH_PARAM_END};
  start(*state_, config, nullptr, extra);
}

}  // namespace treadle::cuda
