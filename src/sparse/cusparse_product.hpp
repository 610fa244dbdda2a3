// SPDX-License-Identifier: MIT
// Products by cuSPARSE.
#pragma once

#include <memory>
#include <string>

#include "treadle/array/array.hpp"
#include "treadle/device/device.hpp"
#include "treadle/library/cusparse.hpp"
#include "treadle/sparse/csr_matrix.hpp"

namespace treadle::sparse {

/// cuSPARSE on a device, opened by the first product there.
struct DeviceCusparse {
  explicit DeviceCusparse(device::Device& device);
  /// Takes the place of what was opened; null: nothing.
  void use(std::unique_ptr<library::CusparseHandle> opened);
  std::unique_ptr<library::CusparseHandle> handle;  ///< null: there is none
  std::string name, text;                           ///< for explain()
};

/// Whether the device has cuSPARSE, and it multiplies such a matrix: of four dtypes, with sizes
/// that are numbers of 32 bits.
bool is_for_cusparse(const CsrMatrix& a);
/// The offsets of such a matrix, as cuSPARSE reads them.
Array cusparse_starts(const CsrMatrix& a);
/// The product with x, of the matrix's dtype: a vector or a matrix; pending. The result throws as
/// Cusparse::check() where cuSPARSE refuses.
Array multiplied_by_cusparse(const CsrMatrix& a, const Array& starts, const Array& x);

}  // namespace treadle::sparse
