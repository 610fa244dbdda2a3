// SPDX-License-Identifier: MIT
// The exponential of matrices, by scaling and squaring (Higham, "The scaling and squaring method
// for the matrix exponential revisited", 2005): exp(a) = exp(a / 2^s)^(2^s), where the norm of
// a / 2^s is so small that Pade's approximant of degree 13, or of a lower one for smaller norms, is
// exact to the precision of the dtype.
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "linalg/host_matrices.hpp"
#include "treadle/linalg/decomposition.hpp"

namespace treadle::linalg {

using library::HostRoutines;

namespace {

/// Up to which 1-norm an approximant is exact: Higham's table 2.3, and that of single precision.
struct Approximant {
  int degree;
  double norm;
};
constexpr std::array in_double = {
    Approximant{3, 1.495585217958292e-2}, Approximant{5, 2.539398330063230e-1},
    Approximant{7, 9.504178996162932e-1}, Approximant{9, 2.097847961257068},
    Approximant{13, 5.371920351148152}};
constexpr std::array in_single = {Approximant{3, 4.258730016922831e-1},
                                  Approximant{5, 1.880152677804762},
                                  Approximant{7, 3.925724783138660}};

/// Square matrices of one size with the products of BLAS, column by column.
template <class T, class Int>
class Squares {
 public:
  using Matrix = std::vector<T>;

  Squares(const HostRoutines<T, Int>& routines, std::int64_t n)
      : routines_(routines), n_(static_cast<Int>(n)), count_(static_cast<std::size_t>(n * n)) {}

  Matrix product(const Matrix& x, const Matrix& y) const {
    Matrix made(count_);
    const T one(1), zero(0);
    routines_.gemm(library::Cblas::column_major, library::Cblas::plain, library::Cblas::plain, n_,
                   n_, n_, factor(one), x.data(), n_, y.data(), n_, factor(zero), made.data(), n_);
    return made;
  }
  /// The sum of multiples, and of the first factor times one.
  template <class... Terms>
  Matrix sum(double of_one, const Terms&... terms) const {
    Matrix made(count_);
    const auto add = [&](const auto& term) {
      for (std::size_t i = 0; i < count_; ++i)
        made[i] += static_cast<Real<T>>(term.first) * (*term.second)[i];
    };
    (add(terms), ...);
    for (Int i = 0; i < n_; ++i) made[place(i)] += static_cast<Real<T>>(of_one);
    return made;
  }
  /// The x with denominator @ x = numerator, in the place of the latter.
  void divide(Matrix& denominator, Matrix& numerator) const {
    std::vector<Int> pivots(static_cast<std::size_t>(n_));
    Int info = 0;
    routines_.gesv(&n_, &n_, denominator.data(), &n_, pivots.data(), numerator.data(), &n_, &info);
    if (info > 0)
      throw LinAlgError("Singular matrix: expm's denominator",
                        "look for elements of very different sizes");
  }

 private:
  static library::Factor<T> factor(const T& value) {
    if constexpr (is_real<T>)
      return value;
    else
      return &value;
  }
  std::size_t place(Int i) const {
    return static_cast<std::size_t>(i) * static_cast<std::size_t>(n_ + 1);
  }

  const HostRoutines<T, Int>& routines_;
  const Int n_;
  const std::size_t count_;
};

/// The coefficients of Pade's numerator: those of the denominator have alternating signs.
std::array<double, 14> coefficients(int degree) {
  std::array<double, 14> c{1.0};
  for (int j = 1; j <= degree; ++j)
    c[static_cast<std::size_t>(j)] = c[static_cast<std::size_t>(j) - 1] * (degree - j + 1) /
                                     (static_cast<double>(2 * degree - j + 1) * j);
  return c;
}

/// exp(a) by the approximant of a degree: (V - U)^-1 (V + U), where V has its even powers and U the
/// odd ones.
template <class T, class Int>
std::vector<T> approximated(const Squares<T, Int>& algebra, const std::vector<T>& a, int degree) {
  using Term = std::pair<double, const std::vector<T>*>;
  const auto c = coefficients(degree);
  const auto a2 = algebra.product(a, a);
  std::vector<T> odd, v;
  if (degree == 13) {
    const auto a4 = algebra.product(a2, a2), a6 = algebra.product(a4, a2);
    const auto high =
        algebra.product(a6, algebra.sum(0, Term{c[13], &a6}, Term{c[11], &a4}, Term{c[9], &a2}));
    odd = algebra.sum(c[1], Term{1, &high}, Term{c[7], &a6}, Term{c[5], &a4}, Term{c[3], &a2});
    const auto even =
        algebra.product(a6, algebra.sum(0, Term{c[12], &a6}, Term{c[10], &a4}, Term{c[8], &a2}));
    v = algebra.sum(c[0], Term{1, &even}, Term{c[6], &a6}, Term{c[4], &a4}, Term{c[2], &a2});
  } else {
    odd = algebra.sum(c[1], Term{c[3], &a2});
    v = algebra.sum(c[0], Term{c[2], &a2});
    auto power = a2;
    for (std::size_t j = 4; j < static_cast<std::size_t>(degree); j += 2) {
      power = algebra.product(power, a2);
      odd = algebra.sum(0, Term{1, &odd}, Term{c[j + 1], &power});
      v = algebra.sum(0, Term{1, &v}, Term{c[j], &power});
    }
  }
  const auto u = algebra.product(a, odd);
  auto denominator = algebra.sum(0, Term{1, &v}, Term{-1, &u});
  auto made = algebra.sum(0, Term{1, &v}, Term{1, &u});
  algebra.divide(denominator, made);
  return made;
}

/// The largest sum of magnitudes of a column; NaN and infinity stay.
template <class T>
double norm_of(const T* a, std::int64_t n) {
  double largest = 0;
  for (std::int64_t j = 0; j < n; ++j) {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(std::abs(a[j * n + i]));
    if (!std::isfinite(sum)) return sum;
    largest = std::max(largest, sum);
  }
  return largest;
}

template <class T, class Int>
std::vector<T> exponential(const Squares<T, Int>& algebra, std::vector<T> a, double norm) {
  constexpr bool is_single = std::is_same_v<Real<T>, float>;
  const std::span<const Approximant> known =
      is_single ? std::span<const Approximant>(in_single) : std::span<const Approximant>(in_double);
  for (const Approximant& one : known)
    if (norm <= one.norm) return approximated(algebra, a, one.degree);
  const Approximant& last = known.back();
  const int squarings = std::max(0, static_cast<int>(std::ceil(std::log2(norm / last.norm))));
  for (T& value : a) value *= std::ldexp(Real<T>(1), -squarings);
  std::vector<T> made = approximated(algebra, a, last.degree);
  for (int i = 0; i < squarings; ++i) made = algebra.product(made, made);
  return made;
}

}  // namespace

Array expm(const Array& a) {
  require_squares("expm", a);
  return with_dtype("expm", a, [&](auto number, const Array& x) {
    using T = decltype(number);
    HostMatrices<T> all(x);
    if (all.n == 0) return all.array("expm", x);
    for_matrices(all, x,
                 [&]<class Int>(const HostRoutines<T, Int>& routines, auto first, auto last) {
                   const Squares<T, Int> algebra(routines, all.n);
                   const std::int64_t size = all.n * all.n;
                   for (std::int64_t i = first; i < last; ++i) {
                     const double norm = norm_of(all.at(i), all.n);
                     if (!std::isfinite(norm)) {
                       std::fill_n(all.at(i), size, T(std::numeric_limits<Real<T>>::quiet_NaN()));
                       continue;
                     }
                     const auto made =
                         exponential(algebra, std::vector<T>(all.at(i), all.at(i) + size), norm);
                     std::copy(made.begin(), made.end(), all.at(i));
                   }
                 });
    return all.array("expm", x);
  });
}

}  // namespace treadle::linalg
