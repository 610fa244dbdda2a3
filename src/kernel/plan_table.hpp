// SPDX-License-Identifier: MIT
// Kernels that are made for a device and kept as long as the device.
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

/// The plans of one family, by key.
template <class Plan>
class PlanTable {
 public:
  /// The plan for a key. If there is none, `make` makes it as a std::shared_ptr, without a lock. An
  /// exception of `make` reaches all threads that wait for the plan; the next call tries again.
  template <class Make>
  const Plan& find(const std::string& key, Make&& make) {
    std::optional<std::promise<Shared>> mine;
    std::shared_future<Shared> plan;
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = plans_.find(key); known != plans_.end()) {
        plan = known->second;
      } else {
        plan = mine.emplace().get_future().share();  // throws before the entry exists
        plans_.emplace(key, plan);
      }
    }
    // Other threads that need the plan wait for the future, not for the lock.
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

/// The plans of one family for `device`. Each family has its own type of plan.
template <class Plan>
PlanTable<Plan>& plans(device::Device& device) {
  return device.slot<PlanTable<Plan>>();
}

/// Appends a tiling to the key of a plan or launch. Equal tilings of a device are one object, so
/// its address is enough.
inline void append_key(std::string& key, const codegen::Tiling& tiling) {
  const codegen::Tiling* const place = &tiling;
  key.append(reinterpret_cast<const char*>(&place), sizeof place);
}

/// A generated and loaded kernel; does not keep the device alive.
struct LoadedText {
  device::Kernel kernel;
  compile::Origin origin;
  double seconds;
};
/// Compiles a text with one kernel, with arithmetic exactly as in the text. Throws NotSupported if
/// the device takes fewer bytes of parameters than the kernel has, and as Program.
LoadedText load_text(device::Device& device, const std::string& text, const std::string& name,
                     std::size_t parameter_bytes);

/// The number of elements from the start of the allocation to a place, for languages without
/// addresses. Throws InvalidArgument for a place between two elements.
std::uint64_t element_offset(const device::Location& place, const DType& dtype);

/// A value passed by a launch; `data` holds the bytes of the dtype.
device::Argument scalar_argument(Scalar dtype, const void* data);

}  // namespace treadle::kernel
