// SPDX-License-Identifier: MIT
// Singular values and eigenvalues by cuSOLVER.
#include <algorithm>
#include <optional>
#include <vector>

#include "linalg/gpu_solver.hpp"
#include "linalg/refusals.hpp"
#include "linalg/solver_run.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/evaluate.hpp"
#include "treadle/array/reduction.hpp"

namespace treadle::linalg {
namespace {

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
    // The library turns vectors there also where it is asked for values alone.
    const std::int64_t made = has_vectors || is_one_call ? count : 1;
    const Elements<T> u = has_vectors ? run.result<T>(2) : run.scratch<T>(made * u_width() * m);
    const Elements<T> v = has_vectors ? run.result<T>(3) : run.scratch<T>(made * v_width() * n);
    const Rotations settings(run.table().create_svd_rotations, run.table().destroy_svd_rotations);
    const int job = has_vectors ? CusolverWords::values_and_vectors : CusolverWords::values;
    const int economic = has_full_matrices ? 0 : 1, rows = whole(m), columns = whole(n);
    const int size = run.size("gesvdj_bufferSize", [&](void* handle, int* asked) {
      if (is_one_call)
        return routines.gesvdj_of_many_size(handle, job, rows, columns, matrices.at(), rows, s.at(),
                                            u.at(), rows, v.at(), columns, asked, settings.raw(),
                                            whole(count));
      return routines.gesvdj_size(handle, job, economic, rows, columns, matrices.at(), rows, s.at(),
                                  u.at(), rows, v.at(), columns, asked, settings.raw());
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
