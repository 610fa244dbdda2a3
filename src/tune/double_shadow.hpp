// SPDX-License-Identifier: MIT
// A kernel in double precision: `float` is a macro before its text, and arrays are widened.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "treadle/device/device.hpp"
#include "treadle/kernel/program.hpp"
#include "tune/judged_kernel.hpp"

namespace treadle::tune {

class DoubleShadow {
 public:
  /// On the CPU device, in a context of its own.
  explicit DoubleShadow(const KernelSubject& subject);

  /// Runs it for a case and fills in what it gives; false if it cannot run.
  bool fill(JudgedCase& run);
  const std::string& error() const { return error_; }  ///< why not

 private:
  std::optional<KernelSubject> subject_ = {};
  std::shared_ptr<device::Device> device_ = {};
  std::optional<device::Kernel> kernel_ = {};
  std::string error_;
};

}  // namespace treadle::tune
