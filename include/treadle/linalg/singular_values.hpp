// SPDX-License-Identifier: MIT
// What singular values tell of matrices: pseudo-inverse, rank, norms and condition. The matrices
// are the last two axes. Singular values are computed as svd() has them
// (treadle/linalg/decomposition.hpp): at once, and with its errors.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>

#include "treadle/array/array.hpp"
#include "treadle/array/linear_algebra.hpp"

namespace treadle::linalg {

/// Singular values alone, falling.
Array svdvals(const Array& a);

/// The pseudo-inverse. Singular values that are not above `relative` times the largest count as 0:
/// one number, or one for each matrix; by default the dtype's precision times the longer side.
Array pinv(const Array& a, const std::optional<array::Operand>& relative = {});

/// From where on singular values count for a rank: a number, or one for each matrix.
struct RankLimit {
  std::optional<array::Operand> relative = {};  ///< times the largest; none: as pinv()
  std::optional<array::Operand> absolute = {};  ///< as it is, in the place of the other
};
/// How many singular values are above the limit, as int64; of arrays with fewer than two axes
/// whether an element is not 0.
Array matrix_rank(const Array& a, const RankLimit& limit = {});

/// Norms of matrices that singular values tell.
enum class SpectralNorm : std::uint8_t {
  largest,   ///< the largest, NumPy's ord=2
  smallest,  ///< the smallest, ord=-2
  nuclear    ///< their sum
};
/// A norm of matrices: one that elements tell, or one of singular values.
using Norm = std::variant<array::MatrixNorm, SpectralNorm>;
/// Norms of the matrices in any two axes, rows and columns. Throws IndexError for one that is not
/// there, InvalidArgument for the smallest of no singular values.
Array matrix_norm(const Array& x, Norm norm, std::pair<int, int> axes = {-2, -1},
                  bool keeps_axes = false);

/// The condition number: largest / smallest singular value, the reverse for the smallest; of other
/// norms that of the matrix times that of its inverse. Infinity for singular matrices; of norms of
/// elements NaN where one is NaN. Throws LinAlgError for matrices without elements.
Array cond(const Array& x, Norm norm = SpectralNorm::largest);

}  // namespace treadle::linalg
