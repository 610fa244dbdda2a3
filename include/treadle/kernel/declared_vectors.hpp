// SPDX-License-Identifier: MIT
// Arrays that users pass for the pointers which their kernel's text declares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "treadle/base/dtype.hpp"

namespace treadle::kernel {

/// Whether elements of one dtype may be meant by a pointer to another: records may be spelled in
/// many ways, complex numbers are pairs, 16 bits are how languages without half have it, unsigned
/// integers are how programs see the bits of a float, and bytes those of anything.
bool may_point_to(const DType& declared, const DType& given);

/// A pointer that a kernel declares, and the array that is passed for it.
struct DeclaredVector {
  std::size_t position;             ///< among the kernel's arguments
  std::string name;                 ///< of the parameter
  DType declared;                   ///< what it points to
  DType given;                      ///< the array's elements
  std::int64_t size;                ///< how many the array has
  bool in_c_order = true;           ///< how they lie in memory
  bool in_fortran_order = true;     ///< both, of an array of one axis
  bool uses_every_element = false;  ///< whether the text surely uses element i for every i
  bool is_counted = false;  ///< whether the kernel makes one element for each of the array's
};

/// Refuses arrays that the kernel would read wrongly, or beyond their ends, where it runs for the
/// indices from `low` to `high`. Throws DTypeError for elements that the pointer is not to,
/// InvalidArgument for an array that is too short, and for arrays whose orders of memory differ.
/// `kernel` is what errors call it: "elementwise kernel axpy".
void check_vectors(const std::string& kernel, std::span<const DeclaredVector> vectors,
                   std::int64_t low, std::int64_t high);

}  // namespace treadle::kernel
