// SPDX-License-Identifier: MIT
#include "treadle/cuda/green_context.hpp"

#include <cstring>
#include <string>

#include "cuda/argument_check.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/table.hpp"

namespace treadle::cuda {
namespace {

using RawResource = CUdevResource;

template <class Bytes>
auto* resource_in(Bytes* bytes) {
  if constexpr (std::is_const_v<Bytes>)
    return reinterpret_cast<const RawResource*>(bytes);
  else
    return reinterpret_cast<RawResource*>(bytes);
}

}  // namespace

DeviceResource DeviceResource::multiprocessors_of(const Device& device) {
  static_assert(sizeof(RawResource) == sizeof(raw_) && alignof(RawResource) <= 8);
  const Table& cu = device.driver().table();
  DeviceResource resource(device);
  check(
      cu,
      cu.cuDeviceGetDevResource(device.raw(), resource_in(resource.raw_), CU_DEV_RESOURCE_TYPE_SM),
      "cuDeviceGetDevResource", [&] { return "the multiprocessors of " + device.name(); });
  return resource;
}

DeviceResource DeviceResource::multiprocessors_of(const Context& context) {
  const Activation active(context);
  DeviceResource resource(context.device());
  check(active.table(),
        active.table().cuCtxGetDevResource(context.raw(), resource_in(resource.raw_),
                                           CU_DEV_RESOURCE_TYPE_SM),
        "cuCtxGetDevResource");
  return resource;
}

unsigned DeviceResource::multiprocessors() const noexcept {
  const RawResource* const raw = resource_in(raw_);
  return raw->type == CU_DEV_RESOURCE_TYPE_SM ? raw->sm.smCount : 0;
}
unsigned DeviceResource::smallest_part() const noexcept {
  return multiprocessors() == 0 ? 0 : resource_in(raw_)->sm.minSmPartitionSize;
}
unsigned DeviceResource::alignment() const noexcept {
  return multiprocessors() == 0 ? 0 : resource_in(raw_)->sm.smCoscheduledAlignment;
}

namespace {

void refuse_too_many(const DeviceResource& resource, unsigned multiprocessors) {
  if (multiprocessors <= resource.multiprocessors()) return;
  throw InvalidArgument("cuDevSmResourceSplitByCount: multiprocessors is " +
                            std::to_string(multiprocessors) + ", and there are " +
                            std::to_string(resource.multiprocessors()),
                        "ask for fewer in a group");
}

}  // namespace

ResourceSplit DeviceResource::split(unsigned groups, unsigned multiprocessors,
                                    SplitFlags flags) const {
  constexpr const char* call = "cuDevSmResourceSplitByCount";
  refuse_too_many(*this, multiprocessors);
  if (groups == 0 || groups > this->multiprocessors())
    throw InvalidArgument(std::string(call) + ": groups is " + std::to_string(groups),
                          "ask for 1 to " + std::to_string(this->multiprocessors()));
  const Table& cu = device_.driver().table();
  std::vector<RawResource> raw(groups);
  ResourceSplit made{{}, DeviceResource(device_)};
  check(cu,
        cu.cuDevSmResourceSplitByCount(raw.data(), &groups, resource_in(raw_),
                                       resource_in(made.rest.raw_), static_cast<unsigned>(flags),
                                       multiprocessors),
        call, [&] {
          return std::to_string(groups) + " groups of " + std::to_string(multiprocessors) +
                 " multiprocessors, of " + std::to_string(this->multiprocessors());
        });
  for (unsigned i = 0; i < groups; ++i) {
    made.groups.push_back(DeviceResource(device_));
    std::memcpy(made.groups.back().raw_, &raw[i], sizeof raw[i]);
  }
  return made;
}

unsigned DeviceResource::count_groups(unsigned multiprocessors, SplitFlags flags) const {
  refuse_too_many(*this, multiprocessors);
  const Table& cu = device_.driver().table();
  unsigned groups = 0;
  check(cu,
        cu.cuDevSmResourceSplitByCount(nullptr, &groups, resource_in(raw_), nullptr,
                                       static_cast<unsigned>(flags), multiprocessors),
        "cuDevSmResourceSplitByCount");
  return groups;
}

/// Ends with cuGreenCtxDestroy.
class GreenContext::State {
 public:
  State(Device device, CUgreenCtx raw) : device_(std::move(device)), raw_(raw) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    // What is left of it must not call the driver: its streams are lost with it.
    try {
      if (context_.is_valid()) context_.detach();
    } catch (const std::exception&) {
    }
    warn_if_failed(table(), table().cuGreenCtxDestroy(raw_), "cuGreenCtxDestroy",
                   "a green context");
  }
  void enter() {
    RawContext raw = nullptr;
    check(table(), table().cuCtxFromGreenCtx(&raw, raw_), "cuCtxFromGreenCtx");
    context_ = Context::wrap(device_.driver(), raw);
  }
  const Table& table() const noexcept { return device_.driver().table(); }
  const Device& device() const noexcept { return device_; }
  const Context& context() const noexcept { return context_; }
  CUgreenCtx raw() const noexcept { return raw_; }

 private:
  Device device_;
  CUgreenCtx raw_;
  Context context_;
};

GreenContext::GreenContext(const Device& device, std::span<const DeviceResource> resources) {
  constexpr const char* call = "cuGreenCtxCreate";
  if (resources.empty())
    throw InvalidArgument(std::string(call) + ": resources is empty",
                          "pass what DeviceResource::split() makes");
  std::vector<RawResource> raw(resources.size());
  for (std::size_t i = 0; i < resources.size(); ++i) {
    if (resources[i].device() != device || resources[i].multiprocessors() == 0)
      throw InvalidArgument(
          std::string(call) + ": resources[" + std::to_string(i) + "] " +
              (resources[i].multiprocessors() == 0 ? "has no multiprocessors"
                                                   : "is of " + resources[i].device().name()),
          "pass multiprocessors of " + device.name());
    std::memcpy(&raw[i], resources[i].raw_, sizeof raw[i]);
  }
  const Table& cu = device.driver().table();
  CUdevResourceDesc description = nullptr;
  check(cu,
        cu.cuDevResourceGenerateDesc(&description, raw.data(), static_cast<unsigned>(raw.size())),
        "cuDevResourceGenerateDesc");
  CUgreenCtx made = nullptr;
  check(cu, cu.cuGreenCtxCreate(&made, description, device.raw(), CU_GREEN_CTX_DEFAULT_STREAM),
        call);
  const auto state = std::make_shared<State>(device, made);
  state->enter();
  state_ = state;
}

const Context& GreenContext::context() const noexcept { return state_->context(); }
const Device& GreenContext::device() const noexcept { return state_->device(); }
void* GreenContext::raw() const noexcept { return state_->raw(); }

Stream GreenContext::make_stream(int priority) const {
  const Table& cu = state_->table();
  RawStream raw = nullptr;
  check(cu, cu.cuGreenCtxStreamCreate(&raw, state_->raw(), CU_STREAM_NON_BLOCKING, priority),
        "cuGreenCtxStreamCreate");
  return Stream(Handle<RawStream, destroy_stream>(context(), raw));
}

void GreenContext::record(const Event& event) const {
  refuse_moved_from("event", event.raw());
  const Table& cu = state_->table();
  check(cu, cu.cuGreenCtxRecordEvent(state_->raw(), event.raw()), "cuGreenCtxRecordEvent",
        [] { return "the event must be of the green context"; });
}

void GreenContext::wait(const Event& event) const {
  refuse_moved_from("event", event.raw());
  const Table& cu = state_->table();
  check(cu, cu.cuGreenCtxWaitEvent(state_->raw(), event.raw()), "cuGreenCtxWaitEvent");
}

DeviceResource GreenContext::resource() const {
  const Table& cu = state_->table();
  DeviceResource resource(device());
  check(cu,
        cu.cuGreenCtxGetDevResource(state_->raw(), resource_in(resource.raw_),
                                    CU_DEV_RESOURCE_TYPE_SM),
        "cuGreenCtxGetDevResource");
  return resource;
}

std::uint64_t GreenContext::id() const {
  const Table& cu = state_->table();
  unsigned long long id = 0;
  check(cu, cu.cuGreenCtxGetId(state_->raw(), &id), "cuGreenCtxGetId");
  return id;
}

}  // namespace treadle::cuda
