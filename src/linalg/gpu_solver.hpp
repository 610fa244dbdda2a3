// SPDX-License-Identifier: MIT
// Decompositions by cuSOLVER, on NVIDIA's GPUs: nothing but what says whether they succeeded is
// copied to the host, and for that the call waits.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "treadle/array/array.hpp"
#include "treadle/library/cusolver.hpp"
#include "treadle/linalg/decomposition.hpp"

namespace treadle::linalg {

/// cuSOLVER on a device.
class DeviceSolver {
 public:
  explicit DeviceSolver(device::Device& device) : device_(device) {}
  /// Opened by the first call, which takes a second; null: there is none.
  library::CusolverHandle* handle();
  /// Takes the place of what handle() would open.
  void use(std::unique_ptr<library::CusolverHandle> handle);
  /// For explain().
  const std::string& text() const noexcept { return text_; }

  /// The host is sooner done with shorter matrices, copies included (an H200 beside 16 cores): of
  /// LU, Cholesky and QR, of eigenvalues, of singular values. Both take one after the other.
  std::int64_t least_for_factors = 96, least_for_eigen = 192, least_for_svd = 128;
  /// As many matrices of at most 32 rows and columns have their eigenvalues or singular values
  /// found by one call.
  std::int64_t least_stack = 64;

 private:
  device::Device& device_;
  std::once_flag opened_;
  std::unique_ptr<library::CusolverHandle> handle_;
  std::string text_;
};

/// Whether these functions take the matrices in the last axes of x, which have so many rows and
/// columns (a member of DeviceSolver); else the host's LAPACK has to.
bool is_for_gpu(const Array& x, std::int64_t DeviceSolver::* least, std::int64_t others = 0);

// As the public functions of those names. All operands are of one dtype: float32, float64,
// complex64 or complex128.

/// a and b have the same axes before the last two.
Array gpu_solve(const char* name, const Array& a, const Array& b);
/// What getrf leaves.
struct PivotedFactors {
  Array diagonal;  ///< of U
  Array pivots;    ///< int32, from 1 on: the row that each row was exchanged with
};
PivotedFactors gpu_factors(const Array& a);
Array gpu_cholesky(const Array& a, bool is_upper);
Qr gpu_qr(const Array& a, QrMode mode);
Svd gpu_svd(const Array& a, bool has_full_matrices, bool has_vectors);
Eigen gpu_eigh(const Array& a, bool reads_upper, bool has_vectors);

}  // namespace treadle::linalg
