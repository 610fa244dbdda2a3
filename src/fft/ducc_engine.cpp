// SPDX-License-Identifier: MIT
// The transforms of ducc0 (BSD-3-Clause), compiled once for each set of processor features. A task
// runs as the blocks of one launch: the first to arrive leads and calls ducc0, whose parallel
// regions are cut into shares; the others take shares until the leader is done. Nobody waits for a
// block that has not started, because the leader takes all shares that nobody else took.
#include <sched.h>

#include <atomic>
#include <cstring>
#include <exception>
#include <list>
#include <mutex>
#include <new>
#include <tuple>

#include "ducc0/fft/fft.h"
#include "ducc0/fft/fftnd_impl.h"
#include "fft/host_task.hpp"

namespace DUCC0_NAMESPACE {
namespace {

using treadle::fft::HostTask;
using treadle::fft::TransformKind;

/// What the blocks of a task share: all zeros before it and behind it.
struct Team {
  std::atomic<std::uint32_t> arrived;  // blocks that have come
  std::atomic<std::uint32_t> left;     // blocks that have gone
  /// The open region: its number, how many shares it has, and the next share to take, in one word,
  /// so that nobody takes a share of a region that was closed meanwhile.
  std::atomic<std::uint64_t> word;
  std::atomic<const std::function<void(std::size_t)>*> region;
  std::atomic<std::uint32_t> finished;  // shares of the region
  std::atomic<std::uint32_t> failed;    // whether a share had no memory
};
static_assert(sizeof(Team) <= 64);

constexpr std::uint64_t all_done = ~std::uint64_t{0};
constexpr std::uint64_t shares_of(std::uint64_t word) { return word >> 16 & 0xffff; }
constexpr std::uint64_t next_of(std::uint64_t word) { return word & 0xffff; }

thread_local Team* led = nullptr;  // by this thread, and no region is open

void pause_a_while(unsigned& rounds) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
  if (++rounds > 256) sched_yield();
}

/// Takes and runs shares of the open region while there are any.
void take_shares(Team& team) {
  std::uint64_t word = team.word.load(std::memory_order_acquire);
  while (word != all_done && next_of(word) < shares_of(word)) {
    if (!team.word.compare_exchange_weak(word, word + 1, std::memory_order_acq_rel)) continue;
    try {
      (*team.region.load(std::memory_order_relaxed))(next_of(word));
    } catch (...) {
      team.failed.store(1, std::memory_order_relaxed);
    }
    team.finished.fetch_add(1, std::memory_order_acq_rel);
    word = team.word.load(std::memory_order_acquire);
  }
}

/// Runs body(0) to body(shares - 1), on all threads that come.
void run_region(std::size_t shares, const std::function<void(std::size_t)>& body) {
  Team* const team = std::exchange(led, nullptr);
  if (team == nullptr || shares == 1) {
    for (std::size_t share = 0; share < shares; ++share) body(share);
    led = team;
    return;
  }
  const std::uint64_t number = (team->word.load(std::memory_order_relaxed) >> 32) + 1;
  team->region.store(&body, std::memory_order_relaxed);
  team->finished.store(0, std::memory_order_relaxed);
  team->word.store(number << 32 | std::uint64_t{shares} << 16, std::memory_order_release);
  take_shares(*team);
  unsigned rounds = 0;
  while (team->finished.load(std::memory_order_acquire) < shares) pause_a_while(rounds);
  led = team;
  if (team->failed.load(std::memory_order_relaxed) != 0) throw std::bad_alloc();
}

/// What ducc0 asks for its share of a region.
class Share final : public detail_threading::Scheduler {
 public:
  Share(std::size_t count, std::size_t number, detail_threading::Range range)
      : count_(count), number_(number), range_(range) {}
  std::size_t num_threads() const override { return count_; }
  std::size_t thread_num() const override { return number_; }
  detail_threading::Range getNext() override { return std::exchange(range_, {}); }

 private:
  std::size_t count_, number_;
  detail_threading::Range range_;
};

detail_threading::Range part_of(std::size_t low, std::size_t high, std::size_t parts,
                                std::size_t part) {
  const std::size_t count = high - low;
  return {low + count * part / parts, low + count * (part + 1) / parts};
}

}  // namespace

namespace detail_threading {

std::size_t adjust_nthreads(std::size_t nthreads) {
  return std::clamp<std::size_t>(nthreads, 1, 1024);
}
void execParallel(std::size_t nthreads, std::function<void(Scheduler&)> func) {
  const std::size_t shares = adjust_nthreads(nthreads);
  run_region(shares, [&](std::size_t number) {
    Share share(shares, number, {});
    func(share);
  });
}
void execStatic(std::size_t nwork, std::size_t nthreads, std::size_t,
                std::function<void(Scheduler&)> func) {
  const std::size_t shares = std::min(adjust_nthreads(nthreads), std::max<std::size_t>(nwork, 1));
  run_region(shares, [&](std::size_t number) {
    Share share(shares, number, part_of(0, nwork, shares, number));
    func(share);
  });
}
void execParallel(std::size_t work_lo, std::size_t work_hi, std::size_t nthreads,
                  std::function<void(std::size_t, std::size_t)> func) {
  const std::size_t shares = adjust_nthreads(nthreads);
  run_region(shares, [&](std::size_t number) {
    const Range range = part_of(work_lo, work_hi, shares, number);
    func(range.lo, range.hi);
  });
}

}  // namespace detail_threading

namespace detail_fft {
namespace {

/// Plans of one type that were used last, up to a number of bytes in all.
template <class Plan>
class PlanCache {
 public:
  static std::shared_ptr<Plan> get(std::size_t length, bool vectorize) {
    static PlanCache* const cache = new PlanCache;  // used by threads that outlive the statics
    return cache->find_or_make(length, vectorize);
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;
  struct Entry {
    std::size_t length;
    bool vectorize;
    std::size_t bytes;
    std::shared_ptr<Plan> plan;
  };

  std::shared_ptr<Plan> find(std::size_t length, bool vectorize) {
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry)
      if (entry->length == length && entry->vectorize == vectorize) {
        entries_.splice(entries_.begin(), entries_, entry);
        return entry->plan;
      }
    return nullptr;
  }
  std::shared_ptr<Plan> find_or_make(std::size_t length, bool vectorize) {
    {
      const std::lock_guard lock(mutex_);
      if (auto plan = find(length, vectorize)) return plan;
    }
    auto plan = std::make_shared<Plan>(length, vectorize);
    const std::lock_guard lock(mutex_);
    if (auto made_meanwhile = find(length, vectorize)) return made_meanwhile;
    // An estimate: a plan has about as many roots as its length.
    const std::size_t bytes = 256 + 32 * length;
    entries_.push_front({length, vectorize, bytes, plan});
    bytes_ += bytes;
    while (bytes_ > most_bytes && entries_.size() > 1) {
      bytes_ -= entries_.back().bytes;
      entries_.pop_back();
    }
    return plan;
  }

  std::mutex mutex_;  // guards what follows
  std::list<Entry> entries_;
  std::size_t bytes_ = 0;
};

// ducc0's own cache keeps ten plans of each type, and none of more than 1 MiB.
#define TREADLE_KEEP_PLANS(...)                                                           \
  template <>                                                                             \
  [[maybe_unused]] std::shared_ptr<__VA_ARGS__> get_plan<__VA_ARGS__>(std::size_t length, \
                                                                      bool vectorize) {   \
    return PlanCache<__VA_ARGS__>::get(length, vectorize);                                \
  }
TREADLE_KEEP_PLANS(pocketfft_c<float>)
TREADLE_KEEP_PLANS(pocketfft_c<double>)
TREADLE_KEEP_PLANS(pocketfft_r<float>)
TREADLE_KEEP_PLANS(pocketfft_r<double>)
TREADLE_KEEP_PLANS(Long1dPlan<float>)
TREADLE_KEEP_PLANS(Long1dPlan<double>)
#undef TREADLE_KEEP_PLANS

}  // namespace
}  // namespace detail_fft

namespace {

using Sizes = std::vector<std::size_t>;
using Strides = std::vector<std::ptrdiff_t>;

template <class T>
T* at(std::uint64_t address) {
  return reinterpret_cast<T*>(static_cast<std::uintptr_t>(address));
}

// ducc0 transforms a long row of real elements on one thread, and complex ones, cut into columns,
// on all. So n real numbers are n / 2 complex ones, z[j] = x[2j] + i x[2j + 1]. With r = w^k,
// w = exp(-+2 pi i / n), of their transform Z
//
//   x^[k] = (Z[k] + conj Z[n/2 - k]) / 2 + r (Z[k] - conj Z[n/2 - k]) / 2i
//
// and the other way Z[k] = (x^[k] + conj x^[n/2 - k]) + i r (x^[k] - conj x^[n/2 - k]).
constexpr std::int64_t least_long_row = 1 << 18;  // half of it is cut into columns

bool is_long_real_row(const HostTask& task) {
  return task.kind != TransformKind::complex && task.rank == 1 && task.shape[0] >= least_long_row &&
         task.shape[0] % 2 == 0 && task.input_strides[0] == 1 && task.output_strides[0] == 1;
}

/// i a b, without the checks for infinities of std::complex.
template <class T>
std::complex<T> turned_product(const std::complex<T>& a, const std::complex<T>& b) {
  return {-(a.real() * b.imag() + a.imag() * b.real()), a.real() * b.real() - a.imag() * b.imag()};
}

/// Calls pair(k, n/2 - k, w^k) for all k from 1 to n/4, on all threads.
template <class T, class Pair>
void for_pairs(const HostTask& task, Pair pair) {
  const auto length = static_cast<std::size_t>(task.shape[0]), half = length / 2;
  const auto kept = detail_fft::get_plan<detail_fft::Long1dPlan<T>>(length);
  const auto& roots = *kept;
  const bool is_forward = task.is_forward;
  execStatic(half / 2, task.threads, 0, [&](detail_threading::Scheduler& scheduler) {
    while (const auto range = scheduler.getNext())
      for (std::size_t k = range.lo + 1; k <= range.hi; ++k) {
        const std::complex<T> root = roots[k];
        pair(k, half - k, is_forward ? std::conj(root) : root);
      }
  });
}

template <class T>
void long_real_row(const HostTask& task) {
  using Complex = std::complex<T>;
  const auto half = static_cast<std::size_t>(task.shape[0]) / 2;
  const auto row = [&](Complex* first) {
    return vfmav<Complex>(first, {half}, {std::ptrdiff_t{1}});
  };
  const auto factor = static_cast<T>(task.factor);
  if (task.kind == TransformKind::real_to_complex) {
    Complex* const z = at<Complex>(task.output);
    detail_fft::c2c(cfmav<Complex>(row(at<Complex>(task.input))), row(z), {0}, task.is_forward,
                    factor, task.threads);
    for_pairs<T>(task, [z](std::size_t k, std::size_t other, Complex root) {
      const Complex sum = (z[k] + std::conj(z[other])) * T(0.5);
      const Complex rest = turned_product((z[k] - std::conj(z[other])) * T(0.5), root);
      z[other] = std::conj(sum + rest);
      z[k] = sum - rest;
    });
    z[half] = z[0].real() - z[0].imag();
    z[0] = z[0].real() + z[0].imag();
    return;
  }
  const Complex* const x = at<const Complex>(task.input);
  std::vector<Complex> made(half);
  Complex* const z = made.data();
  z[0] = Complex(x[0].real() + x[half].real(), x[0].real() - x[half].real());
  for_pairs<T>(task, [x, z](std::size_t k, std::size_t other, Complex root) {
    const Complex sum = x[k] + std::conj(x[other]);
    const Complex rest = turned_product(x[k] - std::conj(x[other]), root);
    z[other] = std::conj(sum - rest);
    z[k] = sum + rest;
  });
  detail_fft::c2c(cfmav<Complex>(row(z)), row(at<Complex>(task.output)), {0}, task.is_forward,
                  factor, task.threads);
}

template <class T>
void transform(const HostTask& task) {
  if (is_long_real_row(task)) return long_real_row<T>(task);
  using Complex = std::complex<T>;
  const std::size_t rank = task.rank;
  const Sizes shape(task.shape.begin(), task.shape.begin() + rank);
  const Strides in(task.input_strides.begin(), task.input_strides.begin() + rank);
  const Strides out(task.output_strides.begin(), task.output_strides.begin() + rank);
  const Sizes axes(task.axes.begin(), task.axes.begin() + task.axis_count);
  Sizes halved = shape;
  halved[axes.back()] = halved[axes.back()] / 2 + 1;
  const auto factor = static_cast<T>(task.factor);
  const std::size_t threads = task.threads;
  switch (task.kind) {
    case TransformKind::complex:
      return detail_fft::c2c(cfmav<Complex>(at<Complex>(task.input), shape, in),
                             vfmav<Complex>(at<Complex>(task.output), shape, out), axes,
                             task.is_forward, factor, threads);
    case TransformKind::real_to_complex:
      return detail_fft::r2c(cfmav<T>(at<T>(task.input), shape, in),
                             vfmav<Complex>(at<Complex>(task.output), halved, out), axes,
                             task.is_forward, factor, threads);
    case TransformKind::complex_to_real:
      return detail_fft::c2r(cfmav<Complex>(at<Complex>(task.input), halved, in),
                             vfmav<T>(at<T>(task.output), shape, out), axes.back(), task.is_forward,
                             factor, threads);
  }
}

int lead(const HostTask& task, Team* team) noexcept {
  led = team;
  int failure = 0;
  try {
    task.is_double ? transform<double>(task) : transform<float>(task);
  } catch (...) {
    failure = 1;
  }
  led = nullptr;
  return failure;
}

}  // namespace
}  // namespace DUCC0_NAMESPACE

extern "C" int TREADLE_ENGINE(const treadle::fft::HostTask& task, unsigned parts,
                              void* shared) noexcept {
  using namespace DUCC0_NAMESPACE;
  if (shared == nullptr) return lead(task, nullptr);
  Team& team = *static_cast<Team*>(shared);
  int failure = 0;
  if (team.arrived.fetch_add(1, std::memory_order_acq_rel) == 0) {
    failure = lead(task, &team);
    team.word.store(all_done, std::memory_order_release);
  } else {
    unsigned rounds = 0;
    while (team.word.load(std::memory_order_acquire) != all_done) {
      take_shares(team);
      pause_a_while(rounds);
    }
  }
  if (team.left.fetch_add(1, std::memory_order_acq_rel) + 1 == parts) {
    team.word.store(0, std::memory_order_relaxed);
    team.finished.store(0, std::memory_order_relaxed);
    team.failed.store(0, std::memory_order_relaxed);
    team.region.store(nullptr, std::memory_order_relaxed);
    team.arrived.store(0, std::memory_order_relaxed);
    team.left.store(0, std::memory_order_release);
  }
  return failure;
}
