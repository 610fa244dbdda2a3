// SPDX-License-Identifier: MIT
// Systems of equations, inverses and determinants.
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <mutex>

#include "linalg/gpu_solver.hpp"
#include "linalg/host_matrices.hpp"
#include "linalg/refusals.hpp"
#include "treadle/array/computation.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/base/promotion.hpp"
#include "treadle/device/device.hpp"
#include "treadle/kernel/host_code.hpp"
#include "treadle/linalg/decomposition.hpp"

namespace treadle::linalg {

using array::Shape;
using library::HostRoutines;

std::shared_ptr<const library::HostBlas> lapack() {
  auto blas = library::HostBlas::load();
  if (!blas->has_lapack())
    throw LibraryNotFound("LAPACK", {blas->path().string() + ": has a BLAS and no LAPACK"},
                          "pip install scipy-openblas64, or set TREADLE_LIBRARIES=blas=PATH to a "
                          "library with both");
  return blas;
}

void note_lapack(const char* name, const Array& given, const Array& made) {
  // Notes live as long as the process: texts of a map keep their places.
  struct Texts {
    std::string name, of_the_host, of_a_device;
  };
  static std::mutex mutex;
  static std::map<std::string, Texts> known;
  const auto library = lapack();
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = known.try_emplace(name);
  Texts& texts = place->second;
  if (is_new) {
    texts.name = std::string(name) + " of " + library->path().filename().string();
    texts.of_the_host = "LAPACK of the host, version " + library->version();
    texts.of_a_device = texts.of_the_host +
                        "; the matrices were copied from the device to the host, and results back";
  }
  const bool is_here = kernel::runs_host_code(made.device());
  array::set_maker(made, {.name = &texts.name,
                          .text = is_here ? &texts.of_the_host : &texts.of_a_device,
                          .bytes_read = static_cast<std::uint64_t>(given.size_bytes()),
                          .bytes_written = static_cast<std::uint64_t>(made.size_bytes())});
}

Scalar computed_dtype(const char* name, Scalar dtype) {
  const DType type(dtype);
  if (dtype == Scalar::float16 || type.kind() == ScalarKind::structure)
    throw DTypeError(std::string(name) + ": matrices of " + type.name(),
                     "cast them to float32 or float64");
  if (type.kind() == ScalarKind::floating || type.kind() == ScalarKind::complex) return dtype;
  return Scalar::float64;
}

const std::byte* elements_to_read(const Array& a) {
  if (!kernel::runs_host_code(a.device())) return nullptr;
  const device::Location place = a.for_launch().first;
  a.stream()->synchronize();
  return reinterpret_cast<const std::byte*>(place.handle + place.offset);
}

void require_matrices(const char* name, const Array& a) {
  if (a.rank() < 2)
    throw MatrixShapeError(std::string(name) + ": an array of shape " + shape_text(a.shape()),
                           "matrices are the last two axes");
}

void require_squares(const char* name, const Array& a) {
  require_matrices(name, a);
  if (*(a.shape().end() - 2) != a.shape().back())
    throw MatrixShapeError(std::string(name) + ": matrices of shape " + shape_text(a.shape()),
                           "the last two axes have one length");
}

namespace {

/// Solves a @ x = b in place of both.
template <class T>
void solve_in_place(const char* name, HostMatrices<T>& a, HostMatrices<T>& b, const Array& like) {
  if (a.n == 0 || b.n == 0) return;
  for_matrices(a, like,
               [&]<class Int>(const HostRoutines<T, Int>& routines, auto first, auto last) {
                 const Int n = static_cast<Int>(a.n), columns = static_cast<Int>(b.n);
                 std::vector<Int> pivots(static_cast<std::size_t>(a.n));
                 for (std::int64_t i = first; i < last; ++i) {
                   Int info = 0;
                   routines.gesv(&n, &columns, a.at(i), &n, pivots.data(), b.at(i), &n, &info);
                   if (info > 0) refuse_singular(name, i, info);
                 }
               });
}

/// The same for arrays, where that is done fastest.
template <class T>
Array solved(const char* name, const Array& a, const Array& b) {
  const std::int64_t columns = b.shape().back();
  if (is_for_gpu(a, &DeviceSolver::least_for_factors, a.shape().back() * columns) && columns > 0)
    return gpu_solve(name, a, b);
  HostMatrices<T> matrices(a), sides(b);
  solve_in_place(name, matrices, sides, a);
  return sides.array(name, a);
}

Array broadcast_matrices(const Array& x, const Shape& batch) {
  Shape shape = batch;
  shape.insert(shape.end(), x.shape().end() - 2, x.shape().end());
  return std::ranges::equal(shape, x.shape()) ? x : array::broadcast_to(x, shape);
}

Shape common_batch(const Array& x, const Array& y) {
  const Layout layouts[] = {Layout::contiguous(Shape(x.shape().begin(), x.shape().end() - 2), 1),
                            Layout::contiguous(Shape(y.shape().begin(), y.shape().end() - 2), 1)};
  const Layout* const both[] = {&layouts[0], &layouts[1]};
  const Layout whole = broadcast(both, 1);
  return {whole.shape().begin(), whole.shape().end()};
}

}  // namespace

Array solve(const Array& a, const Array& b) {
  require_one_device("solve", a, b);
  require_squares("solve", a);
  const bool is_vector = b.rank() == 1;
  if (b.rank() == 0) require_matrices("solve", b);
  const Array right = is_vector ? array::expand_dims(b, 1) : b;
  if (*(right.shape().end() - 2) != a.shape().back())
    throw ShapeError("solve: matrices of shape " + shape_text(a.shape()) +
                         " for right sides of shape " + shape_text(b.shape()),
                     "there are as many rows");
  const Shape batch = common_batch(a, right);
  const Scalar both = promote(computed_dtype("solve", a.dtype().scalar()),
                              computed_dtype("solve", b.dtype().scalar()));
  const Array left = in_dtype(a, both);
  return with_dtype("solve", left, [&](auto number, const Array& x) {
    using T = decltype(number);
    const Array y = in_dtype(right, x.dtype());
    const Array all = broadcast_matrices(x, batch), all_sides = broadcast_matrices(y, batch);
    const Array result = solved<T>("solve", all, all_sides);
    return is_vector ? array::squeeze(result, -1) : result;
  });
}

Array inv(const Array& a) {
  require_squares("inv", a);
  return with_dtype("inv", a, [&](auto number, const Array& x) {
    using T = decltype(number);
    const std::int64_t n = x.shape().back();
    if (is_for_gpu(x, &DeviceSolver::least_for_factors, n * n)) {
      const Array ones = array::identity(n, x.dtype().scalar(), {.stream = x.stream()});
      return gpu_solve("inv", x,
                       broadcast_matrices(ones, {x.shape().begin(), x.shape().end() - 2}));
    }
    HostMatrices<T> matrices(x), ones(matrices.batch, n, n);
    for (std::int64_t i = 0; i < ones.count; ++i)
      for (std::int64_t j = 0; j < n; ++j) ones.element(i, j, j) = T(1);
    solve_in_place("inv", matrices, ones, x);
    return ones.array("inv", x);
  });
}

namespace {

/// The pivots of each matrix: what they multiply to, as sign and logarithm.
template <class T>
struct Determinants {
  Shape batch;
  std::vector<T> sign, value;
  std::vector<Real<T>> log;

  explicit Determinants(const Array& x) : batch(x.shape().begin(), x.shape().end() - 2) {
    const auto count = static_cast<std::size_t>(element_count(batch));
    sign.resize(count);
    value.resize(count);
    log.resize(count);
  }
  /// Of one matrix: the diagonal of its factor U, of n rows, and the rows, from 1 on, that its rows
  /// were exchanged with.
  template <class Int>
  void set(std::int64_t matrix, std::int64_t n, const auto& pivot_at, const Int* exchanged) {
    T all_signs(1), product(1);
    Real<T> logs(0);
    for (std::int64_t j = 0; j < n; ++j) {
      const T pivot = pivot_at(j);
      const Real<T> size = std::abs(pivot);
      const T turn = exchanged[j] != static_cast<Int>(j + 1) ? T(-1) : T(1);
      all_signs *= size == Real<T>(0) ? T(0) : turn * (pivot / size);
      logs += std::log(size);
      product *= turn * pivot;
    }
    const auto place = static_cast<std::size_t>(matrix);
    sign[place] = all_signs;
    log[place] = logs;
    value[place] = product;
  }
};

template <class T>
Determinants<T> gpu_determinants(const Array& x) {
  const PivotedFactors factors = gpu_factors(x);
  const std::int64_t n = x.shape().back();
  std::vector<T> diagonal(static_cast<std::size_t>(factors.diagonal.size()));
  std::vector<std::int32_t> exchanged(diagonal.size());
  factors.diagonal.get(static_cast<void*>(diagonal.data()));
  factors.pivots.get(static_cast<void*>(exchanged.data()));
  Determinants<T> made(x);
  for (std::int64_t i = 0; i < std::ssize(made.value); ++i)
    made.set(
        i, n, [&](std::int64_t j) { return diagonal[static_cast<std::size_t>(i * n + j)]; },
        exchanged.data() + i * n);
  return made;
}

template <class T>
Determinants<T> determinants(const Array& x) {
  if (is_for_gpu(x, &DeviceSolver::least_for_factors)) return gpu_determinants<T>(x);
  HostMatrices<T> a(x);
  Determinants<T> made(x);
  for_matrices(a, x, [&]<class Int>(const HostRoutines<T, Int>& routines, auto first, auto last) {
    const Int n = static_cast<Int>(a.n);
    std::vector<Int> pivots(static_cast<std::size_t>(a.n));
    for (std::int64_t i = first; i < last; ++i) {
      Int info = 0;
      if (n > 0) routines.getrf(&n, &n, a.at(i), &n, pivots.data(), &info);
      made.set(i, a.n, [&](std::int64_t j) { return a.element(i, j, j); }, pivots.data());
    }
  });
  return made;
}

}  // namespace

Array det(const Array& a) {
  require_squares("det", a);
  return with_dtype("det", a, [&](auto number, const Array& x) {
    const auto made = determinants<decltype(number)>(x);
    return host_numbers("det", made.value, made.batch, x);
  });
}

SignAndLog slogdet(const Array& a) {
  require_squares("slogdet", a);
  return with_dtype("slogdet", a, [&](auto number, const Array& x) {
    const auto made = determinants<decltype(number)>(x);
    return SignAndLog{host_numbers("slogdet", made.sign, made.batch, x),
                      host_numbers("slogdet", made.log, made.batch, x)};
  });
}

}  // namespace treadle::linalg
