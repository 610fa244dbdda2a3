// SPDX-License-Identifier: MIT
// Stacks of matrices in the host's memory, column by column, as LAPACK reads them.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "linalg/host_batch.hpp"
#include "linalg/operands.hpp"
#include "treadle/array/array.hpp"
#include "treadle/array/manipulation.hpp"
#include "treadle/base/error.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/device/device.hpp"
#include "treadle/library/host_blas.hpp"

namespace treadle::linalg {

template <class T>
using Real = typename library::Magnitude<T>::Type;
template <class T>
constexpr bool is_real = std::is_floating_point_v<T>;

/// LAPACK, or the error that says what was searched and what to install.
std::shared_ptr<const library::HostBlas> lapack();
/// Says in explain() that LAPACK of the host has made an array, which is in memory, of matrices
/// that were given to a function of this name.
void note_lapack(const char* name, const Array& given, const Array& made);
/// The dtype in which decompositions of it are computed. Throws DTypeError.
Scalar computed_dtype(const char* name, Scalar dtype);
/// Throws MatrixShapeError for fewer than two axes.
void require_matrices(const char* name, const Array& a);
/// Throws MatrixShapeError unless the last two axes have one length.
void require_squares(const char* name, const Array& a);

/// Memory whose elements are written before they are read: zeros would be a pass of their own.
template <class T>
struct Unfilled : std::allocator<T> {
  template <class U>
  struct rebind {
    using other = Unfilled<U>;
  };
  template <class U>
  void construct(U*) noexcept {}
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

/// Where an array's elements lie, if that is in the host's memory; null: it is not. Blocks until
/// they are computed.
const std::byte* elements_to_read(const Array& a);

/// Matrices of one shape, one behind the other.
template <class T>
struct HostMatrices {
  array::Shape batch;                  ///< axes before the last two
  std::int64_t m, n, count;            ///< each has m rows and n columns
  std::vector<T, Unfilled<T>> values;  ///< column by column

  /// Zeros.
  HostMatrices(array::Shape batch_, std::int64_t m_, std::int64_t n_)
      : batch(std::move(batch_)), m(m_), n(n_), count(element_count(batch)) {
    values.resize(static_cast<std::size_t>(count * m * n), T(0));
  }
  /// Copies an array, of dtype T; blocks.
  explicit HostMatrices(const Array& a)
      : batch(a.shape().begin(), a.shape().end() - 2),
        m(*(a.shape().end() - 2)),
        n(a.shape().back()),
        count(element_count(batch)) {
    values.resize(static_cast<std::size_t>(count * m * n));
    if (values.empty()) return;
    if (const std::byte* const from = elements_to_read(a))
      read(from, a.strides(), 0, values.data());
    else
      array::swapaxes(a, -1, -2).get(static_cast<void*>(values.data()));
  }
  T* at(std::int64_t matrix) { return values.data() + matrix * m * n; }
  T& element(std::int64_t matrix, std::int64_t i, std::int64_t j) {
    return values[static_cast<std::size_t>((matrix * n + j) * m + i)];
  }
  /// As an array on the stream of the matrices that a function of this name was given.
  Array array(const char* name, const Array& like) const;

 private:
  /// Copies the matrices along the axes from this one on; returns where the next one goes.
  T* read(const std::byte* from, Extents strides, std::size_t axis, T* to) const {
    if (axis < batch.size()) {
      for (std::int64_t i = 0; i < batch[axis]; ++i)
        to = read(from + i * strides[axis], strides, axis + 1, to);
      return to;
    }
    // Tiles of it: lines that are read and lines that are written stay in the first cache.
    constexpr std::int64_t tile = 32;
    const std::int64_t row = strides[axis], column = strides[axis + 1];
    for (std::int64_t top = 0; top < m; top += tile)
      for (std::int64_t left = 0; left < n; left += tile)
        for (std::int64_t j = left; j < std::min(left + tile, n); ++j)
          for (std::int64_t i = top; i < std::min(top + tile, m); ++i)
            std::memcpy(to + j * m + i, from + i * row + j * column, sizeof(T));
    return to + m * n;
  }
};

/// One number of each matrix, as an array on the stream of the matrices that a function of this
/// name was given.
template <class T, class Memory>
Array host_numbers(const char* name, const std::vector<T, Memory>& values,
                   const array::Shape& batch, const Array& like) {
  const Array made = Array::from(static_cast<const void*>(values.data()), batch, dtype_of<T>(),
                                 {.stream = like.stream()});
  note_lapack(name, like, made);
  return made;
}
/// The same with `length` numbers of each matrix.
template <class T>
Array host_vectors(const char* name, const std::vector<T>& values, array::Shape batch,
                   std::int64_t length, const Array& like) {
  batch.push_back(length);
  return host_numbers(name, values, batch, like);
}
template <class T>
Array HostMatrices<T>::array(const char* name, const Array& like) const {
  array::Shape shape = batch;
  shape.insert(shape.end(), {n, m});
  return array::swapaxes(host_numbers(name, values, shape, like), -1, -2);
}

/// Calls `work(routines, first, last)` with LAPACK's HostRoutines for parts of the matrices, as
/// share_matrices(); on several threads, and each call has work areas of its own.
template <class T, class F>
void for_matrices(const HostMatrices<T>& all, const Array& like, F work) {
  const auto library = lapack();
  share_matrices(
      *library, host_threads(like), {all.count, all.m, all.n},
      [&](std::int64_t first, std::int64_t last) {
        library->template call<T>([&](const auto& routines) { work(routines, first, last); });
      });
}

/// Calls `function` with a value of the C++ type of the dtype that `a` is computed in, and with `a`
/// in that dtype.
template <class F>
auto with_dtype(const char* name, const Array& a, F function) {
  const Scalar dtype = computed_dtype(name, a.dtype().scalar());
  const Array x = in_dtype(a, dtype);
  switch (dtype) {
    case Scalar::float32:
      return function(float{}, x);
    case Scalar::complex64:
      return function(std::complex<float>{}, x);
    case Scalar::complex128:
      return function(std::complex<double>{}, x);
    default:
      return function(double{}, x);
  }
}

/// The size of work that LAPACK asks for comes as a number of the dtype.
template <class Int, class T>
Int work_size(const T& asked) {
  return std::max(static_cast<Int>(std::real(asked)), Int(1));
}

}  // namespace treadle::linalg
