// SPDX-License-Identifier: MIT
#include "treadle/cuda/context.hpp"

#include <utility>

#include "cuda/context_state.hpp"
#include "treadle/cuda/allocation.hpp"
#include "treadle/cuda/table.hpp"
#include "treadle/process/warning.hpp"

namespace treadle::cuda {
namespace {

/// Runs one call with `context` current.
template <class Call, class... Arguments>
void call_in(const Context& context, Call Table::* slot, const char* name, Arguments... arguments) {
  const Activation active(context);
  check(active.table(), (active.table().*slot)(arguments...), name);
}

RawContext driver_current(const Driver& driver) {
  const Table& cu = driver.table();
  RawContext raw = nullptr;
  const int code = cu.cuCtxGetCurrent(&raw);
  if (code == CUDA_ERROR_NOT_INITIALIZED) return nullptr;
  check(cu, code, "cuCtxGetCurrent");
  return raw;
}

[[noreturn]] void raise_no_context(const char* call, const char* detail) {
  throw DeviceError(DeviceFailure{CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", call,
                                  "invalid device context", detail},
                    "make one current: auto context = cuda::Context::make_current(device);");
}
constexpr const char* none_is_current = "no currently active context?";

/// Wraps the context another library made current: one of ours if it is that, the device's primary
/// one with a reference of its own, or else borrowed.
std::shared_ptr<ContextState> adopt(const Driver& driver, RawContext raw) {
  const Table& cu = driver.table();
  if (auto known = ContextState::find(cu, raw)) return known;
  RawDevice device = 0;
  check(cu, cu.cuCtxGetDevice(&device), "cuCtxGetDevice");
  unsigned flags = 0;
  int active = 0;
  if (cu.cuDevicePrimaryCtxGetState(device, &flags, &active) == CUDA_SUCCESS && active != 0) {
    RawContext primary = nullptr;
    check(cu, allocated([&] { return cu.cuDevicePrimaryCtxRetain(&primary, device); }),
          "cuDevicePrimaryCtxRetain");
    if (primary == raw) return ContextState::share({driver, device}, raw, Ownership::retained);
    warn_if_failed(cu, cu.cuDevicePrimaryCtxRelease(device), "cuDevicePrimaryCtxRelease",
                   "a primary context");
  }
  return ContextState::share({driver, device}, raw, Ownership::borrowed);
}

RawContext create_raw(const Device& device, unsigned flags) {
  const Table& cu = device.driver().table();
  const auto describe = [&] { return "creating a context on " + device.name(); };
  RawContext raw = nullptr;
  if (is_present(cu.cuCtxCreate))
    check(cu, allocated([&] { return cu.cuCtxCreate(&raw, nullptr, flags, device.raw()); }),
          "cuCtxCreate", describe);
  else
    check(cu, cu.cuCtxCreate_v2(&raw, flags, device.raw()), "cuCtxCreate", describe);
  return raw;
}

}  // namespace

Context Context::create(const Device& device, ContextFlags flags) {
  const Table& cu = device.driver().table();
  const RawContext raw = create_raw(device, static_cast<unsigned>(flags));
  auto state = ContextState::share(device, raw, Ownership::created);
  // The driver makes a new context current; ours is current only once it is pushed.
  RawContext popped = nullptr;
  check(cu, cu.cuCtxPopCurrent(&popped), "cuCtxPopCurrent");
  return Context(std::move(state));
}

Context Context::primary(const Device& device) {
  const Table& cu = device.driver().table();
  RawContext raw = nullptr;
  check(cu, allocated([&] { return cu.cuDevicePrimaryCtxRetain(&raw, device.raw()); }),
        "cuDevicePrimaryCtxRetain", [&] { return "the primary context of " + device.name(); });
  return Context(ContextState::share(device, raw, Ownership::retained));
}

Context Context::attach(const Driver& driver) {
  driver.initialize();
  const RawContext raw = driver_current(driver);
  if (raw == nullptr) raise_no_context("Context::attach", none_is_current);
  return Context(adopt(driver, raw));
}

Context Context::wrap(const Driver& driver, RawContext raw) {
  if (raw == nullptr)
    throw InvalidArgument("the context to wrap is null", "pass what another library made");
  driver.initialize();
  const Table& cu = driver.table();
  if (auto known = ContextState::find(cu, raw)) return Context(std::move(known));
  // The driver tells the device of the current context only.
  check(cu, cu.cuCtxPushCurrent(raw), "cuCtxPushCurrent", [] { return "a context to wrap"; });
  const auto pop = [&] {
    RawContext popped = nullptr;
    return cu.cuCtxPopCurrent(&popped);
  };
  try {
    Context context(adopt(driver, raw));
    check(cu, pop(), "cuCtxPopCurrent");
    return context;
  } catch (...) {
    pop();
    throw;
  }
}

CurrentContext Context::make_current(const Device& device) {
  return CurrentContext(primary(device));
}
CurrentContext Context::make_current(Context context) { return CurrentContext(std::move(context)); }

std::optional<Context> Context::top() {
  const auto* top = ContextStack::of_this_thread().top();
  if (top == nullptr) return std::nullopt;
  return Context(*top);
}

Context Context::current() {
  if (auto context = top()) return *std::move(context);
  const Driver& driver = default_driver();
  const RawContext raw = driver_current(driver);
  if (raw == nullptr) raise_no_context("Context::current", none_is_current);
  return Context(adopt(driver, raw));
}

void Context::push() const {
  valid_state(*this);
  ContextStack::of_this_thread().push(state_);
}

Context Context::pop() {
  ContextStack& stack = ContextStack::of_this_thread();
  if (stack.depth() == 0) raise_no_context("Context::pop", "cannot pop non-current context");
  return Context(stack.pop());
}

std::size_t Context::stack_depth() noexcept { return ContextStack::of_this_thread().depth(); }

void Context::detach() const {
  if (state_ == nullptr) throw InvalidState("this Context holds no context");
  state_->detach();
}

bool Context::is_valid() const noexcept { return state_ != nullptr && state_->is_valid(); }
Device Context::device() const { return valid_state(*this).device(); }
const Driver& Context::driver() const { return valid_state(*this).device().driver(); }
RawContext Context::raw() const noexcept { return state_ != nullptr ? state_->raw() : nullptr; }

bool Context::is_primary() const { return valid_state(*this).ownership() == Ownership::retained; }

void Context::synchronize() const { call_in(*this, &Table::cuCtxSynchronize, "cuCtxSynchronize"); }

std::size_t Context::limit(Limit limit) const {
  std::size_t value = 0;
  call_in(*this, &Table::cuCtxGetLimit, "cuCtxGetLimit", &value, static_cast<CUlimit>(limit));
  return value;
}
void Context::set_limit(Limit limit, std::size_t value) const {
  call_in(*this, &Table::cuCtxSetLimit, "cuCtxSetLimit", static_cast<CUlimit>(limit), value);
}

CacheConfig Context::cache_config() const {
  CUfunc_cache config{};
  call_in(*this, &Table::cuCtxGetCacheConfig, "cuCtxGetCacheConfig", &config);
  return static_cast<CacheConfig>(config);
}
void Context::set_cache_config(CacheConfig config) const {
  call_in(*this, &Table::cuCtxSetCacheConfig, "cuCtxSetCacheConfig",
          static_cast<CUfunc_cache>(config));
}

SharedConfig Context::shared_config() const {
  CUsharedconfig config{};
  call_in(*this, &Table::cuCtxGetSharedMemConfig, "cuCtxGetSharedMemConfig", &config);
  return static_cast<SharedConfig>(config);
}
void Context::set_shared_config(SharedConfig config) const {
  call_in(*this, &Table::cuCtxSetSharedMemConfig, "cuCtxSetSharedMemConfig",
          static_cast<CUsharedconfig>(config));
}

PriorityRange Context::stream_priorities() const {
  PriorityRange range{};
  call_in(*this, &Table::cuCtxGetStreamPriorityRange, "cuCtxGetStreamPriorityRange", &range.least,
          &range.greatest);
  return range;
}

unsigned Context::api_version() const {
  unsigned version = 0;
  call_in(*this, &Table::cuCtxGetApiVersion, "cuCtxGetApiVersion", raw(), &version);
  return version;
}

ContextFlags Context::flags() const {
  unsigned flags = 0;
  call_in(*this, &Table::cuCtxGetFlags, "cuCtxGetFlags", &flags);
  return static_cast<ContextFlags>(flags);
}

MemoryInfo Context::memory_info() const {
  MemoryInfo info{};
  call_in(*this, &Table::cuMemGetInfo, "cuMemGetInfo", &info.free_bytes, &info.total_bytes);
  return info;
}

void Context::enable_peer_access(const Context& peer, unsigned flags) const {
  call_in(*this, &Table::cuCtxEnablePeerAccess, "cuCtxEnablePeerAccess", valid_state(peer).raw(),
          flags);
}
void Context::disable_peer_access(const Context& peer) const {
  call_in(*this, &Table::cuCtxDisablePeerAccess, "cuCtxDisablePeerAccess", valid_state(peer).raw());
}

CurrentContext::CurrentContext(Context context) : context_(std::move(context)) {
  context_.push();
  depth_ = Context::stack_depth();
}

CurrentContext::CurrentContext(CurrentContext&& other) noexcept
    : context_(std::move(other.context_)), depth_(std::exchange(other.depth_, 0)) {}

CurrentContext::~CurrentContext() {
  if (depth_ == 0) return;
  try {
    if (Context::stack_depth() != depth_ && context_.is_valid())
      warn("a CurrentContext ends with " + std::to_string(Context::stack_depth()) +
           " context(s) on its thread's stack instead of " + std::to_string(depth_));
    while (Context::stack_depth() >= depth_) Context::pop();
  } catch (const std::exception& error) {
    warn(std::string("ending a CurrentContext: ") + error.what());
  }
}

Activation::Activation(const Context& context) : table_(nullptr), pushed_(false) {
  const ContextState& state = valid_state(context);
  table_ = &state.table();
  // The driver is asked, not our stack: other libraries change what is current behind our back.
  RawContext current = nullptr;
  check(*table_, table_->cuCtxGetCurrent(&current), "cuCtxGetCurrent");
  if (current == state.raw()) return;
  check(*table_, table_->cuCtxPushCurrent(state.raw()), "cuCtxPushCurrent");
  pushed_ = true;
}

Activation::~Activation() {
  if (!pushed_) return;
  RawContext popped = nullptr;
  warn_if_failed(*table_, table_->cuCtxPopCurrent(&popped), "cuCtxPopCurrent", "an activation");
}

}  // namespace treadle::cuda
