// SPDX-License-Identifier: MIT
// Kernels that were made for a device, and are kept for as long as it lives.
#pragma once

#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/schedule.hpp"
#include "treadle/compile/compile.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/location.hpp"

namespace treadle::kernel {

/// Plans of one family, by their keys.
template <class Plan>
class PlanTable {
 public:
  /// The plan of a key. If there is none, `make` is called without a lock and returns it as a
  /// std::shared_ptr. All who wait get an exception of `make`; the next call tries again.
  template <class Make>
  const Plan& find(const std::string& key, Make&& make) {
    std::optional<std::promise<Shared>> mine;
    std::shared_future<Shared> plan;
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = plans_.find(key); known != plans_.end()) {
        plan = known->second;
      } else {
        plan = mine.emplace().get_future().share();  // what may fail comes before it is there
        plans_.emplace(key, plan);
      }
    }
    // Others who want it wait at the future, not at the lock.
    if (mine) make_plan(key, *mine, make);
    return *plan.get();
  }

 private:
  using Shared = std::shared_ptr<const Plan>;
  template <class Make>
  void make_plan(const std::string& key, std::promise<Shared>& promise, Make&& make) {
    try {
      promise.set_value(make());
    } catch (...) {
      {
        const std::lock_guard lock(mutex_);
        plans_.erase(key);
      }
      promise.set_exception(std::current_exception());
    }
  }

  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_future<Shared>> plans_;
};

/// The plans of one family that were made for `device`. A new family is a new type of plan.
template <class Plan>
PlanTable<Plan>& plans(device::Device& device) {
  return device.slot<PlanTable<Plan>>();
}

/// Adds a tiling to a key of a plan or a launch. Equal tilings of a device are one object.
inline void append_key(std::string& key, const codegen::Tiling& tiling) {
  const codegen::Tiling* const place = &tiling;
  key.append(reinterpret_cast<const char*>(&place), sizeof place);
}

/// A generated kernel, loaded; it does not keep the device alive.
struct LoadedText {
  device::Kernel kernel;
  compile::Origin origin;
  double seconds;
};
/// Compiles a text with one kernel, whose arithmetic is that of the text. Throws NotSupported if
/// the device takes fewer bytes of parameters than these, and as Program.
LoadedText load_text(device::Device& device, const std::string& text, const std::string& name,
                     std::size_t parameter_bytes);

/// How many elements behind the beginning of its allocation a place is, for languages without
/// addresses. Throws InvalidArgument for a place between two elements.
std::uint64_t element_offset(const device::Location& place, const DType& dtype);

/// A value that a launch passes; `data` holds the bytes of the dtype.
device::Argument scalar_argument(Scalar dtype, const void* data);

}  // namespace treadle::kernel
