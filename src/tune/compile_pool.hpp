// SPDX-License-Identifier: MIT
// Threads that compile variants for one that measures.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "treadle/device/device.hpp"
#include "treadle/kernel/program.hpp"
#include "treadle/tune/measure.hpp"
#include "treadle/tune/variant.hpp"

namespace treadle::tune {

/// A variant that was compiled, or could not be.
struct CompiledVariant {
  std::uint64_t number = 0;  ///< in its space
  std::uint64_t put = 0;     ///< as which of all
  Variant variant = {};
  std::optional<kernel::Program> program = {};  ///< where the run-time compiles and loads as one
  double seconds = 0;                           ///< that it took
  std::exception_ptr error = {};
  std::optional<Measured> failure = {};  ///< of another process that compiled it
};

/// Compiles what is put in on all threads and gives it out in the order in which it is ready. What
/// is in it is bounded by whoever puts in.
class CompilePool {
 public:
  /// `elsewhere`: TuneOptions::compile_with, or nothing. `loads`: what is compiled there is loaded
  /// here by the same thread, where the run-time builds texts.
  CompilePool(std::shared_ptr<device::Device> device, unsigned threads,
              std::function<Measured(const Variant&)> elsewhere = {}, bool loads = false);
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;
  /// What nobody has begun is not compiled any more; waits for what was begun.
  ~CompilePool();

  void put(std::uint64_t number, Variant variant);
  /// The next one; waits for it. None: there is nothing in it.
  std::optional<CompiledVariant> take();
  /// Waits until everything is compiled; it is given out in the order in which it was put in, so
  /// that a search takes the same way again. From `until` on nothing is begun any more before
  /// take() needs it, and only for what was begun is waited.
  void wait(std::optional<std::chrono::steady_clock::time_point> until = {});
  std::size_t size() const;   ///< of what was put in and not taken
  std::size_t ready() const;  ///< of those that are compiled
  unsigned threads() const noexcept { return static_cast<unsigned>(threads_.size()); }

 private:
  void work(const std::stop_token& stop);
  void compile(CompiledVariant& item) const;

  std::shared_ptr<device::Device> device_;
  std::function<Measured(const Variant&)> elsewhere_;
  bool loads_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any wanted_;
  std::condition_variable changed_;
  std::deque<CompiledVariant> waiting_, ready_;
  std::size_t being_compiled_ = 0;
  bool is_paused_ = false;
  std::uint64_t put_ = 0;
  std::vector<std::jthread> threads_;
};

}  // namespace treadle::tune
