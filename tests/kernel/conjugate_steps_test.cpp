// SPDX-License-Identifier: MIT
#include "treadle/kernel/conjugate_steps.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "device/each_device.hpp"
#include "treadle/memory/buffer.hpp"
#include "treadle/memory/device_pool.hpp"

namespace treadle::kernel {
namespace {

using codegen::ConjugateEnd;
using codegen::ConjugateParts;
using codegen::ConjugateState;

class ConjugateStepsTest : public device::OnEachDevice {
 protected:
  /// Solves with a tridiagonal matrix, whose solution is all ones.
  void expect_solution(ConjugateParts parts, std::optional<Schedule> schedule, bool has_factor,
                       unsigned lone_items = 0) {
    constexpr std::size_t rows = 700;
    std::vector<double> data, b(rows), zeros(rows), factor(rows, 0.25);
    std::vector<std::int32_t> columns;
    std::vector<std::int64_t> offsets{0};
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t k = row == 0 ? 0 : row - 1; k < std::min(rows, row + 2); ++k) {
        columns.push_back(static_cast<std::int32_t>(k));
        data.push_back(k == row ? 4 : -1);
        b[row] += data.back();
      }
      offsets.push_back(static_cast<std::int64_t>(data.size()));
    }
    std::vector<double> direction = b, state(2 * static_cast<std::size_t>(ConjugateState::count));
    double square = 0;
    for (const double x : b) square += x * x;
    if (has_factor)
      for (double& x : direction) x *= 0.25;
    state[0] = has_factor ? square / 4 : square;
    state[1] = std::sqrt(square);
    state[3] = static_cast<double>(ConjugateEnd::running);
    state[4] = 1e-10;
    const auto& on = device();
    const memory::Buffer a(on, data), c(on, columns), o(on, offsets), p(on, direction),
        q(on, zeros), r(on, b), x(on, zeros), f(on, factor), s(on, state);
    launch_conjugate_steps(*shared_stream(),
                           {.product = {.form = {},
                                        .rows = rows,
                                        .columns = rows,
                                        .entries = data.size(),
                                        .schedule = schedule},
                            .has_factor = has_factor,
                            .parts = parts,
                            .lone_items = lone_items},
                           {.data = a,
                            .columns = c,
                            .starts = o,
                            .direction = p,
                            .product = q,
                            .residual = r,
                            .solution = x,
                            .factor = f,
                            .state = s},
                           parts == ConjugateParts::three_kernels ? 30 : 1000);
    shared_stream()->synchronize();
    memory::pool_of(*on).trim();  // what was between kernels lay there
    if (!on->info().traits.runs_kernels) return;
    s.copy_to(state);
    EXPECT_EQ(state[3], static_cast<double>(ConjugateEnd::converged));
    EXPECT_LE(state[1], 1e-10);
    EXPECT_GT(state[2], 5);
    EXPECT_LT(state[2], 30);
    std::vector<double> found(rows);
    x.copy_to(found);
    for (const double one : found) ASSERT_NEAR(one, 1, 1e-9);
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, ConjugateStepsTest, device::each_device(),
                         device::device_test_name);

TEST_P(ConjugateStepsTest, Solves) {
  if (!device()->info().traits.fp64) GTEST_SKIP() << "sums are float64";
  for (const bool has_factor : {false, true})
    for (const ConjugateParts parts : {ConjugateParts::one_group, ConjugateParts::three_kernels})
      expect_solution(parts, std::nullopt, has_factor);
}

TEST_P(ConjugateStepsTest, SolvesOnTheWideSchedule) {
  const device::DeviceInfo& info = device()->info();
  // PoCL 3.1 does not take barriers in conditions, uniform as they are.
  if (info.language != Language::cuda_c) GTEST_SKIP() << "the schedule of GPUs, on CUDA devices";
  for (const ConjugateParts parts : {ConjugateParts::one_group, ConjugateParts::three_kernels})
    expect_solution(parts, Schedule::wide, true);
  for (const unsigned items : {128, 256, 512})  // vectors in memory, four and two rows in registers
    expect_solution(ConjugateParts::one_group, Schedule::wide, items != 256, items);
  const bool can_meet = info.kind == device::DeviceKind::gpu && info.traits.cooperative_launch;
  if (can_meet) expect_solution(ConjugateParts::several_groups, Schedule::wide, true);
}

}  // namespace
}  // namespace treadle::kernel
