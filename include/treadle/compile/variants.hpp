// SPDX-License-Identifier: MIT
// Many texts compiled in one call, on all cores: the variants of a kernel that a tuner tries, or
// all that a program will need.
//
//   std::vector<compile::Variant> variants;
//   for (int width : {4, 8, 16, 32})
//     variants.push_back({source, {.flags = {"-DWIDTH=" + std::to_string(width)}}});
//   const auto results = compile::compile_variants(variants, target);
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "treadle/compile/compile.hpp"

namespace treadle::compile {

/// One text, and how it is compiled.
struct Variant {
  std::string source;    ///< CUDA C++
  Options options = {};  ///< as of compile_cuda()
};

/// How far compile_variants() is.
struct VariantProgress {
  std::size_t done = 0;   ///< compiled, or found in a cache
  std::size_t total = 0;  ///< that there are
  double seconds = 0;     ///< since the call
};
/// Called on the thread that compiles variants, at each one that is done, and ten times a second.
/// What it throws ends the call, once what was begun is done.
using ProgressListener = std::function<void(const VariantProgress&)>;

/// How many cores the process may use: at least 1.
unsigned cores_of_process() noexcept;

/// How compile_variants() goes about it.
struct VariantsOptions {
  unsigned threads = 0;            ///< at most so many at a time; 0: one per core of the process
  ProgressListener listener = {};  ///< none: nobody is told
};

/// Compiles them all, as compile_cuda() does each, and returns their results in the same order.
/// Throws what the first of them, in their order, that failed has
/// thrown; none is begun after one has failed.
std::vector<CompileResult> compile_variants(std::span<const Variant> variants, const Target& target,
                                            const VariantsOptions& how = {});

}  // namespace treadle::compile
