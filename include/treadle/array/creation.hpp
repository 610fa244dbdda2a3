// SPDX-License-Identifier: MIT
// Arrays that are made of no other array. Each is on the device of the placement's stream, by
// default the current one; all but empty() have no memory before somebody looks at them.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Undefined elements; allocates now. Throws ShapeError, OutOfMemory.
Array empty(const Shape& shape, const DType& dtype = Scalar::float64,
            const Placement& placement = {});
/// Every element the same number, converted to the dtype as NumPy's full() does. Throws
/// OverflowError for an integer beyond it.
Array full(const Shape& shape, const Number& value, Scalar dtype, const Placement& placement = {});
/// Every element 0.
Array zeros(const Shape& shape, Scalar dtype = Scalar::float64, const Placement& placement = {});
/// Every element 1.
Array ones(const Shape& shape, Scalar dtype = Scalar::float64, const Placement& placement = {});
/// start, start + step, ... before stop; one axis, which is empty if there are none. Elements are
/// start + i * step in the dtype. Throws InvalidArgument for a step of 0 or more than 2^63
/// elements, DTypeError for bool.
Array arange(const Number& start, const Number& stop, const Number& step, Scalar dtype,
             const Placement& placement = {});
/// `count` elements, the first two of which are given. As in NumPy both are stored in the dtype,
/// and the others continue with the difference of the stored ones. Throws as arange().
Array progression(const Number& first, const Number& second, std::int64_t count, Scalar dtype,
                  const Placement& placement = {});
/// `count` numbers from start to stop, which is the last one unless `endpoint` is false. Computed
/// in float64 (complex128), then cast.
Array linspace(double start, double stop, std::int64_t count, bool endpoint = true,
               Scalar dtype = Scalar::float64, const Placement& placement = {});
/// The same on a line of the complex plane.
Array linspace(std::complex<double> start, std::complex<double> stop, std::int64_t count,
               bool endpoint = true, Scalar dtype = Scalar::complex128,
               const Placement& placement = {});
/// The same between arrays, which broadcast, along a new first axis; in float64 (complex128).
Array linspace(const Array& start, const Array& stop, std::int64_t count, bool endpoint = true);
/// base to the power of `count` numbers from start to stop, as linspace() has them; float64.
Array logspace(double start, double stop, std::int64_t count, bool endpoint = true,
               double base = 10, const Placement& placement = {});
/// `count` numbers from start to stop, each a constant factor from the one before; float64. Throws
/// InvalidArgument for 0, and for ends of different signs.
Array geomspace(double start, double stop, std::int64_t count, bool endpoint = true,
                const Placement& placement = {});
/// Ones on a diagonal, `offset` to the right of the main one; zeros elsewhere.
Array eye(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0,
          Scalar dtype = Scalar::float64, const Placement& placement = {});

/// full(), zeros(), ones() and empty() in the shape and on the device of x, and in its dtype unless
/// another is given.
Array full_like(const Array& x, const Number& value, std::optional<Scalar> dtype = {});
Array zeros_like(const Array& x, std::optional<Scalar> dtype = {});  ///< 0
Array ones_like(const Array& x, std::optional<Scalar> dtype = {});   ///< 1
Array empty_like(const Array& x);                                    ///< undefined elements
/// eye() of as many rows as columns.
Array identity(std::int64_t rows, Scalar dtype = Scalar::float64, const Placement& placement = {});
/// Ones at and below the diagonal that is `offset` to the right of the main one; zeros above.
Array tri(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0,
          Scalar dtype = Scalar::float64, const Placement& placement = {});
/// The place of each element of an array of this shape, along axis 0, along axis 1, ...: int64,
/// with a new first axis. Throws ShapeError for no axes.
Array indices(const Shape& shape, const Placement& placement = {});
/// A square array of zeros with these elements on a diagonal; of an array of two axes a
/// read-only view of that diagonal. Throws ShapeError for other ranks, DTypeError for records.
Array diag(const Array& x, std::int64_t offset = 0);

}  // namespace treadle::array
