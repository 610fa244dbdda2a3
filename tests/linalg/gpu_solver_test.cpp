// SPDX-License-Identifier: MIT
// What cuSOLVER is asked for, on a machine without a GPU: a table whose routines are those of the
// host's LAPACK, in the memory that the CPU device shares with it.
#include "linalg/gpu_solver.hpp"

#include <gmock/gmock.h>

#include <complex>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "library/packages.hpp"
#include "linalg/host_matrices.hpp"
#include "treadle/array/creation.hpp"
#include "treadle/array/elementwise.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/cuda.hpp"
#include "treadle/device/current.hpp"
#include "treadle/device/driver.hpp"
#include "treadle/linalg/product.hpp"

namespace treadle::linalg {
namespace {

using library::CusolverRoutines;
using library::HostRoutines;

/// Which routines were called, and the stream that they come after.
std::set<std::string> solver_calls;
device::Stream* solver_stream = nullptr;
int solver_answer = 0;
int solver_settings = 0;  // that were created and not destroyed

/// Calls LAPACK after what is queued, with integers of its own.
template <class T, class F>
int by_lapack(const char* name, F function) {
  solver_calls.insert(name);
  solver_stream->synchronize();
  lapack()->call<T>(function);
  return solver_answer;
}
template <class T>
void fill_equations(CusolverRoutines<T>& table) {
  table.getrf_size = [](void*, int, int, T*, int, int* size) { return *size = 1, 0; };
  table.getrf = [](void*, int m, int n, T* a, int lda, T*, int* pivots, int* info) {
    return by_lapack<T>("getrf", [&]<class Int>(const HostRoutines<T, Int>& lapack) {
      const Int rows = m, columns = n, distance = lda;
      Int failure = 0;
      std::vector<Int> own(static_cast<std::size_t>(std::min(m, n)));
      lapack.getrf(&rows, &columns, a, &distance, own.data(), &failure);
      for (std::size_t i = 0; i < own.size(); ++i) pivots[i] = static_cast<int>(own[i]);
      *info = static_cast<int>(failure);
    });
  };
  table.getrs = [](void*, int operation, int n, int columns, const T* a, int lda, const int* pivots,
                   T* b, int ldb, int* info) {
    EXPECT_EQ(operation, 0);
    return by_lapack<T>("getrs", [&]<class Int>(const HostRoutines<T, Int>& lapack) {
      const Int rows = n, sides = columns, distance = lda, other = ldb;
      Int failure = 0;
      const std::vector<Int> own(pivots, pivots + n);
      lapack.getrs("N", &rows, &sides, a, &distance, own.data(), b, &other, &failure, 1);
      *info = static_cast<int>(failure);
    });
  };
  table.potrf_size = [](void*, int, int, T*, int, int* size) { return *size = 1, 0; };
  table.potrf = [](void*, int part, int n, T* a, int lda, T*, int, int* info) {
    return by_lapack<T>("potrf", [&]<class Int>(const HostRoutines<T, Int>& lapack) {
      const Int rows = n, distance = lda;
      Int failure = 0;
      lapack.potrf(part == 0 ? "L" : "U", &rows, a, &distance, &failure, 1);
      *info = static_cast<int>(failure);
    });
  };
}

template <class T>
void fill_values(CusolverRoutines<T>& table);

template <class T>
void fill_orthogonal(CusolverRoutines<T>& table) {
  table.geqrf_size = [](void*, int, int n, T*, int, int* size) { return *size = 64 * n, 0; };
  table.geqrf = [](void*, int m, int n, T* a, int lda, T* tau, T* work, int size, int* info) {
    return by_lapack<T>("geqrf", [&]<class Int>(const HostRoutines<T, Int>& lapack) {
      const Int rows = m, columns = n, distance = lda, length = size;
      Int failure = 0;
      lapack.geqrf(&rows, &columns, a, &distance, tau, work, &length, &failure);
      *info = static_cast<int>(failure);
    });
  };
  table.orgqr_size = [](void*, int, int n, int, const T*, int, const T*, int* size) {
    return *size = 64 * n, 0;
  };
  table.orgqr = [](void*, int m, int n, int k, T* a, int lda, const T* tau, T* work, int size,
                   int* info) {
    return by_lapack<T>("orgqr", [&]<class Int>(const HostRoutines<T, Int>& lapack) {
      const Int rows = m, columns = n, factors = k, distance = lda, length = size;
      Int failure = 0;
      lapack.orgqr(&rows, &columns, &factors, a, &distance, tau, work, &length, &failure);
      *info = static_cast<int>(failure);
    });
  };
}

/// Whether rotations converge.
bool solver_converges = true;

/// One matrix by gesdd: u and v as gesvdj makes them. (over 6 parameters because they are its.)
template <class T>
int rotated(const char* name, int job, bool is_economic, int m, int n, T* a, Real<T>* s, T* u, T* v,
            int* info) {
  const int least = std::min(m, n), width = is_economic ? least : n;
  const int own = by_lapack<T>(name, [&]<class Int>(const HostRoutines<T, Int>& lapack) {
    const char letter = job == 0 ? 'N' : is_economic ? 'S' : 'A';
    const Int rows = m, columns = n, vt_rows = width;
    const Int length = 40 * (m + n) * (m + n) + 400;
    Int failure = 0;
    std::vector<T> work(static_cast<std::size_t>(length)), vt(static_cast<std::size_t>(width * n));
    std::vector<Int> integers(static_cast<std::size_t>(8 * least));
    std::vector<Real<T>> reals(static_cast<std::size_t>(10 * (m + n) * (m + n)));
    if constexpr (is_real<T>)
      lapack.gesdd(&letter, &rows, &columns, a, &rows, s, u, &rows, vt.data(), &vt_rows,
                   work.data(), &length, integers.data(), &failure, 1);
    else
      lapack.gesdd_complex(&letter, &rows, &columns, a, &rows, s, u, &rows, vt.data(), &vt_rows,
                           work.data(), &length, reals.data(), integers.data(), &failure, 1);
    for (int i = 0; job != 0 && i < width; ++i)
      for (int j = 0; j < n; ++j) {
        const T element = vt[static_cast<std::size_t>(i + j * width)];
        if constexpr (is_real<T>)
          v[i * n + j] = element;
        else
          v[i * n + j] = std::conj(element);
      }
    if (job == 0) {  // as the library, which turns vectors all the same
      std::fill(u, u + m * (is_economic ? least : m), T(1));
      std::fill(v, v + n * width, T(1));
    }
    *info = solver_converges ? static_cast<int>(failure) : least + 1;
  });
  return own;
}
template <class T>
void fill_rotations(CusolverRoutines<T>& table) {
  using R = Real<T>;
  table.gesvdj_size = [](void*, int, int, int, int, const T*, int, const R*, const T*, int,
                         const T*, int, int* size, void*) { return *size = 1, 0; };
  table.gesvdj = [](void*, int job, int is_economic, int m, int n, T* a, int, R* s, T* u, int, T* v,
                    int, T*, int, int* info, void*) {
    return rotated<T>("gesvdj", job, is_economic != 0, m, n, a, s, u, v, info);
  };
  table.gesvdj_of_many_size = [](void*, int, int, int, const T*, int, const R*, const T*, int,
                                 const T*, int, int* size, void*, int) { return *size = 1, 0; };
  table.gesvdj_of_many = [](void*, int job, int m, int n, T* a, int, R* s, T* u, int, T* v, int, T*,
                            int, int* info, void*, int count) {
    for (int i = 0; i < count; ++i)
      rotated<T>("gesvdjBatched", job, false, m, n, a + i * m * n, s + i * std::min(m, n),
                 u + i * m * m, v + i * n * n, info + i);
    return solver_answer;
  };
  table.syevj_of_many_size = [](void*, int, int, int, const T*, int, const R*, int* size, void*,
                                int) { return *size = 1, 0; };
  table.syevj_of_many = [](void* handle, int job, int part, int n, T* a, int lda, R* w, T*, int,
                           int* info, void*, int count) {
    CusolverRoutines<T> own;
    fill_values(own);
    int size = 0;
    own.syevd_size(handle, job, part, n, a, lda, w, &size);
    std::vector<T> work(static_cast<std::size_t>(size));
    for (int i = 0; i < count; ++i)
      own.syevd(handle, job, part, n, a + i * n * n, lda, w + i * n, work.data(), size, info + i);
    solver_calls.erase("syevd");
    solver_calls.insert("syevjBatched");
    if (!solver_converges) info[0] = n + 1;
    return solver_answer;
  };
}

template <class T>
void fill_values(CusolverRoutines<T>& table) {
  using R = Real<T>;
  table.gesvd_size = [](void*, int m, int n, int* size) {
    EXPECT_GE(m, n);
    return *size = 40 * (m + n) * n + 400, 0;
  };
  table.gesvd = [](void*, signed char job, signed char other, int m, int n, T* a, int lda, R* s,
                   T* u, int ldu, T* vt, int ldvt, T* work, int size, R*, int* info) {
    EXPECT_EQ(job, other);
    return by_lapack<T>("gesvd", [&]<class Int>(const HostRoutines<T, Int>& lapack) {
      const char letter = static_cast<char>(job);
      const Int rows = m, columns = n, distance = lda, u_distance = ldu, vt_distance = ldvt,
                length = size;
      Int failure = 0;
      std::vector<Int> integers(static_cast<std::size_t>(8 * n));
      std::vector<R> reals(static_cast<std::size_t>((5 * n + 7 + 2 * m + 2 * n + 1) * n));
      if constexpr (is_real<T>)
        lapack.gesdd(&letter, &rows, &columns, a, &distance, s, u, &u_distance, vt, &vt_distance,
                     work, &length, integers.data(), &failure, 1);
      else
        lapack.gesdd_complex(&letter, &rows, &columns, a, &distance, s, u, &u_distance, vt,
                             &vt_distance, work, &length, reals.data(), integers.data(), &failure,
                             1);
      *info = static_cast<int>(failure);
    });
  };
  fill_rotations(table);
  table.syevd_size = [](void*, int, int, int n, const T*, int, const R*, int* size) {
    return *size = 3 * n * n + 7 * n + 10, 0;
  };
  table.syevd = [](void*, int job, int part, int n, T* a, int lda, R* w, T* work, int size,
                   int* info) {
    return by_lapack<T>("syevd", [&]<class Int>(const HostRoutines<T, Int>& lapack) {
      const Int rows = n, distance = lda, length = size, integer_length = 5 * n + 3,
                real_length = 2 * n * n + 5 * n + 1;
      Int failure = 0;
      const char *const letter = job == 0 ? "N" : "V", *const uplo = part == 0 ? "L" : "U";
      std::vector<Int> integers(static_cast<std::size_t>(integer_length));
      std::vector<R> reals(static_cast<std::size_t>(real_length));
      if constexpr (is_real<T>)
        lapack.syevd(letter, uplo, &rows, a, &distance, w, work, &length, integers.data(),
                     &integer_length, &failure, 1, 1);
      else
        lapack.heevd(letter, uplo, &rows, a, &distance, w, work, &length, reals.data(),
                     &real_length, integers.data(), &integer_length, &failure, 1, 1);
      *info = static_cast<int>(failure);
    });
  };
}

template <class T>
CusolverRoutines<T> lapack_for_cusolver() {
  CusolverRoutines<T> table;
  fill_equations(table);
  fill_orthogonal(table);
  fill_values(table);
  return table;
}

std::shared_ptr<const library::Cusolver> cusolver_of_lapack() {
  library::CusolverTable table;
  table.create = [](void**) { return 0; };
  table.destroy = [](void*) { return 0; };
  for (auto* create : {&table.create_svd_rotations, &table.create_eigen_rotations})
    *create = [](void**) { return ++solver_settings, 0; };
  for (auto* destroy : {&table.destroy_svd_rotations, &table.destroy_eigen_rotations})
    *destroy = [](void*) { return --solver_settings, 0; };
  table.set_stream = [](void*, void* stream) {
    EXPECT_EQ(reinterpret_cast<std::uint64_t>(stream), solver_stream->raw());
    return 0;
  };
  table.routines = {lapack_for_cusolver<float>(), lapack_for_cusolver<double>(),
                    lapack_for_cusolver<std::complex<float>>(),
                    lapack_for_cusolver<std::complex<double>>()};
  return std::make_shared<const library::Cusolver>(table);
}

template <class T>
class GpuSolverTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto blas = library::blas_of_this_machine();
    if (blas == nullptr || !blas->has_lapack()) GTEST_SKIP() << "no LAPACK on this machine";
    device_ = device::cpu_driver()->devices().front();
    stream_ = device_->make_stream();
    solver_stream = stream_.get();
    solver_calls.clear();
    solver_answer = 0;
    solver_converges = true;
    scope_.emplace(stream_);
    use(true);
  }
  void TearDown() override {
    EXPECT_EQ(solver_settings, 0);
    if (device_ != nullptr) use(false);
    scope_.reset();
  }
  /// Whether the CPU device has cuSOLVER's place taken, for matrices of any length.
  void use(bool is_there) {
    DeviceSolver& solver = device_->slot<DeviceSolver>();
    solver.use(is_there ? std::make_unique<library::CusolverHandle>(cusolver_of_lapack(),
                                                                    *device::cuda_context(*device_))
                        : nullptr);
    solver.least_for_factors = solver.least_for_eigen = solver.least_for_svd = 1;
    solver.least_stack = least_stack_;
  }
  Array draw(const array::Shape& shape, int seed = 1) {
    std::int64_t count = 1;
    for (const std::int64_t length : shape) count *= length;
    std::vector<T> values;
    std::uint32_t state = static_cast<std::uint32_t>(seed);
    const auto next = [&] {
      state = state * 1664525u + 1013904223u;
      return static_cast<Real<T>>(state >> 8) / Real<T>(1 << 24) - Real<T>(0.5);
    };
    for (std::int64_t i = 0; i < count; ++i) {
      if constexpr (is_real<T>)
        values.push_back(next());
      else
        values.emplace_back(next(), next());
    }
    return Array::from(static_cast<const void*>(values.data()), shape, dtype_of<T>());
  }
  static void expect_same(const Array& x, const Array& y) {
    ASSERT_TRUE(std::ranges::equal(x.shape(), y.shape()));
    ASSERT_EQ(x.dtype(), y.dtype());
    const double tolerance = sizeof(Real<T>) == 4 ? 1e-4 : 1e-10;
    EXPECT_LT(array::max(array::absolute(x - y)).item().as_double(), tolerance);
  }
  /// What a function makes on the host.
  auto on_host(auto function) {
    use(false);
    const auto made = function();
    use(true);
    return made;
  }
  void expect_calls(std::set<std::string> names) {
    EXPECT_EQ(solver_calls, names);
    solver_calls.clear();
  }
  static Array adjoint(const Array& x) { return array::swapaxes(array::conj(x), -1, -2); }
  static void expect_near(const Array& x, const Array& y) {
    EXPECT_EQ(x.dtype(), y.dtype());
    EXPECT_LT(array::max(array::absolute(x - y)).item().as_double(), 1e-4);
  }
  void expect_singular_values() {
    for (const Array& x : {draw({2, 5, 3}), draw({2, 3, 5})}) {
      const Array expected = on_host([&] { return svd(x, false, false).s; });
      for (const bool has_full : {false, true}) {
        const Svd made = svd(x, has_full);
        expect_near(made.s, expected);
        expect_same(matmul(adjoint(made.u), made.u),
                    array::identity(made.u.shape().back(), x.dtype().scalar()) +
                        array::zeros({2, 1, 1}, x.dtype().scalar()));
        Index first = Index::all();
        first.stop = 3;
        const Array u = made.u.at({Index::ellipsis(), first});
        const Array vh = made.vh.at({Index::ellipsis(), first, Index::all()});
        expect_same(matmul(u * array::expand_dims(made.s, -2), vh), x);
      }
      expect_near(svd(x, true, false).s, expected);
    }
  }
  void expect_eigenvalues() {
    const Array a = draw({2, 4, 4});
    for (const bool reads_upper : {false, true}) {
      const Eigen made = eigh(a, reads_upper);
      const Eigen expected = on_host([&] { return eigh(a, reads_upper); });
      expect_near(made.values, expected.values);
      expect_same(made.vectors, expected.vectors);
      expect_near(eigh(a, reads_upper, false).values, made.values);
    }
  }
  std::int64_t least_stack_ = 64;
  std::shared_ptr<device::Device> device_;
  std::shared_ptr<device::Stream> stream_;
  std::optional<device::StreamScope> scope_;
};
using SolverDtypes = testing::Types<float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(GpuSolverTest, SolverDtypes);

TYPED_TEST(GpuSolverTest, equations) {
  const Array a = this->draw({2, 4, 4}), b = this->draw({4, 3}, 2);
  const Array x = solve(a, b);
  this->expect_calls({"getrf", "getrs"});
  this->expect_same(x, this->on_host([&] { return solve(a, b); }));
  this->expect_same(inv(a), this->on_host([&] { return inv(a); }));
  this->expect_calls({"getrf", "getrs"});
  this->expect_same(det(a), this->on_host([&] { return det(a); }));
  this->expect_calls({"getrf"});
  const SignAndLog made = slogdet(a), expected = this->on_host([&] { return slogdet(a); });
  this->expect_same(made.sign, expected.sign);
  EXPECT_LT(array::max(array::absolute(made.log_of_size - expected.log_of_size)).item().as_double(),
            1e-4);
}

TYPED_TEST(GpuSolverTest, factors) {
  const Array a = this->draw({3, 5, 5});
  const Array positive = matmul(a, this->adjoint(a)) + array::identity(5, a.dtype().scalar());
  for (const bool is_upper : {false, true})
    this->expect_same(cholesky(positive, is_upper),
                      this->on_host([&] { return cholesky(positive, is_upper); }));
  this->expect_calls({"potrf"});
  for (const Array& x : {this->draw({2, 5, 3}), this->draw({3, 5})})
    for (const QrMode mode : {QrMode::reduced, QrMode::complete, QrMode::r}) {
      const Qr made = qr(x, mode), expected = this->on_host([&] { return qr(x, mode); });
      this->expect_same(made.r, expected.r);
      if (mode != QrMode::r) this->expect_same(made.q, expected.q);
    }
  this->expect_calls({"geqrf", "orgqr"});
}

TYPED_TEST(GpuSolverTest, singular_and_eigen_values) {
  for (const bool converges : {true, false}) {
    solver_converges = converges;
    this->expect_singular_values();
    this->expect_calls(converges ? std::set<std::string>{"gesvdj"}
                                 : std::set<std::string>{"gesvdj", "gesvd"});
  }
  this->expect_eigenvalues();
  this->expect_calls({"syevd"});
}

TYPED_TEST(GpuSolverTest, many_small_matrices_are_one_call) {
  this->least_stack_ = 2;
  this->use(true);
  this->expect_singular_values();
  this->expect_calls({"gesvdjBatched"});
  this->expect_eigenvalues();
  this->expect_calls({"syevjBatched"});
  solver_converges = false;
  this->expect_eigenvalues();
  this->expect_calls({"syevjBatched", "syevd"});
}

TYPED_TEST(GpuSolverTest, what_has_no_decomposition_is_refused) {
  const Array none = array::zeros({2, 3, 3}, dtype_of<TypeParam>().scalar());
  EXPECT_THROW(solve(none, none), LinAlgError);
  EXPECT_THROW(inv(none), LinAlgError);
  EXPECT_THROW(cholesky(none), LinAlgError);
  this->expect_same(det(none), array::zeros({2}, dtype_of<TypeParam>().scalar()));
  EXPECT_THROW(svd(none / none), LinAlgError);
}

TYPED_TEST(GpuSolverTest, short_and_empty_matrices_are_the_hosts) {
  DeviceSolver& solver = this->device_->template slot<DeviceSolver>();
  solver.least_for_factors = 4, solver.least_for_svd = 5;
  const auto is_taken = [](const Array& x) {
    return is_for_gpu(x, &DeviceSolver::least_for_factors);
  };
  EXPECT_TRUE(is_taken(this->draw({4, 4})));
  EXPECT_FALSE(is_taken(this->draw({3, 4})));
  EXPECT_FALSE(is_taken(this->draw({0, 8, 8})));
  (void)solve(this->draw({3, 3}), this->draw({3}));
  (void)svd(this->draw({4, 4}));
  EXPECT_EQ(solve(this->draw({4, 4}), this->draw({4, 0})).size(), 0);
  this->expect_calls({});
}

TYPED_TEST(GpuSolverTest, an_error_names_the_routine) {
  solver_answer = 7;
  try {
    (void)cholesky(this->draw({3, 3}));
    FAIL();
  } catch (const DeviceError& error) {
    EXPECT_EQ(error.code_name(), "CUSOLVER_STATUS_INTERNAL_ERROR");
    EXPECT_THAT(error.what(), testing::HasSubstr("cusolverDnXpotrf failed: "));
  }
}

}  // namespace
}  // namespace treadle::linalg
