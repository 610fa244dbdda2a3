// SPDX-License-Identifier: MIT
// One run of cuSOLVER's routines over a stack of matrices, as a computation of the array room.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "linalg/gpu_solver.hpp"
#include "linalg/host_matrices.hpp"
#include "linalg/operands.hpp"
#include "treadle/array/computation.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/device/deferred.hpp"
#include "treadle/device/device.hpp"
#include "treadle/memory/buffer.hpp"
#include "treadle/process/settings.hpp"

namespace treadle::linalg {

using array::Shape;
using library::Cusolver;
using library::CusolverRoutines;
using library::CusolverWords;

/// That of the array's device.
inline DeviceSolver& solver_of(const Array& x) { return x.stream()->device().slot<DeviceSolver>(); }

/// As cuSOLVER takes lengths.
inline int whole(std::int64_t value) { return static_cast<int>(value); }

/// Memory on the device with elements of one type.
template <class T>
struct Elements {
  device::Location place;  ///< of the first
  T* at(std::int64_t index = 0) const {
    return reinterpret_cast<T*>(place.handle + place.offset) + index;
  }
  Elements from(std::int64_t index) const {
    return {place + static_cast<std::uint64_t>(index) * sizeof(T)};
  }
};

/// One run of routines over a stack of matrices: where things lie, and who is called.
class SolverRun {
 public:
  SolverRun(device::Stream& stream, const array::ComputationLaunch& launch,
            std::span<const array::ResultSpec> results)
      : stream_(stream), solver_(stream.device().slot<DeviceSolver>()), launch_(launch) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      const auto place = launch.result(static_cast<unsigned>(i));
      std::size_t count = 1;
      for (const std::int64_t length : results[i].shape) count *= static_cast<std::size_t>(length);
      results_.push_back(place ? place->location
                               : memory(count * results[i].dtype.size_bytes()));  // nobody wants it
    }
  }

  template <class T>
  Elements<T> result(std::size_t which) const {
    return {results_[which]};
  }
  /// Copies an input, which is dense, to where it may be changed.
  template <class T>
  Elements<T> copied(std::size_t input, Elements<T> to, std::int64_t count) {
    queue_copy(to, Elements<T>{launch_.input(input).location}, count);
    return to;
  }
  template <class T>
  void queue_copy(const Elements<T>& to, const Elements<T>& from, std::int64_t count) {
    if (count > 0) stream_.copy(to.place, from.place, static_cast<std::size_t>(count) * sizeof(T));
  }
  /// Memory until the run has ended.
  template <class T>
  Elements<T> scratch(std::int64_t count) {
    return {memory(static_cast<std::size_t>(count) * sizeof(T))};
  }
  /// Calls with the handle on the stream. Nothing is allocated in there: memory may have to come
  /// from pending work, which may want the handle.
  void call(const std::function<void(void*)>& function) const {
    solver_.handle()->on_stream(stream_.raw(), {}, function);
  }
  /// The elements of work that a routine asks for.
  int size(const char* routine, const std::function<int(void*, int*)>& ask) const {
    int size = 0;
    call([&](void* handle) { Cusolver::check(ask(handle, &size), routine); });
    return size;
  }
  template <class T>
  const CusolverRoutines<T>& routines() const {
    return solver_.handle()->library().routines<T>();
  }
  const library::CusolverTable& table() const { return solver_.handle()->library().table(); }

 private:
  device::Location memory(std::size_t size_bytes) {
    own_.push_back(
        memory::Buffer::pooled(stream_.shared_from_this(), std::max<std::size_t>(size_bytes, 1)));
    return own_.back().location();
  }

  device::Stream& stream_;
  DeviceSolver& solver_;
  const array::ComputationLaunch& launch_;
  std::vector<memory::Buffer> own_;
  std::vector<device::Location> results_;
};

/// A decomposition as a computation of the array room.
class SolverComputation final : public array::Computation {
 public:
  using Queue = std::function<void(SolverRun&)>;
  SolverComputation(const char* name, std::vector<array::ResultSpec> results, Queue queue)
      : name_(name), results_(std::move(results)), queue_(std::move(queue)) {}
  std::string_view name() const override { return name_; }
  kernel::KernelNote run(device::Stream& stream,
                         const array::ComputationLaunch& launch) const override {
    const device::LeaveDeferred leave;
    SolverRun run(stream, launch, results_);
    queue_(run);
    if (settings().sync) stream.synchronize();
    return {.name = &name_, .text = &stream.device().slot<DeviceSolver>().text()};
  }

 private:
  std::string name_;
  std::vector<array::ResultSpec> results_;
  Queue queue_;
};

/// Matrices of one shape: how many, and what is before their axes.
struct Stack {
  Shape batch;
  std::int64_t m, n, count;
  explicit Stack(const Array& x)
      : batch(x.shape().begin(), x.shape().end() - 2),
        m(*(x.shape().end() - 2)),
        n(x.shape().back()),
        count(element_count(batch)) {}
  /// The shape of one matrix of each, as it lies: columns x rows; or of a vector.
  Shape shape(std::initializer_list<std::int64_t> axes) const {
    Shape all = batch;
    all.insert(all.end(), axes);
    return all;
  }
};

/// Each matrix column by column, dense.
inline Array in_columns(const Array& x) { return array::dense_copy(array::swapaxes(x, -1, -2)); }
/// Their transposed.
inline Array as_matrices(const Array& columns) { return array::swapaxes(columns, -1, -2); }

/// Records what `queue` calls.
inline std::vector<Array> queue_routine(const char* name, std::span<const Array> inputs,
                                        const std::vector<array::ResultSpec>& results,
                                        SolverComputation::Queue queue) {
  return array::pending_results(
      std::make_shared<SolverComputation>(name, results, std::move(queue)), inputs, results);
}

/// Matrices that routines of many take.
inline constexpr std::int64_t most_of_many = 32;
/// Whether the stack is one call of theirs.
inline bool is_one_call(const DeviceSolver& solver, const Stack& stack) {
  return stack.count >= solver.least_stack &&
         stack.count <= std::numeric_limits<std::int32_t>::max() &&
         std::min(stack.m, stack.n) > 0 && std::max(stack.m, stack.n) <= most_of_many;
}

/// Waits, and calls `refuse` with the first matrix that failed and how.
inline void require_success(const Array& info, const char* routine,
                            const std::function<void(std::int64_t, int)>& refuse) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(info.size()));
  info.get(static_cast<void*>(all.data()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] < 0)
      Cusolver::check(3, routine, [&] { return "argument " + std::to_string(-all[i]); });
    if (all[i] > 0) refuse(static_cast<std::int64_t>(i), all[i]);
  }
}

/// Calls `function` with a value of the C++ type of the dtype.
template <class F>
auto with_type(const Array& x, F function) {
  return with_dtype("", x, [&](auto number, const Array&) { return function(number); });
}

}  // namespace treadle::linalg
