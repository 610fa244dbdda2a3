// SPDX-License-Identifier: MIT
// A transposition whose tile, work-items and padding are found by measuring, on every device.
// `tuned_kernel page.html` writes a page of what was tried.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <treadle/treadle.hpp>
#include <vector>

namespace tune = treadle::tune;

const std::string source = R"(
#include "treadle/dialect.h"
TREADLE_KERNEL transpose(TREADLE_GLOBAL float *out, TREADLE_GLOBAL const float *in, int n)
{
  TREADLE_LOCAL float square[TILE][TILE + PADDING];
  const int x = treadle_local_id(0), y = treadle_local_id(1);
  const int column = treadle_group_id(0) * TILE, row = treadle_group_id(1) * TILE;
  for (int k = y; k < TILE; k += ROWS) square[k][x] = in[(row + k) * n + column + x];
  treadle_barrier();
  for (int k = y; k < TILE; k += ROWS) out[(column + k) * n + row + x] = square[x][k];
}
)";

constexpr int n = 1024;

int main(int count, char** words) {
  std::vector<float> values(std::size_t{n} * n), transposed(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<float>(k % 8191);
  for (std::size_t k = 0; k < values.size(); ++k) transposed[k % n * n + k / n] = values[k];
  const auto expected = std::as_bytes(std::span(transposed));

  const auto store = std::make_shared<tune::Store>("");  // in memory; of_user() is kept
  bool correct = true;
  for (const auto& device : treadle::devices()) {
    if (!device->info().traits.runs_kernels) continue;
    tune::Space space;
    space.let(device->info()).let("n", std::int64_t{n});
    space.add_powers_of_two("TILE", 8, 64).add_powers_of_two("ROWS", 1, 64);
    space.add("PADDING", {std::int64_t{0}, std::int64_t{1}});
    space.require("ROWS <= TILE and n % TILE == 0");
    space.require("TILE <= device.max_group_x and TILE * ROWS <= device.max_group_items");
    space.require("4 * TILE * (TILE + PADDING) <= device.local_bytes");
    space.require("TILE * ROWS <= kernel.max_group_items");  // asked when it has been compiled

    const treadle::Buffer in(device, values), out(device, values);
    const auto first = space.make({{"TILE", std::int64_t{16}}, {"ROWS", std::int64_t{16}}});
    const tune::KernelTemplate kernel{.text = source,
                                      .kernel = "transpose",
                                      .groups = {"n // TILE", "n // TILE"},
                                      .group_size = {"TILE", "ROWS"}};
    tune::TuneOptions options{.search = {.budget = {.evaluations = 10}, .start = {first}}};
    tune::use_store(
        options, store,
        {tune::kernel_key(kernel, space), {{"n", std::int64_t{n}}}, tune::environment_of(*device)});
    const auto tuned = tune::tune_kernel(
        device, space, kernel,
        {tune::ProblemArgument::output(
             out, {.bytes = {expected.begin(), expected.end()}, .dtype = treadle::Scalar::float32}),
         in, n},
        options);
    const auto before = std::ranges::find(tuned.attempts, first, &tune::Attempt::configuration);
    std::printf("%s: %s of %llu takes %.0f us, %.2f times as fast as %s\n",
                device->info().id.c_str(), tuned.configuration.text().c_str(),
                static_cast<unsigned long long>(space.size()), 1e6 * tuned.seconds,
                before->measured.seconds / tuned.seconds, first.text().c_str());
    for (const tune::Attempt& each : tuned.attempts)
      correct =
          correct && (each.measured.is_right() || each.measured.outcome == tune::Outcome::excluded);
  }
  if (count > 1) std::ofstream(words[1]) << tune::report_page(*store);
  return correct ? 0 : 1;
}
