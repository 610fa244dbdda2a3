// SPDX-License-Identifier: MIT
#include "treadle/linalg/decomposition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "linalg/gpu_solver.hpp"
#include "linalg/host_matrices.hpp"
#include "linalg/refusals.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/base/promotion.hpp"

namespace treadle::linalg {
namespace {

using array::Shape;
using library::HostRoutines;

template <class Number>
std::size_t count_of(Number number) {
  return static_cast<std::size_t>(number);
}

bool has_no_numbers(const auto& matrices) {
  return std::ranges::any_of(matrices.values, [](const auto& value) {
    return !std::isfinite(std::real(value)) || !std::isfinite(std::imag(value));
  });
}

}  // namespace

Array cholesky(const Array& a, bool is_upper) {
  require_squares("cholesky", a);
  return with_dtype("cholesky", a, [&](auto number, const Array& x) {
    if (is_for_gpu(x, &DeviceSolver::least_for_factors)) return gpu_cholesky(x, is_upper);
    using T = decltype(number);
    HostMatrices<T> matrices(x);
    for_matrices(
        matrices, x, [&]<class Int>(const HostRoutines<T, Int>& routines, auto first, auto last) {
          const Int n = static_cast<Int>(matrices.n);
          for (std::int64_t i = first; i < last && n > 0; ++i) {
            Int info = 0;
            routines.potrf(is_upper ? "U" : "L", &n, matrices.at(i), &n, &info, 1);
            if (info > 0) refuse_indefinite(i, info);
            for (std::int64_t row = 0; row < matrices.n; ++row)
              for (std::int64_t column = 0; column < row; ++column)
                (is_upper ? matrices.element(i, row, column) : matrices.element(i, column, row)) =
                    T(0);
          }
        });
    return matrices.array("cholesky", x);
  });
}

namespace {

/// Factors each matrix in its place, as LAPACK's geqrf: R on and above the diagonal, below it the
/// vectors of Householder's reflections. The result is their factors, as many as the shorter side.
template <class T>
std::vector<T> reflected(HostMatrices<T>& all, const Array& x) {
  const std::int64_t least = std::min(all.m, all.n);
  std::vector<T> tau(count_of(all.count * least));
  if (least == 0) return tau;
  for_matrices(all, x, [&]<class Int>(const HostRoutines<T, Int>& routines, auto first, auto last) {
    const Int m = static_cast<Int>(all.m), n = static_cast<Int>(all.n);
    std::vector<T> work;
    for (std::int64_t i = first; i < last; ++i) {
      Int info = 0, size = -1;
      T asked(1);
      T* const factors = tau.data() + i * least;
      routines.geqrf(&m, &n, all.at(i), &m, factors, &asked, &size, &info);
      size = work_size<Int>(asked);
      work.resize(count_of(size));
      routines.geqrf(&m, &n, all.at(i), &m, factors, work.data(), &size, &info);
    }
  });
  return tau;
}

}  // namespace

Reflections qr_reflections(const Array& a) {
  require_matrices("qr", a);
  return with_dtype("qr", a, [&](auto number, const Array& x) {
    HostMatrices<decltype(number)> all(x);
    const auto tau = reflected(all, x);
    return Reflections{all.array("qr", x),
                       host_vectors("qr", tau, all.batch, std::min(all.m, all.n), x)};
  });
}

Qr qr(const Array& a, QrMode mode) {
  require_matrices("qr", a);
  return with_dtype("qr", a, [&](auto number, const Array& x) {
    const std::int64_t rows = x.shape().end()[-2];
    if (is_for_gpu(x, &DeviceSolver::least_for_factors, mode == QrMode::complete ? rows * rows : 0))
      return gpu_qr(x, mode);
    using T = decltype(number);
    HostMatrices<T> all(x);
    const std::int64_t least = std::min(all.m, all.n);
    const std::int64_t width = mode == QrMode::complete ? all.m : least;
    HostMatrices<T> q(all.batch, all.m, mode == QrMode::r ? 0 : width);
    HostMatrices<T> r(all.batch, mode == QrMode::complete ? all.m : least, all.n);
    std::vector<T> tau = reflected(all, x);
    for_matrices(
        all, x, [&]<class Int>(const HostRoutines<T, Int>& routines, auto first, auto last) {
          const Int m = static_cast<Int>(all.m), k = static_cast<Int>(least);
          const Int columns = static_cast<Int>(q.n);
          std::vector<T> work;
          for (std::int64_t i = first; i < last; ++i) {
            for (std::int64_t column = 0; column < all.n; ++column)
              for (std::int64_t row = 0; row <= std::min(column, r.m - 1); ++row)
                r.element(i, row, column) = all.element(i, row, column);
            if (mode == QrMode::r || columns == 0) continue;
            std::copy_n(all.at(i), all.m * std::min(all.n, q.n), q.at(i));
            if (k == 0) {
              for (std::int64_t j = 0; j < q.n; ++j) q.element(i, j, j) = T(1);
              continue;
            }
            Int info = 0, size = -1;
            T asked(1);
            T* const factors = tau.data() + i * least;
            routines.orgqr(&m, &columns, &k, q.at(i), &m, factors, &asked, &size, &info);
            size = work_size<Int>(asked);
            work.resize(count_of(size));
            routines.orgqr(&m, &columns, &k, q.at(i), &m, factors, work.data(), &size, &info);
          }
        });
    return Qr{mode == QrMode::r ? Array() : q.array("qr", x), r.array("qr", x)};
  });
}

Svd svd(const Array& a, bool has_full_matrices, bool has_vectors) {
  require_matrices("svd", a);
  return with_dtype("svd", a, [&](auto number, const Array& x) {
    const std::int64_t side = std::max(x.shape().end()[-2], x.shape().back());
    if (is_for_gpu(x, &DeviceSolver::least_for_svd, has_full_matrices ? side * side : 0))
      return gpu_svd(x, has_full_matrices, has_vectors);
    using T = decltype(number);
    HostMatrices<T> all(x);
    if (has_no_numbers(all)) refuse_iteration("SVD");
    const std::int64_t least = std::min(all.m, all.n);
    const std::int64_t rows = has_full_matrices ? all.n : least;
    HostMatrices<T> u(all.batch, all.m, has_vectors ? (has_full_matrices ? all.m : least) : 0);
    HostMatrices<T> vh(all.batch, has_vectors ? rows : 0, all.n);
    std::vector<Real<T>> s(count_of(all.count * least));
    for_matrices(
        all, x, [&]<class Int>(const HostRoutines<T, Int>& routines, auto first, auto last) {
          const Int m = static_cast<Int>(all.m), n = static_cast<Int>(all.n);
          const Int height = std::max(static_cast<Int>(vh.m), Int(1)),
                    m_or_one = std::max(m, Int(1));
          const char* const job = !has_vectors ? "N" : has_full_matrices ? "A" : "S";
          const std::int64_t longest = std::max(all.m, all.n);
          std::vector<Int> integers(count_of(8 * std::max<std::int64_t>(least, 1)));
          std::vector<Real<T>> reals(
              is_real<T> ? 1
                         : count_of(std::max<std::int64_t>(
                               1, least * std::max(5 * least + 7, 2 * longest + 2 * least + 1))));
          std::vector<T> work(1);
          for (std::int64_t i = first; i < last; ++i) {
            if (least == 0) {
              for (std::int64_t j = 0; j < std::min(u.m, u.n); ++j) u.element(i, j, j) = T(1);
              for (std::int64_t j = 0; j < std::min(vh.m, vh.n); ++j) vh.element(i, j, j) = T(1);
              continue;
            }
            for (Int size = -1, info = 0;;) {
              Real<T>* const values = s.data() + i * least;
              if constexpr (is_real<T>)
                routines.gesdd(job, &m, &n, all.at(i), &m_or_one, values, u.at(i), &m_or_one,
                               vh.at(i), &height, work.data(), &size, integers.data(), &info, 1);
              else
                routines.gesdd_complex(job, &m, &n, all.at(i), &m_or_one, values, u.at(i),
                                       &m_or_one, vh.at(i), &height, work.data(), &size,
                                       reals.data(), integers.data(), &info, 1);
              if (info > 0) refuse_iteration("SVD");
              if (size != -1) break;
              size = work_size<Int>(work[0]);
              work.resize(count_of(size));
            }
          }
        });
    Svd made{Array(), host_vectors("svd", s, all.batch, least, x), Array()};
    if (has_vectors) made.u = u.array("svd", x), made.vh = vh.array("svd", x);
    return made;
  });
}

Eigen eigh(const Array& a, bool reads_upper, bool has_vectors) {
  require_squares("eigh", a);
  return with_dtype("eigh", a, [&](auto number, const Array& x) {
    const std::int64_t n = x.shape().back();
    if (is_for_gpu(x, &DeviceSolver::least_for_eigen, 3 * n * n))  // syevd's work area
      return gpu_eigh(x, reads_upper, has_vectors);
    using T = decltype(number);
    HostMatrices<T> all(x);
    std::vector<Real<T>> values(count_of(all.count * all.n));
    for_matrices(
        all, x, [&]<class Int>(const HostRoutines<T, Int>& routines, auto first, auto last) {
          const Int n = static_cast<Int>(all.n);
          const char *const job = has_vectors ? "V" : "N", *const part = reads_upper ? "U" : "L";
          std::vector<T> work(1);
          std::vector<Real<T>> reals(1);
          std::vector<Int> integers(1);
          for (std::int64_t i = first; i < last && n > 0; ++i)
            for (Int size = -1, real_size = -1, integer_size = -1, info = 0;;) {
              Real<T>* const own = values.data() + i * all.n;
              if constexpr (is_real<T>)
                routines.syevd(job, part, &n, all.at(i), &n, own, work.data(), &size,
                               integers.data(), &integer_size, &info, 1, 1);
              else
                routines.heevd(job, part, &n, all.at(i), &n, own, work.data(), &size, reals.data(),
                               &real_size, integers.data(), &integer_size, &info, 1, 1);
              if (info > 0) refuse_iteration("Eigenvalues");
              if (size != -1) break;
              size = work_size<Int>(work[0]);
              real_size = work_size<Int>(reals[0]);
              integer_size = std::max(integers[0], Int(1));
              work.resize(count_of(size));
              reals.resize(count_of(real_size));
              integers.resize(count_of(integer_size));
            }
        });
    return Eigen{host_vectors("eigh", values, all.batch, all.n, x),
                 has_vectors ? all.array("eigh", x) : Array()};
  });
}

namespace {

/// Vectors of a real matrix: those of two conjugate values are the real and the imaginary part.
template <class R>
void join_parts(const R* from, const std::vector<R>& imaginary, std::int64_t first, std::int64_t n,
                std::complex<R>* to) {
  for (std::int64_t j = 0; j < n; ++j) {
    const bool is_pair = imaginary[count_of(first + j)] != R(0) && j + 1 < n;
    for (std::int64_t i = 0; i < n; ++i) {
      const R real = from[j * n + i], part = is_pair ? from[(j + 1) * n + i] : R(0);
      to[j * n + i] = {real, part};
      if (is_pair) to[(j + 1) * n + i] = {real, -part};
    }
    if (is_pair) ++j;
  }
}

template <class T>
Eigen eigen_of(const Array& x, bool has_vectors) {
  using R = Real<T>;
  using C = std::complex<R>;
  HostMatrices<T> all(x);
  if (has_no_numbers(all))
    throw LinAlgError("Array must not contain infs or NaNs", "look for them by isfinite()");
  HostMatrices<T> vectors(all.batch, all.n, has_vectors ? all.n : 0);
  HostMatrices<C> joined(all.batch, all.n, is_real<T> && has_vectors ? all.n : 0);
  std::vector<T> values(count_of(all.count * all.n)), imaginary(is_real<T> ? values.size() : 0);
  for_matrices(all, x, [&]<class Int>(const HostRoutines<T, Int>& routines, auto first, auto last) {
    const Int n = static_cast<Int>(all.n), one = 1;
    const char* const job = has_vectors ? "V" : "N";
    std::vector<T> work(1);
    std::vector<R> reals(count_of(2 * std::max<std::int64_t>(all.n, 1)));
    for (std::int64_t i = first; i < last && n > 0; ++i) {
      for (Int size = -1, info = 0;;) {
        T* const own = values.data() + i * all.n;
        if constexpr (is_real<T>)
          routines.geev("N", job, &n, all.at(i), &n, own, imaginary.data() + i * all.n, nullptr,
                        &one, vectors.at(i), &n, work.data(), &size, &info, 1, 1);
        else
          routines.geev_complex("N", job, &n, all.at(i), &n, own, nullptr, &one, vectors.at(i), &n,
                                work.data(), &size, reals.data(), &info, 1, 1);
        if (info > 0) refuse_iteration("Eigenvalues");
        if (size != -1) break;
        size = work_size<Int>(work[0]);
        work.resize(count_of(size));
      }
      if constexpr (is_real<T>)
        if (has_vectors) join_parts(vectors.at(i), imaginary, i * all.n, all.n, joined.at(i));
    }
  });
  const auto made = [&](const auto& numbers, const auto& columns) {
    return Eigen{host_vectors("eig", numbers, all.batch, all.n, x),
                 has_vectors ? columns.array("eig", x) : Array()};
  };
  if constexpr (is_real<T>) {
    std::vector<C> all_values;
    for (std::size_t i = 0; i < values.size(); ++i)
      all_values.emplace_back(values[i], imaginary[i]);
    return made(all_values, joined);
  } else {
    return made(values, vectors);
  }
}

}  // namespace

Eigen eig(const Array& a, bool has_vectors) {
  require_squares("eig", a);
  return with_dtype("eig", a, [&](auto number, const Array& x) {
    return eigen_of<decltype(number)>(x, has_vectors);
  });
}

namespace {

template <class T>
LeastSquares least_squares(const Array& x, const Array& right, double rcond, bool is_vector) {
  using R = Real<T>;
  HostMatrices<T> a(x), given(right);
  // LAPACK would print a warning for each column, and not always say that it failed.
  if (has_no_numbers(a)) refuse_iteration("SVD in Linear Least Squares");
  const std::int64_t longest = std::max(a.m, a.n), least = std::min(a.m, a.n);
  HostMatrices<T> b({}, std::max<std::int64_t>(longest, 1), given.n), solution({}, a.n, given.n);
  for (std::int64_t j = 0; j < given.n; ++j)
    for (std::int64_t i = 0; i < given.m; ++i) b.element(0, i, j) = given.element(0, i, j);
  std::vector<R> s(count_of(least));
  LeastSquares made;
  if (least > 0 && given.n > 0)
    lapack()->call<T>([&]<class Int>(const HostRoutines<T, Int>& routines) {
      const Int m = static_cast<Int>(a.m), n = static_cast<Int>(a.n);
      const Int columns = static_cast<Int>(b.n), height = static_cast<Int>(b.m);
      const R limit = static_cast<R>(rcond);
      std::vector<T> work(1);
      std::vector<R> reals(1);
      std::vector<Int> integers(1);
      for (Int size = -1, info = 0, rank = 0;;) {
        if constexpr (is_real<T>)
          routines.gelsd(&m, &n, &columns, a.at(0), &m, b.at(0), &height, s.data(), &limit, &rank,
                         work.data(), &size, integers.data(), &info);
        else
          routines.gelsd_complex(&m, &n, &columns, a.at(0), &m, b.at(0), &height, s.data(), &limit,
                                 &rank, work.data(), &size, reals.data(), integers.data(), &info);
        if (info > 0) refuse_iteration("SVD in Linear Least Squares");
        made.rank = rank;
        if (size != -1) break;
        size = work_size<Int>(work[0]);
        work.resize(count_of(size));
        reals.resize(count_of(work_size<Int>(reals[0])));
        integers.resize(count_of(std::max(integers[0], Int(1))));
      }
    });
  std::vector<R> residuals;
  if (made.rank == a.n && a.m > a.n)
    for (std::int64_t j = 0; j < b.n; ++j) {
      R sum(0);
      for (std::int64_t i = a.n; i < a.m; ++i) sum += std::norm(b.element(0, i, j));
      residuals.push_back(sum);
    }
  for (std::int64_t j = 0; j < b.n; ++j)
    for (std::int64_t i = 0; i < a.n; ++i)
      solution.element(0, i, j) = least > 0 ? b.element(0, i, j) : T(0);
  const Array all = solution.array("lstsq", x);
  made.x = is_vector ? array::squeeze(all, -1) : all;
  const auto residual_count = static_cast<std::int64_t>(residuals.size());
  made.residuals = host_vectors("lstsq", residuals, {}, residual_count, x);
  made.s = host_vectors("lstsq", s, {}, least, x);
  return made;
}

}  // namespace

LeastSquares lstsq(const Array& a, const Array& b, std::optional<double> rcond) {
  require_one_device("lstsq", a, b);
  if (a.rank() != 2 || b.rank() < 1 || b.rank() > 2 || a.shape()[0] != b.shape()[0])
    throw MatrixShapeError("lstsq: a matrix of shape " + shape_text(a.shape()) +
                               " for right sides of " + shape_text(b.shape()),
                           "one matrix, and a vector or a matrix with as many rows");
  const bool is_vector = b.rank() == 1;
  const Scalar both = promote(computed_dtype("lstsq", a.dtype().scalar()),
                              computed_dtype("lstsq", b.dtype().scalar()));
  const Array left = in_dtype(a, both);
  const Array side = is_vector ? array::expand_dims(b, 1) : b;
  return with_dtype("lstsq", left, [&](auto number, const Array& x) {
    using T = decltype(number);
    const double precision = static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
    const double limit =
        rcond.value_or(precision * static_cast<double>(std::max(a.shape()[0], a.shape()[1])));
    return least_squares<T>(x, in_dtype(side, x.dtype()), limit, is_vector);
  });
}

}  // namespace treadle::linalg
