// SPDX-License-Identifier: MIT
// Arrays that depend on no other array. They are on the device of the placement's stream, by
// default the current one. Except for empty() they get memory when they are computed.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>

#include "treadle/array/array.hpp"

namespace treadle::array {

/// Undefined elements. Allocates at once. Throws ShapeError, OutOfMemory.
Array empty(const Shape& shape, const DType& dtype = Scalar::float64,
            const Placement& placement = {});
/// Sets every element to one number, converted to the dtype as NumPy's full() does. Throws
/// OverflowError for an integer beyond the dtype's range.
/// Without a dtype the elements are bool, int64, float64 or complex128, as the number is.
Array full(const Shape& shape, const Number& value, std::optional<Scalar> dtype = {},
           const Placement& placement = {});
/// Every element 0.
Array zeros(const Shape& shape, Scalar dtype = Scalar::float64, const Placement& placement = {});
/// Every element 1.
Array ones(const Shape& shape, Scalar dtype = Scalar::float64, const Placement& placement = {});
/// start, start + step, ... before stop, in one axis, which may be empty. Element i is start + i *
/// step in the dtype. Throws InvalidArgument for a step of 0 or more than 2^63 elements, DTypeError
/// for bool. Without a dtype the elements are int64, or float64 (complex128) where a number is
/// floating (complex).
Array arange(const Number& start, const Number& stop, const Number& step,
             std::optional<Scalar> dtype = {}, const Placement& placement = {});
/// arange() in steps of 1.
Array arange(const Number& start, const Number& stop, std::optional<Scalar> dtype = {},
             const Placement& placement = {});
/// arange() from 0 in steps of 1.
Array arange(const Number& stop, std::optional<Scalar> dtype = {}, const Placement& placement = {});
/// `count` elements that continue the first two. As in NumPy the first two are stored in the dtype,
/// and the step is the difference of the stored elements. Throws as arange().
Array progression(const Number& first, const Number& second, std::int64_t count, Scalar dtype,
                  const Placement& placement = {});
/// `count` numbers from start to stop, computed in float64 (complex128) and then cast. The last
/// number is stop unless `endpoint` is false.
Array linspace(double start, double stop, std::int64_t count, bool endpoint = true,
               Scalar dtype = Scalar::float64, const Placement& placement = {});
/// `count` numbers on a line of the complex plane.
Array linspace(std::complex<double> start, std::complex<double> stop, std::int64_t count,
               bool endpoint = true, Scalar dtype = Scalar::complex128,
               const Placement& placement = {});
/// linspace() between arrays, which broadcast, along a new first axis; in float64 (complex128).
Array linspace(const Array& start, const Array& stop, std::int64_t count, bool endpoint = true);
/// base to the power of the numbers of linspace(), as float64.
Array logspace(double start, double stop, std::int64_t count, bool endpoint = true,
               double base = 10, const Placement& placement = {});
/// `count` numbers from start to stop with a constant factor between neighbours; float64. Throws
/// InvalidArgument if an end is 0 or the ends differ in sign.
Array geomspace(double start, double stop, std::int64_t count, bool endpoint = true,
                const Placement& placement = {});
/// Ones on the diagonal that is `offset` to the right of the main diagonal; zeros elsewhere.
Array eye(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0,
          Scalar dtype = Scalar::float64, const Placement& placement = {});
/// As many columns as rows.
Array eye(std::int64_t rows, Scalar dtype = Scalar::float64, const Placement& placement = {});

/// full(), zeros(), ones() and empty() with the shape and the device of x. Without a given dtype
/// the result has the dtype of x.
Array full_like(const Array& x, const Number& value, std::optional<Scalar> dtype = {});
Array zeros_like(const Array& x, std::optional<Scalar> dtype = {});  ///< 0
Array ones_like(const Array& x, std::optional<Scalar> dtype = {});   ///< 1
Array empty_like(const Array& x);                                    ///< undefined elements
/// eye() of as many columns as rows.
Array identity(std::int64_t rows, Scalar dtype = Scalar::float64, const Placement& placement = {});
/// Ones at and below the diagonal that is `offset` to the right of the main diagonal; zeros above.
Array tri(std::int64_t rows, std::int64_t columns, std::int64_t offset = 0,
          Scalar dtype = Scalar::float64, const Placement& placement = {});
/// The place of each element of an array of this shape along axis 0, axis 1, ... as int64, with a
/// new first axis. Throws ShapeError for a shape without axes.
Array indices(const Shape& shape, const Placement& placement = {});
/// For x of one axis: a square array of zeros with the elements of x on a diagonal. For x of two
/// axes: a read-only view of that diagonal. Throws ShapeError for other ranks, DTypeError for
/// records.
Array diag(const Array& x, std::int64_t offset = 0);

}  // namespace treadle::array
