// SPDX-License-Identifier: MIT
// Runs a test on every driver this machine has, and says which it lacks.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "treadle/base/error.hpp"
#include "treadle/cuda/context.hpp"

namespace treadle::cuda {

inline const auto each_provider = testing::Values(Provider::nvidia, Provider::cpu);
inline std::string provider_name(const testing::TestParamInfo<Provider>& info) {
  return info.param == Provider::nvidia ? "nvidia" : "cpu";
}

/// Its primary context is current during the test.
class OnEachProvider : public testing::TestWithParam<Provider> {
 protected:
  void SetUp() override {
    try {
      const Driver driver = GetParam() == Provider::nvidia ? Driver::nvidia() : Driver::cpu();
      device_ = driver.device(0);
      set_default_driver(driver, "a test");
    } catch (const Error& error) {
      const std::string& reason = error.message();
      GTEST_SKIP() << "no " << provider_name({GetParam(), 0})
                   << " device: " << reason.substr(0, reason.find('\n'));
    }
    current_.emplace(Context::make_current(*device_));
  }
  void TearDown() override {
    current_.reset();
    EXPECT_EQ(Context::stack_depth(), 0u);
  }
  const Device& device() const { return *device_; }
  const Context& context() const { return current_->get(); }
  /// For a test in which nobody else holds the primary context.
  void leave_context() { current_.reset(); }

 private:
  std::optional<Device> device_;
  std::optional<CurrentContext> current_;
};

}  // namespace treadle::cuda
