// SPDX-License-Identifier: MIT
#include "linalg/gpu_solver.hpp"

#include <algorithm>
#include <complex>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "linalg/gpu_library.hpp"
#include "linalg/host_matrices.hpp"
#include "linalg/operands.hpp"
#include "linalg/refusals.hpp"
#include "treadle/array/computation.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
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

library::CusolverHandle* DeviceSolver::handle() {
  std::call_once(opened_, [&] {
    if (handle_ == nullptr) use(on_gpu_of_nvidia<library::CusolverHandle>(device_));
  });
  return handle_.get();
}
void DeviceSolver::use(std::unique_ptr<library::CusolverHandle> handle) {
  handle_ = std::move(handle);
  if (handle_ != nullptr)
    text_ =
        handle_->library().path().filename().string() + ", version " + handle_->library().version();
}

namespace {

DeviceSolver& solver_of(const Array& x) { return x.stream()->device().slot<DeviceSolver>(); }

int whole(std::int64_t value) { return static_cast<int>(value); }

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
Array in_columns(const Array& x) { return array::dense_copy(array::swapaxes(x, -1, -2)); }
Array as_matrices(const Array& columns) { return array::swapaxes(columns, -1, -2); }

std::vector<Array> queue_routine(const char* name, std::span<const Array> inputs,
                                 const std::vector<array::ResultSpec>& results,
                                 SolverComputation::Queue queue) {
  return array::pending_results(
      std::make_shared<SolverComputation>(name, results, std::move(queue)), inputs, results);
}

/// Matrices that routines of many take.
constexpr std::int64_t most_of_many = 32;
bool is_one_call(const DeviceSolver& solver, const Stack& stack) {
  return stack.count >= solver.least_stack &&
         stack.count <= std::numeric_limits<std::int32_t>::max() &&
         std::min(stack.m, stack.n) > 0 && std::max(stack.m, stack.n) <= most_of_many;
}

/// Settings of routines by Jacobi's rotations, as the library has them; they sort.
class Rotations {
 public:
  using Create = int (*)(void**);
  using Destroy = int (*)(void*);
  Rotations(Create create, Destroy destroy) : destroy_(destroy) {
    Cusolver::check(create(&raw_), "cusolverDnCreateXjInfo");
  }
  ~Rotations() { destroy_(raw_); }
  Rotations(const Rotations&) = delete;
  Rotations& operator=(const Rotations&) = delete;
  void* raw() const noexcept { return raw_; }

 private:
  Destroy destroy_;
  void* raw_ = nullptr;
};

/// Waits, and calls `refuse` with the first matrix that failed and how.
void require_success(const Array& info, const char* routine,
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

}  // namespace

bool is_for_gpu(const Array& x, std::int64_t DeviceSolver::* least, std::int64_t others) {
  DeviceSolver& solver = solver_of(x);
  const Stack stack(x);
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const bool is_long = std::min(stack.m, stack.n) >= std::max<std::int64_t>(solver.*least, 1);
  return stack.count > 0 &&
         (is_long || (least != &DeviceSolver::least_for_factors && is_one_call(solver, stack))) &&
         std::max(stack.m * stack.n, others) <= most && solver.handle() != nullptr;
}

Array gpu_solve(const char* name, const Array& a, const Array& b) {
  const Stack stack(a);
  const std::int64_t n = stack.n, columns = b.shape().back(), count = stack.count;
  return with_type(a, [&](auto number) {
    using T = decltype(number);
    const std::vector<array::ResultSpec> results = {{stack.shape({columns, n}), a.dtype()},
                                                    {{count}, Scalar::int32}};
    const Array inputs[] = {in_columns(a), in_columns(b)};
    const auto made = queue_routine(name, inputs, results, [=](SolverRun& run) {
      const CusolverRoutines<T>& routines = run.routines<T>();
      const Elements<T> factors = run.copied(0, run.scratch<T>(count * n * n), count * n * n);
      const Elements<T> sides = run.copied(1, run.result<T>(0), count * n * columns);
      const Elements<int> info = run.result<int>(1);
      const int size = run.size("getrf_bufferSize", [&](void* handle, int* asked) {
        return routines.getrf_size(handle, whole(n), whole(n), factors.at(), whole(n), asked);
      });
      const Elements<T> work = run.scratch<T>(size);
      const Elements<int> pivots = run.scratch<int>(n), other_info = run.scratch<int>(1);
      run.call([&](void* handle) {
        for (std::int64_t i = 0; i < count; ++i) {
          T* const own = factors.at(i * n * n);
          Cusolver::check(routines.getrf(handle, whole(n), whole(n), own, whole(n), work.at(),
                                         pivots.at(), info.at(i)),
                          "cusolverDnXgetrf");
          Cusolver::check(
              routines.getrs(handle, CusolverWords::plain, whole(n), whole(columns), own, whole(n),
                             pivots.at(), sides.at(i * n * columns), whole(n), other_info.at()),
              "cusolverDnXgetrs");
        }
      });
    });
    require_success(made[1], "cusolverDnXgetrf",
                    [&](std::int64_t i, int pivot) { refuse_singular(name, i, pivot); });
    return as_matrices(made[0]);
  });
}

PivotedFactors gpu_factors(const Array& a) {
  const Stack stack(a);
  const std::int64_t n = stack.n, count = stack.count;
  return with_type(a, [&](auto number) {
    using T = decltype(number);
    const std::vector<array::ResultSpec> results = {{stack.shape({n, n}), a.dtype()},
                                                    {stack.shape({n}), Scalar::int32},
                                                    {{count}, Scalar::int32}};
    const Array inputs[] = {in_columns(a)};
    const auto made = queue_routine("det", inputs, results, [=](SolverRun& run) {
      const CusolverRoutines<T>& routines = run.routines<T>();
      const Elements<T> factors = run.copied(0, run.result<T>(0), count * n * n);
      const Elements<int> pivots = run.result<int>(1), info = run.result<int>(2);
      const int size = run.size("getrf_bufferSize", [&](void* handle, int* asked) {
        return routines.getrf_size(handle, whole(n), whole(n), factors.at(), whole(n), asked);
      });
      const Elements<T> work = run.scratch<T>(size);
      run.call([&](void* handle) {
        for (std::int64_t i = 0; i < count; ++i)
          Cusolver::check(routines.getrf(handle, whole(n), whole(n), factors.at(i * n * n),
                                         whole(n), work.at(), pivots.at(i * n), info.at(i)),
                          "cusolverDnXgetrf");
      });
    });
    require_success(made[2], "cusolverDnXgetrf", [](std::int64_t, int) {});
    return PivotedFactors{array::diagonal(made[0], 0, -2, -1), made[1]};
  });
}

Array gpu_cholesky(const Array& a, bool is_upper) {
  const Stack stack(a);
  const std::int64_t n = stack.n, count = stack.count;
  return with_type(a, [&](auto number) {
    using T = decltype(number);
    const std::vector<array::ResultSpec> results = {{stack.shape({n, n}), a.dtype()},
                                                    {{count}, Scalar::int32}};
    const Array inputs[] = {in_columns(a)};
    const int part = is_upper ? CusolverWords::upper : CusolverWords::lower;
    const auto made = queue_routine("cholesky", inputs, results, [=](SolverRun& run) {
      const CusolverRoutines<T>& routines = run.routines<T>();
      const Elements<T> factors = run.copied(0, run.result<T>(0), count * n * n);
      const Elements<int> info = run.result<int>(1);
      const int size = run.size("potrf_bufferSize", [&](void* handle, int* asked) {
        return routines.potrf_size(handle, part, whole(n), factors.at(), whole(n), asked);
      });
      const Elements<T> work = run.scratch<T>(size);
      run.call([&](void* handle) {
        for (std::int64_t i = 0; i < count; ++i)
          Cusolver::check(routines.potrf(handle, part, whole(n), factors.at(i * n * n), whole(n),
                                         work.at(), size, info.at(i)),
                          "cusolverDnXpotrf");
      });
    });
    require_success(made[1], "cusolverDnXpotrf",
                    [](std::int64_t i, int order) { refuse_indefinite(i, order); });
    const Array factors = as_matrices(made[0]);
    return is_upper ? array::triu(factors) : array::tril(factors);
  });
}

namespace {

/// geqrf of all matrices in place; with q their first columns copied there and made the factor.
template <class T>
struct QrTask {
  std::int64_t m, n, count, width;  ///< q has `width` columns; 0: there is none

  void queue(SolverRun& run) const {
    const CusolverRoutines<T>& routines = run.routines<T>();
    const std::int64_t least = std::min(m, n);
    const Elements<T> factors = run.copied(0, run.result<T>(0), count * m * n);
    const Elements<int> info = run.result<int>(1);
    const Elements<T> tau = run.scratch<T>(count * least);
    const int size = run.size("geqrf_bufferSize", [&](void* handle, int* asked) {
      return routines.geqrf_size(handle, whole(m), whole(n), factors.at(), whole(m), asked);
    });
    const Elements<T> work = run.scratch<T>(size);
    run.call([&](void* handle) {
      for (std::int64_t i = 0; i < count; ++i)
        Cusolver::check(routines.geqrf(handle, whole(m), whole(n), factors.at(i * m * n), whole(m),
                                       tau.at(i * least), work.at(), size, info.at(i)),
                        "cusolverDnXgeqrf");
    });
    if (width > 0) queue_q(run, factors, tau, info);
  }
  void queue_q(SolverRun& run, const Elements<T>& factors, const Elements<T>& tau,
               const Elements<int>& info) const {
    const CusolverRoutines<T>& routines = run.routines<T>();
    const std::int64_t least = std::min(m, n);
    const Elements<T> q = run.result<T>(2);
    for (std::int64_t i = 0; i < count; ++i)
      run.queue_copy(q.from(i * m * width), factors.from(i * m * n), m * std::min(n, width));
    const int size = run.size("orgqr_bufferSize", [&](void* handle, int* asked) {
      return routines.orgqr_size(handle, whole(m), whole(width), whole(least), q.at(), whole(m),
                                 tau.at(), asked);
    });
    const Elements<T> work = run.scratch<T>(size);
    run.call([&](void* handle) {
      for (std::int64_t i = 0; i < count; ++i)
        Cusolver::check(
            routines.orgqr(handle, whole(m), whole(width), whole(least), q.at(i * m * width),
                           whole(m), tau.at(i * least), work.at(), size, info.at(i)),
            "cusolverDnXorgqr");
    });
  }
};

}  // namespace

Qr gpu_qr(const Array& a, QrMode mode) {
  const Stack stack(a);
  const std::int64_t m = stack.m, n = stack.n, least = std::min(m, n);
  const std::int64_t width = mode == QrMode::r ? 0 : mode == QrMode::complete ? m : least;
  return with_type(a, [&](auto number) {
    const QrTask<decltype(number)> task{m, n, stack.count, width};
    std::vector<array::ResultSpec> results = {{stack.shape({n, m}), a.dtype()},
                                              {{stack.count}, Scalar::int32}};
    if (width > 0) results.push_back({stack.shape({width, m}), a.dtype()});
    const Array inputs[] = {in_columns(a)};
    const auto made =
        queue_routine("qr", inputs, results, [task](SolverRun& run) { task.queue(run); });
    require_success(made[1], "cusolverDnXgeqrf", [](std::int64_t, int) {});
    const Array upper = array::triu(as_matrices(made[0]));
    Index rows = Index::all();
    rows.stop = mode == QrMode::complete ? m : least;
    Qr qr;
    qr.r = upper.at({Index::ellipsis(), rows, Index::all()});
    if (width > 0) qr.q = as_matrices(made[2]);
    return qr;
  });
}

namespace {

/// gesvdj of each matrix, or of all of them by one call: a = u s v^H.
template <class T>
struct RotatedSvd {
  std::int64_t m, n, count;
  bool has_full_matrices, has_vectors, is_one_call;

  std::int64_t least() const { return std::min(m, n); }
  /// Columns of u and of v: routines of many make them all.
  std::int64_t u_width() const { return has_full_matrices || is_one_call ? m : least(); }
  std::int64_t v_width() const { return has_full_matrices || is_one_call ? n : least(); }

  void queue(SolverRun& run) const {
    const CusolverRoutines<T>& routines = run.routines<T>();
    const Elements<T> matrices = run.copied(0, run.scratch<T>(count * m * n), count * m * n);
    const Elements<Real<T>> s = run.result<Real<T>>(0);
    const Elements<int> info = run.result<int>(1);
    // Without vectors nothing is stored there.
    const Elements<T> u = has_vectors ? run.result<T>(2) : matrices;
    const Elements<T> v = has_vectors ? run.result<T>(3) : matrices;
    const Rotations settings(run.table().create_svd_rotations, run.table().destroy_svd_rotations);
    const int job = has_vectors ? CusolverWords::values_and_vectors : CusolverWords::values;
    const int economic = has_full_matrices ? 0 : 1, rows = whole(m), columns = whole(n);
    const int size = run.size("gesvdj_bufferSize", [&](void* handle, int* asked) {
      return is_one_call ? routines.gesvdj_of_many_size(handle, job, rows, columns, matrices.at(),
                                                        rows, s.at(), u.at(), rows, v.at(), columns,
                                                        asked, settings.raw(), whole(count))
                         : routines.gesvdj_size(handle, job, economic, rows, columns, matrices.at(),
                                                rows, s.at(), u.at(), rows, v.at(), columns, asked,
                                                settings.raw());
    });
    const Elements<T> work = run.scratch<T>(size);
    run.call([&](void* handle) {
      if (is_one_call)
        return Cusolver::check(
            routines.gesvdj_of_many(handle, job, rows, columns, matrices.at(), rows, s.at(), u.at(),
                                    rows, v.at(), columns, work.at(), size, info.at(),
                                    settings.raw(), whole(count)),
            "cusolverDnXgesvdjBatched");
      for (std::int64_t i = 0; i < count; ++i)
        Cusolver::check(
            routines.gesvdj(handle, job, economic, rows, columns, matrices.at(i * m * n), rows,
                            s.at(i * least()), u.at(has_vectors ? i * u_width() * m : 0), rows,
                            v.at(has_vectors ? i * v_width() * n : 0), columns, work.at(), size,
                            info.at(i), settings.raw()),
            "cusolverDnXgesvdj");
    });
  }
};

/// None where rotations did not converge.
std::optional<Svd> svd_by_rotations(const Array& a, bool has_full_matrices, bool has_vectors) {
  const Stack stack(a);
  return with_type(a, [&](auto number) -> std::optional<Svd> {
    using T = decltype(number);
    const RotatedSvd<T> task{stack.m,           stack.n,     stack.count,
                             has_full_matrices, has_vectors, is_one_call(solver_of(a), stack)};
    std::vector<array::ResultSpec> results = {{stack.shape({task.least()}), dtype_of<Real<T>>()},
                                              {{stack.count}, Scalar::int32}};
    if (has_vectors) {
      results.push_back({stack.shape({task.u_width(), stack.m}), a.dtype()});
      results.push_back({stack.shape({task.v_width(), stack.n}), a.dtype()});
    }
    const Array inputs[] = {in_columns(a)};
    const auto made =
        queue_routine("svd", inputs, results, [task](SolverRun& run) { task.queue(run); });
    bool has_converged = true;
    require_success(made[1], "cusolverDnXgesvdj",
                    [&](std::int64_t, int) { has_converged = false; });
    if (!has_converged) return std::nullopt;
    Svd svd;
    svd.s = made[0];
    if (!has_vectors) return svd;
    Index kept = Index::all();
    if (!has_full_matrices) kept.stop = task.least();
    svd.u = as_matrices(made[2]).at({Index::ellipsis(), kept});
    svd.vh = array::conj(made[3]).at({Index::ellipsis(), kept, Index::all()});
    return svd;
  });
}

/// By QR iterations, which always converge.
Svd svd_by_iterations(const Array& a, bool has_full_matrices, bool has_vectors) {
  const Stack stack(a);
  const std::int64_t m = stack.m, n = stack.n, count = stack.count;
  if (m < n) {  // gesvd takes no others: a^H = v s u^H
    const auto turned = [](const Array& x) { return array::swapaxes(array::conj(x), -1, -2); };
    const Svd other = svd_by_iterations(turned(a), has_full_matrices, has_vectors);
    if (!has_vectors) return other;
    return {turned(other.vh), other.s, turned(other.u)};
  }
  return with_type(a, [&](auto number) {
    using T = decltype(number);
    const std::int64_t width = has_full_matrices ? m : n;
    std::vector<array::ResultSpec> results = {{stack.shape({n}), dtype_of<Real<T>>()},
                                              {{count}, Scalar::int32}};
    if (has_vectors) {
      results.push_back({stack.shape({width, m}), a.dtype()});
      results.push_back({stack.shape({n, n}), a.dtype()});
    }
    const signed char job = !has_vectors ? 'N' : has_full_matrices ? 'A' : 'S';
    const Array inputs[] = {in_columns(a)};
    const auto made = queue_routine("svd", inputs, results, [=](SolverRun& run) {
      const CusolverRoutines<T>& routines = run.routines<T>();
      const Elements<T> matrices = run.copied(0, run.scratch<T>(count * m * n), count * m * n);
      const Elements<Real<T>> s = run.result<Real<T>>(0);
      const Elements<int> info = run.result<int>(1);
      const Elements<T> u = has_vectors ? run.result<T>(2) : Elements<T>{};
      const Elements<T> vh = has_vectors ? run.result<T>(3) : Elements<T>{};
      const int size = run.size("gesvd_bufferSize", [&](void* handle, int* asked) {
        return routines.gesvd_size(handle, whole(m), whole(n), asked);
      });
      const Elements<T> work = run.scratch<T>(size);
      const Elements<Real<T>> real_work = run.scratch<Real<T>>(n);
      run.call([&](void* handle) {
        for (std::int64_t i = 0; i < count; ++i)
          Cusolver::check(
              routines.gesvd(handle, job, job, whole(m), whole(n), matrices.at(i * m * n), whole(m),
                             s.at(i * n), has_vectors ? u.at(i * width * m) : nullptr, whole(m),
                             has_vectors ? vh.at(i * n * n) : nullptr, whole(n), work.at(), size,
                             real_work.at(), info.at(i)),
              "cusolverDnXgesvd");
      });
    });
    require_success(made[1], "cusolverDnXgesvd",
                    [](std::int64_t, int) { refuse_iteration("SVD"); });
    Svd svd;
    svd.s = made[0];
    if (has_vectors) svd.u = as_matrices(made[2]), svd.vh = as_matrices(made[3]);
    return svd;
  });
}

}  // namespace

Svd gpu_svd(const Array& a, bool has_full_matrices, bool has_vectors) {
  if (array::all(array::isfinite(a)).item().as_double() == 0) refuse_iteration("SVD");
  if (const auto svd = svd_by_rotations(a, has_full_matrices, has_vectors)) return *svd;
  return svd_by_iterations(a, has_full_matrices, has_vectors);
}

namespace {

/// syevd of each matrix, or syevj of all of them by one call.
template <class T>
struct EigenTask {
  std::int64_t n, count;
  int job, part;

  void queue(SolverRun& run) const {
    const CusolverRoutines<T>& routines = run.routines<T>();
    const Elements<T> vectors = run.copied(0, run.result<T>(0), count * n * n);
    const Elements<int> info = run.result<int>(1);
    const Elements<Real<T>> values = run.result<Real<T>>(2);
    const int size = run.size("syevd_bufferSize", [&](void* handle, int* asked) {
      return routines.syevd_size(handle, job, part, whole(n), vectors.at(), whole(n), values.at(),
                                 asked);
    });
    const Elements<T> work = run.scratch<T>(size);
    run.call([&](void* handle) {
      for (std::int64_t i = 0; i < count; ++i)
        Cusolver::check(routines.syevd(handle, job, part, whole(n), vectors.at(i * n * n), whole(n),
                                       values.at(i * n), work.at(), size, info.at(i)),
                        "cusolverDnXsyevd");
    });
  }
  void queue_one_call(SolverRun& run) const {
    const CusolverRoutines<T>& routines = run.routines<T>();
    const Elements<T> vectors = run.copied(0, run.result<T>(0), count * n * n);
    const Elements<int> info = run.result<int>(1);
    const Elements<Real<T>> values = run.result<Real<T>>(2);
    const Rotations settings(run.table().create_eigen_rotations,
                             run.table().destroy_eigen_rotations);
    const int size = run.size("syevjBatched_bufferSize", [&](void* handle, int* asked) {
      return routines.syevj_of_many_size(handle, job, part, whole(n), vectors.at(), whole(n),
                                         values.at(), asked, settings.raw(), whole(count));
    });
    const Elements<T> work = run.scratch<T>(size);
    run.call([&](void* handle) {
      Cusolver::check(
          routines.syevj_of_many(handle, job, part, whole(n), vectors.at(), whole(n), values.at(),
                                 work.at(), size, info.at(), settings.raw(), whole(count)),
          "cusolverDnXsyevjBatched");
    });
  }
};

}  // namespace

Eigen gpu_eigh(const Array& a, bool reads_upper, bool has_vectors) {
  const Stack stack(a);
  // syevd goes on with numbers that are none, and says nothing.
  const Array read = reads_upper ? array::triu(a, 0) : array::tril(a, 0);
  if (array::all(array::isfinite(read)).item().as_double() == 0) refuse_iteration("Eigenvalues");
  const std::int64_t n = stack.n;
  return with_type(a, [&](auto number) {
    using T = decltype(number);
    const std::vector<array::ResultSpec> results = {{stack.shape({n, n}), a.dtype()},
                                                    {{stack.count}, Scalar::int32},
                                                    {stack.shape({n}), dtype_of<Real<T>>()}};
    const EigenTask<T> task{n, stack.count,
                            has_vectors ? CusolverWords::values_and_vectors : CusolverWords::values,
                            reads_upper ? CusolverWords::upper : CusolverWords::lower};
    const Array inputs[] = {in_columns(a)};
    const auto run = [&](bool is_one_call) {
      return queue_routine("eigh", inputs, results, [=](SolverRun& queued) {
        is_one_call ? task.queue_one_call(queued) : task.queue(queued);
      });
    };
    bool has_failed = !is_one_call(solver_of(a), stack);  // nothing is done yet
    std::vector<Array> made;
    if (!has_failed) {
      made = run(true);
      require_success(made[1], "cusolverDnXsyevjBatched",
                      [&](std::int64_t, int) { has_failed = true; });
    }
    if (has_failed) {
      made = run(false);
      require_success(made[1], "cusolverDnXsyevd",
                      [](std::int64_t, int) { refuse_iteration("Eigenvalues"); });
    }
    return Eigen{made[2], has_vectors ? as_matrices(made[0]) : Array()};
  });
}

}  // namespace treadle::linalg
