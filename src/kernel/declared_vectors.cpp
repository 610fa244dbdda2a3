// SPDX-License-Identifier: MIT
#include "treadle/kernel/declared_vectors.hpp"

#include "treadle/base/error.hpp"

namespace treadle::kernel {
namespace {

bool is_number_of_bits(const DType& dtype) {
  return dtype.is_integer() || dtype.kind() == ScalarKind::boolean;
}

std::string text_of(const DeclaredVector& vector, const std::string& kernel) {
  return "argument " + std::to_string(vector.position) + " (" + vector.name + ") of " + kernel;
}

void check_elements(const DeclaredVector& vector, const std::string& kernel) {
  const bool is_alike =
      may_point_to(vector.declared, vector.given) &&
      (!vector.is_counted || vector.declared.size_bytes() == vector.given.size_bytes());
  if (!is_alike)
    throw DTypeError(text_of(vector, kernel) + " is declared to point to " +
                         vector.declared.name() + ", and the array is of " + vector.given.name() +
                         ": astype() converts it, and view() takes its bits",
                     "pass an array of " + vector.declared.name());
}

void check_extent(const DeclaredVector& vector, const std::string& kernel, std::int64_t low,
                  std::int64_t high) {
  const auto declared = static_cast<std::int64_t>(vector.declared.size_bytes());
  const auto given = static_cast<std::int64_t>(vector.given.size_bytes());
  const std::int64_t size = vector.size * given / declared;
  if (low >= 0 && size > high) return;
  const std::string of = declared == given ? "" : " of " + std::to_string(declared) + " bytes";
  throw InvalidArgument(text_of(vector, kernel) + " has " + std::to_string(size) + " elements" +
                            of + "; the kernel uses " + vector.name + "[" +
                            std::to_string(size <= high ? high : low) + "]",
                        "pass an array that has an element for every index");
}

}  // namespace

bool may_point_to(const DType& declared, const DType& given) {
  if (declared.kind() == ScalarKind::structure || given.kind() == ScalarKind::structure ||
      declared == given)
    return true;
  const std::size_t size = declared.size_bytes();
  if (size == 1 && declared.is_integer()) return true;
  if (given.kind() == ScalarKind::complex)
    return declared.kind() == ScalarKind::floating && 2 * size == given.size_bytes();
  if (size != given.size_bytes()) return false;
  if (is_number_of_bits(declared) && is_number_of_bits(given)) return true;
  const bool sees_bits =
      declared.kind() == ScalarKind::unsigned_integer && given.kind() == ScalarKind::floating;
  return declared.kind() == given.kind() || sees_bits || given == Scalar::float16;
}

void check_vectors(const std::string& kernel, std::span<const DeclaredVector> vectors,
                   std::int64_t low, std::int64_t high) {
  bool is_c = false, is_fortran = false;
  for (const DeclaredVector& vector : vectors) {
    check_elements(vector, kernel);
    if (!vector.uses_every_element) continue;
    check_extent(vector, kernel, low, high);
    if (vector.size < 2 || vector.in_c_order == vector.in_fortran_order) continue;
    (vector.in_c_order ? is_c : is_fortran) = true;
  }
  if (is_c && is_fortran)
    throw InvalidArgument("arguments of " + kernel +
                              " are in C order and in Fortran order: their elements at one place "
                              "in memory do not belong together",
                          "copy some in the order of the others");
}

}  // namespace treadle::kernel
