// SPDX-License-Identifier: MIT
// Kernels that launch kernels. clang refuses to name a kernel in device code, so texts with
// launches in them are compiled in three steps:
//
//   k<<<grid, 64>>>(a, n);          k(a, n), __treadle_launch(grid, 64);
//   __global__ void k(...)     =>   __attribute__((device, annotate("treadle-kernel"))) void k(...)
//
// The text is rewritten before it is parsed; while it is, kernels are functions that others may
// call with all that C++ has for calls: conversions, overloads, templates whose arguments are
// deduced. When all is parsed, and before code is made of anything, they become kernels
// (passes/lowering/launch_functions.cpp goes on from there).
#pragma once

#include <memory>
#include <string>

namespace clang {
class ASTConsumer;
}

namespace treadle::cuda_cpu {

/// The macro that tells treadle/launches.h that a text has launches.
inline constexpr const char* launches_macro = "__TREADLE_LAUNCHES";

bool has_launches(const std::string& text);
/// With every launch rewritten. Lines keep their numbers.
std::string rewrite_launches(const std::string& text);

/// Keeps all that is parsed from `maker`, which makes code, until the end of the text; then makes
/// kernels of functions with the annotation, and hands everything on.
std::unique_ptr<clang::ASTConsumer> make_kernels_at_the_end(
    std::unique_ptr<clang::ASTConsumer> maker);

}  // namespace treadle::cuda_cpu
