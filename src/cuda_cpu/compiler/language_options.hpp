// SPDX-License-Identifier: MIT
// What an NVRTC option list asks of the front end and of the back end.
#pragma once

#include <string>
#include <vector>

namespace treadle::cuda_cpu {

enum class Standard { cxx11, cxx14, cxx17, cxx20 };

/// The options that change how the prelude itself is read: one precompiled prelude per distinct
/// value.
struct Dialect {
  Standard standard = Standard::cxx17;
  bool fast_math = false;  ///< --use_fast_math
  bool optimized = true;   ///< false with -G: __OPTIMIZE__ is not defined, nothing is inlined early
  bool fp_contract = true;  ///< --fmad: a * b + c becomes one rounding
  bool operator==(const Dialect&) const = default;
};

struct LanguageOptions {
  Dialect dialect;
  bool line_info = false;  ///< -lineinfo or -G: line tables, however long they take
  bool coverage = false;   ///< --treadle-coverage: counts who comes where
  bool warnings = true;    ///< -w turns them off
  bool warnings_as_errors = false;
  std::vector<std::string> include_dirs;     ///< -I, in order; relative to the working directory
  std::vector<std::string> forced_includes;  ///< -include
  std::vector<std::string> macros;           ///< "DNAME=VALUE" or "UNAME", in order
  bool relocatable = false;                  ///< -rdc=true: texts know the device run-time
  bool has_launches = false;        ///< kernel<<<...>>>() in device code: kernel_launches.hpp
  std::string source_folder = ".";  ///< where line tables say that relative names are
};

}  // namespace treadle::cuda_cpu
