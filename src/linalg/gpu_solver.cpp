// SPDX-License-Identifier: MIT
#include "linalg/gpu_solver.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "linalg/gpu_library.hpp"
#include "linalg/refusals.hpp"
#include "linalg/solver_run.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"

namespace treadle::linalg {

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

}  // namespace treadle::linalg
