// SPDX-License-Identifier: MIT
// Filling tables from opened libraries.
#pragma once

#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "treadle/base/error.hpp"
#include "treadle/process/library.hpp"

namespace treadle::library {

/// The letter that BLAS and LAPACK put before the names of a dtype's routines.
template <class T>
constexpr char blas_letter = 'S';
template <>
inline constexpr char blas_letter<double> = 'D';
template <>
inline constexpr char blas_letter<std::complex<float>> = 'C';
template <>
inline constexpr char blas_letter<std::complex<double>> = 'Z';

/// Fills a slot if the library exports the symbol.
template <class Slot>
bool fill(Slot& slot, const SharedLibrary& library, const std::string& exported) {
  void* address = library.symbol(exported.c_str());
  if (address == nullptr) return false;
  slot = reinterpret_cast<Slot>(address);
  return true;
}

/// Throws LibraryNotFound if names are missing.
inline void require_complete(const SharedLibrary& library, std::vector<std::string> missing,
                             const std::string& hint) {
  if (missing.empty()) return;
  for (std::string& name : missing) name = library.path().string() + ": does not export " + name;
  throw LibraryNotFound("a complete " + library.path().filename().string(), std::move(missing),
                        hint);
}

}  // namespace treadle::library
