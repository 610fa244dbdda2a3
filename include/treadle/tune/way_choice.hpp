// SPDX-License-Identifier: MIT
// Which of several ways to compute the same is the fastest on a device, a library or generated
// kernels, say: measured once for a class of problems, and kept for later processes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/device/device.hpp"
#include "treadle/tune/store.hpp"

namespace treadle::tune {

/// How long one way took.
struct WayTime {
  std::string way;     ///< its name
  double seconds = 0;  ///< of the problem
};

/// The way that is taken for a class of problems.
struct FastestWay {
  std::string way;                  ///< its name
  std::vector<WayTime> times = {};  ///< of all that were measured, the fastest first
  bool is_known = false;            ///< another process had measured it before
  /// For people: "cufft 10.2 us, generated 12.5 us, measured here".
  std::string text() const;
};

/// The ways of one kind of work on a device. Any thread.
class WayChoice {
 public:
  /// `kernel`: under which name the store keeps attempts. Without a store of the caller's it is the
  /// user's, which the first question opens. The device must outlive it.
  WayChoice(std::string kernel, const device::Device& device, std::shared_ptr<Store> store = {});

  /// What is known of a class of problems, in this process or, for the same device, driver and
  /// compiler, in the store. None: nobody has measured it.
  std::optional<FastestWay> find(const ProblemSignature& problem);
  /// The same, measured if need be, which is kept. `measure` gives the times of the ways, at least
  /// one. The first of them is taken unless another is faster by the factor `gain`. No lock is held
  /// meanwhile. None: another thread is measuring on this device, so that times would be wrong.
  /// Throws what `measure` throws, and keeps nothing then.
  std::optional<FastestWay> choose(const ProblemSignature& problem,
                                   const std::function<std::vector<WayTime>()>& measure,
                                   double gain = 1);
  /// From now on takes this way for a class, without a time, in this process alone: for one of
  /// which measuring has failed.
  void settle(const ProblemSignature& problem, std::string_view way);

 private:
  StoreKey key_of(const ProblemSignature& problem) const;
  std::optional<FastestWay> kept(const ProblemSignature& problem);  // under the lock
  void keep(const ProblemSignature& problem, const FastestWay& fastest);

  const std::string kernel_;
  const device::Device& device_;
  std::mutex mutex_;  // guards what follows
  std::shared_ptr<Store> store_;
  std::map<ProblemSignature, FastestWay> known_;
};

}  // namespace treadle::tune
