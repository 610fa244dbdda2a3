// SPDX-License-Identifier: MIT
// Reads the arguments of random.Generator's methods: parameters, and the form of the result.
#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "native/array.hpp"
#include "native/device.hpp"
#include "treadle/array/random.hpp"

namespace treadle::bindings {

namespace nb = nanobind;

/// Converts a number to Python's bool or float, or NumPy's integer.
nb::object python_number(const Number& number, Scalar dtype);
/// Converts lists and tuples to NumPy arrays.
nb::object without_sequences(nb::handle object);
/// The placement of a generator's arrays.
array::Placement placement_of(const array::Generator& random);

/// A parameter such as loc or scale: a number or an array, held while the GIL is released.
class Parameter {
 public:
  Parameter(const array::Generator& random, nb::handle object, const char* name);
  bool is_number() const { return !array_.has_value(); }
  double number() const;
  const Array& array() const { return array_; }
  array::Operand get() const { return is_number() ? given_.get() : array::Operand(array_); }

 private:
  ArrayOperand given_;
  Array array_;
};

/// The result of a draw: numbers in `out`, a new array of shape `size`, or one number if both are
/// None.
class Request {
 public:
  Request(nb::handle size, nb::handle dtype, nb::handle out);

  Scalar dtype() const { return dtype_; }
  nb::object of(array::Generator& random, const RandomDraw& draw) const;
  /// Returns the numbers of make(shape). Without a size, the shape is that of the parameters.
  template <class Make>
  nb::object of(std::span<const Parameter* const> parameters, Make make) const {
    std::vector<const Layout*> layouts;
    for (const Parameter* parameter : parameters)
      if (!parameter->is_number()) layouts.push_back(&parameter->array().layout());
    array::Shape shape;
    if (shape_) {
      shape = *shape_;
    } else if (!layouts.empty()) {
      const Layout all = broadcast(layouts, 1);
      shape.assign(all.shape().begin(), all.shape().end());
    }
    Array made;
    {
      const nb::gil_scoped_release released;
      made = make(shape);
      if (out_.has_value()) out_.assign(made);
    }
    if (out_.has_value()) return out_object_;
    const bool is_number = !shape_ && layouts.empty();
    return is_number ? python_number(made.item(), dtype_) : array_object(std::move(made));
  }

  template <class Make>
  nb::object of(std::initializer_list<const Parameter*> parameters, Make make) const {
    return of(std::span(parameters.begin(), parameters.size()), make);
  }

 private:
  nb::object out_object_;
  Array out_;
  std::optional<array::Shape> shape_;
  Scalar dtype_ = Scalar::float64;
};

}  // namespace treadle::bindings
