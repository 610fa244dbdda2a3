// SPDX-License-Identifier: MIT
// Sobol's sequences: points that fill a cube of many dimensions evenly. Coordinate d of point i is,
// as a fraction of its word's range, the exclusive or of those direction vectors of dimension d
// whose bits are set in i ^ i >> 1, the Gray code of i (Antonov and Saleev 1979).
//
// The vectors are made of the numbers of S. Joe and F. Y. Kuo: Constructing Sobol' sequences with
// better two-dimensional projections, SIAM Journal on Scientific Computing 30 (2008). They are
// those of NVIDIA's plain sets of 32 and of 64 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace treadle {

/// How many dimensions have vectors of their own; dimension d + 20000 has those of d.
inline constexpr std::size_t sobol_dimensions = 20000;

/// The direction vectors of the dimensions from 0 to below `dimensions`, one behind the other: 32
/// of uint32 for each, or 64 of uint64; that of the lowest bit of the index first.
template <class Word>
std::vector<Word> sobol_vectors(std::size_t dimensions);

/// The same, scrambled: each vector is multiplied by a random lower triangular matrix of bits of
/// its dimension, which keeps the sequence even and breaks its patterns (J. Matousek: On the
/// L2-discrepancy for anchored boxes, Journal of Complexity 14, 1998). Together with sobol_shifts()
/// every point is uniform by itself. The seed decides the matrices.
template <class Word>
std::vector<Word> scrambled_sobol_vectors(std::size_t dimensions, std::uint64_t seed);

/// A random word for each dimension, to begin with instead of 0.
template <class Word>
std::vector<Word> sobol_shifts(std::size_t dimensions, std::uint64_t seed);

}  // namespace treadle
