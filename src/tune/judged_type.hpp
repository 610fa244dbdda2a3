// SPDX-License-Identifier: MIT
// The types that a judge can make up: numbers, vectors of CUDA C and OpenCL C, and structures of
// them that the kernel's text defines.
//
//   struct Body { float4 at; int kind; };      parts: at.x 0, at.y 4, at.z 8, at.w 12, kind 16;
//                                              32 bytes, because a float4 is aligned to 16
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/tune/judge.hpp"

namespace treadle::tune {

struct JudgedType {
  Scalar dtype = Scalar::int32;        ///< as JudgedArray's
  std::vector<JudgedPart> parts = {};  ///< empty: one number
  std::size_t size_bytes = 0, align = 1;
  bool is_vector = false;
};

/// A type by its C name in a program; none if it has pointers, members that are functions, or no
/// definition in plain sight.
std::optional<JudgedType> judged_type(const std::string& name, const std::string& program,
                                      bool is_opencl);

/// The numbers in the elements of `bytes`, one part after the other; an array's own before the run.
std::vector<double> numbers_of(const JudgedArray& array, std::span<const std::byte> bytes);
/// The reverse; what lies between parts is 0.
std::vector<std::byte> elements_of(const JudgedType& type, std::span<const double> numbers);

}  // namespace treadle::tune
