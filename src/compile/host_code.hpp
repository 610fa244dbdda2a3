// SPDX-License-Identifier: MIT
// The host's part of a text that was written for nvcc: main(), functions that call cudaMalloc() or
// use std::vector, classes around them. Compilers of device code refuse it; what they refuse and
// no device code needs is left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace treadle::compile {

class HostCode {
 public:
  /// `text` as a compiler reads it, whose #line directives give the numbers that its messages have.
  HostCode(std::string text, std::string source_name);

  /// Blanks each declaration of the host in which `log` has an error, and each #include <...> that
  /// was not found; lines stay where they are. False if there was none, or no device code besides.
  bool leave_out(std::string_view log);

  /// Makes what nvcc allows with pointers, and `log` refuses, acceptable to other compilers
  /// (pointer_extensions.hpp). False if there was nothing.
  bool mend_pointers(std::string_view log);

  /// Gives a variable that a function declares extern, and that is declared with the other language
  /// linkage elsewhere in the text, a name of its own there: nvcc takes `extern __shared__ float
  /// s[]` within and without extern "C". False if `log` says nothing of it.
  bool mend_linkage(std::string_view log);

  /// Makes S{1, 2} of GNU's (S){1, 2} where `log` expects an expression at the brace. False if
  /// there was none.
  bool mend_literals(std::string_view log);

  /// Takes __device__ and __host__ from lambdas, `[=] __device__ (int i) {...}`, where `log`
  /// refuses them: NVRTC knows no --extended-lambda, and those in device code are of the device
  /// without. False if `log` says nothing of it.
  bool mend_lambdas(std::string_view log);

  /// Writes __constant__ in front of declarations of texture and surface references, which nvcc put
  /// there silently. False if there was none.
  bool mark_references();

  const std::string& text() const { return text_; }

  /// For a text that is refused for other reasons: what device code may miss of that which was left
  /// out, a line each with the error it had; empty if there is nothing.
  std::string missed() const;

  /// For a text that is accepted with host functions compiled as device functions: a warning for
  /// each that device code names.
  std::string warnings() const;

 private:
  /// Something that can be left out as a whole.
  struct Unit {
    std::size_t begin = 0, end = 0;  ///< in the text
    std::string name;
    int first_line = 0, last_line = 0;  ///< as messages count
    bool of_device = false;             ///< it says __device__, __global__ or the like
    bool is_function = false;           ///< with its body
    bool is_constexpr = false;
    bool is_include = false;  ///< of <...>
    bool is_member = false;
    bool is_call = false;  ///< NAME(...); perhaps a macro, whose text is elsewhere
    bool left_out = false;
    std::string error;  ///< why it was left out
  };
  friend class HostCodeReader;

  void insert(std::size_t at, std::string_view words);
  void blank(const Unit& unit);
  bool named_by_device_code(const std::string& name) const;

  std::string text_;
  std::string source_name_;
  std::vector<Unit> units_;
};

}  // namespace treadle::compile
