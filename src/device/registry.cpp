// SPDX-License-Identifier: MIT
#include "treadle/device/registry.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "treadle/base/error.hpp"
#include "treadle/base/near_match.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/driver.hpp"
#include "treadle/device/null.hpp"
#include "treadle/device/opencl.hpp"
#include "treadle/process/device_request.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::device {
namespace {

using Devices = std::vector<std::shared_ptr<Device>>;

struct Runtime {
  std::string_view name;  ///< the first part of its devices' ids
  std::shared_ptr<Driver> (*open)();
};
// To add a run-time, add a line.
constexpr Runtime runtimes[] = {
    {"cuda", nvidia_driver}, {"opencl", opencl_driver}, {"cpu", cpu_driver}, {"null", null_driver}};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The devices of a run-time; if there are none, `missing` says why.
Devices devices_or_reason(const Runtime& runtime, std::vector<std::string>& missing) {
  const std::string name(runtime.name);
  try {
    Devices all = runtime.open()->devices();
    if (all.empty()) missing.push_back(name + ": it has no device");
    return all;
  } catch (const LibraryNotFound& error) {
    missing.push_back(name + ": " + error.library() + " was not found" +
                      (error.tried().empty() ? "" : " (" + error.tried().front() + ")"));
  } catch (const Error& error) {
    missing.push_back(name + ": " + first_line(error.message()) +
                      (error.hint().empty() ? "" : " (" + error.hint() + ")"));
  }
  return {};
}

/// The lower the better.
int rank(const DeviceInfo& info) {
  if (info.kind == DeviceKind::null) return 4;
  const bool is_cpu = info.kind == DeviceKind::cpu;
  return (is_cpu ? 2 : 0) + (info.language == Language::cuda_c ? 0 : 1);
}

Devices search(std::vector<std::string>& missing) {
  Devices all;
  for (const Runtime& runtime : runtimes) {
    if (runtime.name == "null") continue;
    const Devices some = devices_or_reason(runtime, missing);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::ranges::stable_sort(all, {}, [](const auto& device) { return rank(device->info()); });
  return all;
}

std::string list_text(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : "; ") + item;
  return text;
}

[[noreturn]] void raise_unknown_device(std::string_view id) {
  std::vector<std::string> missing, present, ids;
  for (const auto& device : search(missing)) {
    ids.push_back(device->info().id);
    present.push_back(device->info().id + " (" + device->info().name + ")");
  }
  ids.emplace_back("null");
  std::string text = "there is no device \"" + std::string(id) + "\"; there are: ";
  text += present.empty() ? "none" : list_text(present);
  if (!missing.empty()) text += "; missing: " + list_text(missing);
  const auto nearest = near_matches(id, ids);
  throw InvalidArgument(std::move(text), nearest.empty()
                                             ? "TREADLE_DEVICE=cpu needs nothing installed"
                                             : "did you mean \"" + nearest.front() + "\"?");
}

}  // namespace

Devices devices() {
  std::vector<std::string> missing;
  return search(missing);
}

std::vector<std::string> missing_runtimes() {
  std::vector<std::string> missing;
  search(missing);
  return missing;
}

std::shared_ptr<Device> find_device(std::string_view id) {
  const std::string_view name = id.substr(0, id.find(':'));
  const auto* runtime = std::ranges::find(runtimes, name, &Runtime::name);
  if (runtime == std::end(runtimes)) raise_unknown_device(id);
  std::vector<std::string> missing;
  // Only this run-time is opened: others may be slow to load.
  for (const auto& device : devices_or_reason(*runtime, missing)) {
    const std::string& full = device->info().id;
    // "opencl:1" is the first device of platform 1, "cpu:0" the CPU device.
    if (full == id || full.starts_with(std::string(id) + ":") || full + ":0" == id) return device;
  }
  raise_unknown_device(id);
}

namespace {

std::string default_device_id() {
  if (const std::string& chosen = settings().device; chosen == "opencl")
    return requested_opencl_id().value_or(find_device(chosen)->info().id);
  else if (!chosen.empty())
    return find_device(chosen)->info().id;
  std::vector<std::string> missing;
  const Devices all = search(missing);
  if (all.empty())
    throw InvalidArgument("there is no device: " + list_text(missing),
                          "TREADLE_LIBRARY_DIR is the folder of libtreadle_cpu.so");
  const std::string& best = all.front()->info().id;
  if (best.starts_with("opencl:")) return requested_opencl_id().value_or(best);
  if (!best.starts_with("cuda:")) return best;
  const auto gpu = requested_gpu();
  return gpu ? find_device("cuda:" + std::to_string(gpu->ordinal))->info().id : best;
}

/// The environment is read once. The device is kept: a program whose arrays come and go would set
/// up a context, and compile, each time.
struct Chosen {
  std::mutex mutex;
  std::string id;
  std::shared_ptr<Device> device;
  std::atomic<const Device*> kept = nullptr;  ///< `device`, for readers without the lock
};
Chosen& chosen() {
  static auto& all = *new Chosen;  // never destroyed: static objects may ask for it
  return all;
}

}  // namespace

std::shared_ptr<Device> default_device() {
  static thread_local std::weak_ptr<Device> seen;
  auto& [mutex, id, device, kept] = chosen();
  // One that was released lives while others hold it, but is kept no more.
  if (auto live = seen.lock(); live && live.get() == kept.load() && !live->is_lost()) [[likely]]
    return live;
  std::shared_ptr<Device> lost;  // ends without the lock
  const std::lock_guard lock(mutex);
  if (!device || device->is_lost()) {
    if (id.empty()) id = default_device_id();
    lost = std::exchange(device, find_device(id));
    kept = device.get();
  }
  seen = device;
  return device;
}

void release_default_device() {
  std::shared_ptr<Device> released;  // ends without the lock
  const std::lock_guard lock(chosen().mutex);
  released.swap(chosen().device);
  chosen().kept = nullptr;
}

}  // namespace treadle::device
