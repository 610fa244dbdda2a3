// SPDX-License-Identifier: MIT
// Points of Sobol's sequences, which fill a cube more evenly than random points do. The error of a
// mean over n points falls about as 1 / n; over random points it falls as 1 / sqrt(n).
//
//     Sobol sobol(2);
//     const Array points = sobol.draw(1024, Scalar::float32);  // (1024, 2)
//
// treadle/base/sobol.hpp tells which sequences these are. The bits are the same on every device.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "treadle/array/array.hpp"
#include "treadle/base/sobol.hpp"

namespace treadle::array {

class ElementwiseKernel;

/// A sequence of points in [0, 1); each point is drawn once. 2^k points are the most even if they
/// begin at a multiple of 2^k. Threads may share a Sobol: each draw is atomic.
class Sobol {
 public:
  /// Without a seed the sequence begins with the origin. With a seed the sequence is scrambled and
  /// shifted: each point alone is uniform, and results of several seeds tell the error of a mean.
  /// Arrays are made on `device`; null: on the device that is current at the draw. Throws
  /// InvalidArgument unless there are 1 to 20000 dimensions.
  explicit Sobol(std::int64_t dimensions, std::optional<std::uint64_t> seed = {},
                 std::shared_ptr<device::Device> device = nullptr);

  /// The next points, in rows: (count, dimensions()). float32 has 24 of 32 bits and 2^32 points,
  /// float64 has 53 of 64 bits. Throws DTypeError, InvalidArgument for a negative count and beyond
  /// the last point, NotSupported for float64 on a device without it.
  Array draw(std::int64_t count, Scalar dtype = Scalar::float64);
  /// Skips points. Throws InvalidArgument for a negative count.
  void skip(std::int64_t count);
  /// Returns to the first point.
  void reset();
  /// The number of points drawn or skipped so far.
  std::int64_t position() const;
  /// The number of coordinates of a point.
  std::int64_t dimensions() const noexcept { return dimensions_; }
  /// None: the sequence is not scrambled.
  std::optional<std::uint64_t> seed() const noexcept { return seed_; }

 private:
  /// The tables on one device. The kernel belongs to this sequence and keeps the device alive.
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
  Tables single_, double_;  ///< on the device of the last draw
};

}  // namespace treadle::array

namespace treadle {

using array::Sobol;

}  // namespace treadle
