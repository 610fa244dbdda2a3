// SPDX-License-Identifier: MIT
// Points of Sobol's sequences, which fill a cube more evenly than random ones: means over them come
// close to integrals about as fast as 1 / n, where those over random points do as 1 / sqrt(n).
//
//     Sobol sobol(2);
//     const Array points = sobol.draw(1024, Scalar::float32);  // (1024, 2)
//
// treadle/base/sobol.hpp says which sequences they are. The bits are the same on every device.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "treadle/array/array.hpp"
#include "treadle/base/sobol.hpp"

namespace treadle::array {

class ElementwiseKernel;

/// A sequence of points of [0, 1), each drawn once. Numbers of points that are powers of two, from
/// a multiple of them on, are the most even. Threads may share one: each draw is whole.
class Sobol {
 public:
  /// Plain, beginning with the origin; with a seed scrambled and shifted, so that every point is
  /// uniform by itself and other seeds tell how far a mean is off. Arrays are made on `device`;
  /// null: on that which is current when they are drawn. Throws InvalidArgument unless there are 1
  /// to 20000 dimensions.
  explicit Sobol(std::int64_t dimensions, std::optional<std::uint64_t> seed = {},
                 std::shared_ptr<device::Device> device = nullptr);

  /// The next points, in rows: (count, dimensions()). float32 has 24 of 32 bits and 2^32 points,
  /// float64 53 of 64. Throws DTypeError, InvalidArgument for a negative count and behind the last
  /// point, NotSupported for float64 on a device without it.
  Array draw(std::int64_t count, Scalar dtype = Scalar::float64);
  /// Passes over points. Throws InvalidArgument for a negative count.
  void skip(std::int64_t count);
  /// Back to the first point.
  void reset();
  /// How many points are behind.
  std::int64_t position() const;
  /// Coordinates of a point.
  std::int64_t dimensions() const noexcept { return dimensions_; }
  /// None: the sequence is plain.
  std::optional<std::uint64_t> seed() const noexcept { return seed_; }

 private:
  /// On one device. The kernel is this sequence's own: it keeps the device in use.
  struct Tables {
    Array vectors, shifts;
    std::shared_ptr<ElementwiseKernel> kernel;
  };
  const Tables& tables(Scalar dtype, const Placement& placement);

  std::int64_t dimensions_;
  std::optional<std::uint64_t> seed_;
  std::shared_ptr<device::Device> device_;
  mutable std::mutex mutex_;
  std::int64_t position_ = 0;
  Tables single_, double_;  ///< of the last draw
};

}  // namespace treadle::array

namespace treadle {

using array::Sobol;

}  // namespace treadle
