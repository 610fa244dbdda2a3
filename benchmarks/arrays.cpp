// SPDX-License-Identifier: MIT
// What arrays cost the host, on 1000 elements. `arrays ID` chooses the device.
#include <algorithm>
#include <memory>
#include <treadle/array/array.hpp>
#include <treadle/treadle.hpp>
#include <vector>

#include "serve.hpp"

namespace array = treadle::array;
namespace device = treadle::device;

namespace {

constexpr int small = 1000;
constexpr int batch = 100;  // fewer than are pending at most, and than drivers queue

// The launch that 5 * x + 6 * y needs, but written by hand.
const char* const source = R"(
#include <treadle/dialect.h>
TREADLE_KERNEL linear(TREADLE_GLOBAL float *z, TREADLE_GLOBAL const float *x,
                      TREADLE_GLOBAL const float *y, float five, float six, int n)
{
  int i = treadle_global_id(0);
  if (i < n) z[i] = five * x[i] + six * y[i];
}
)";

/// Keeps the compiler from leaving out what gave `value`.
void use(const void* value) { asm volatile("" : : "g"(value) : "memory"); }

/// On the current stream, so that arrays are there.
struct Job {
  explicit Job(const std::shared_ptr<device::Device>& where)
      : stream(where->make_stream()),
        scope(stream),
        program(where, source),
        out(where, small * sizeof(float)),
        in(where, small * sizeof(float)),
        x(array::Array::from(std::vector<float>(small, 1.0f))),
        y(array::Array::from(std::vector<float>(small, 2.0f))) {}

  /// Seconds of one call among `count`; what they have queued is waited for afterwards.
  template <class Call>
  double each(int count, Call call) const {
    const double taken = bench::seconds([&] {
      for (int i = 0; i < count; ++i) call(i);
    });
    stream->synchronize();
    return taken / count;
  }

  double record() const {
    return each(10000, [&](int) {
      const array::Array sum = x + y;
      use(&sum);
    });
  }

  double sum() const {
    return each(batch, [&](int) {
      const array::Array sum = x + y;
      array::evaluate(std::span(&sum, 1));
    });
  }

  double evaluate() const {
    std::vector<array::Array> pending;
    for (int i = 0; i < batch; ++i) pending.push_back(5.0 * x + 6.0 * y);
    return each(batch, [&](int i) {
      array::evaluate(std::span(&pending[static_cast<std::size_t>(i)], 1));
    });
  }

  /// A call of an algorithm on 1000 elements, until its kernels are queued.
  template <class Call>
  double algorithm(Call call) const {
    for (int i = 0; i < 3; ++i) call();  // kernels, plans and memory are made
    stream->synchronize();
    return each(batch, [&](int) {
      const array::Array made = call();
      array::evaluate(std::span(&made, 1));
    });
  }

  double launch() const {
    return each(batch, [&](int) {
      // No element: the device does next to nothing.
      stream->launch(kernel, {.groups = 1, .group_size = 32}, out, in, in, 5.0f, 6.0f, 0);
    });
  }

  std::shared_ptr<device::Stream> stream;
  device::StreamScope scope;
  treadle::Program program;
  device::Kernel kernel = program.kernel("linear");
  treadle::Buffer out, in;
  array::Array x, y;
};

}  // namespace

int main(int count, char** arguments) try {
  const Job job(count > 1 ? treadle::find_device(arguments[1]) : treadle::default_device());
  bench::serve({
      {"record", [&] { return job.record(); }},
      {"a + b, queued", [&] { return job.sum(); }},
      {"evaluate", [&] { return job.evaluate(); }},
      {"launch", [&] { return job.launch(); }},
      {"cumulative_sum", [&] { return job.algorithm([&] { return cumulative_sum(job.x); }); }},
      {"sorted", [&] { return job.algorithm([&] { return array::sorted(job.x); }); }},
      {"argsort", [&] { return job.algorithm([&] { return argsort(job.x); }); }},
      {"histogram",
       [&] {
         const array::HistogramBins bins{.count = 16, .range = std::pair(0.0, 4.0)};
         return job.algorithm([&] { return array::histogram(job.x, bins).counts; });
       }},
      {"searchsorted", [&] { return job.algorithm([&] { return searchsorted(job.x, job.y); }); }},
      {"flatnonzero with a capacity",
       [&] { return job.algorithm([&] { return flatnonzero(job.x, {1000}).values; }); }},
      // Of neighbouring batches, so that what disturbs the one disturbs the other.
      {"evaluate over launch", [&] { return std::max(job.evaluate() - job.launch(), 1e-9); }},
  });
  return 0;
} catch (const std::exception& error) {
  std::printf("{\"absent\": \"%s\"}\n", bench::quotable(error.what()).c_str());
  return 1;
}
