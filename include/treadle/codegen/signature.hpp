// SPDX-License-Identifier: MIT
// The parameters of a kernel that is going to be generated: read from C declarations as users write
// them, written again in any dialect.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/base/c_declaration.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/codegen/dialect.hpp"

namespace treadle::codegen {

/// Which C name stands for which type: a dialect's own, and those the program adds.
class TypeNames {
 public:
  /// Knows the names of `dialect`, which need not outlive it.
  explicit TypeNames(const Dialect& dialect);

  /// Gives `type` a name. The first name of a type is the one that is written. Throws
  /// InvalidArgument if the name stands for another type already.
  void add(std::string_view name, const DType& type);
  /// The same; `name` is the one that is written from now on.
  void prefer(std::string_view name, const DType& type);
  /// The type of a name. C's integer types are known in every order of their words ("long unsigned
  /// int"). Throws InvalidArgument naming `name` and the names that come near.
  DType find(std::string_view name) const;
  /// The name to write. Throws DTypeError naming the type if it has none.
  const std::string& name_of(const DType& type) const;

 private:
  void refuse_second_meaning(std::string_view name, const DType& type) const;
  std::vector<std::pair<std::string, DType>> names_;  ///< few, and looked up when text is made
};

/// A parameter of a kernel.
struct ParameterSpec {
  /// How the caller passes it.
  enum class Kind {
    scalar,              ///< by value
    vector,              ///< a pointer to elements
    vector_with_offset,  ///< a pointer to its allocation, and a byte offset behind it
  };
  Kind kind;         ///< decides what Offsets::passed adds to it
  DType dtype;       ///< of the value, or of an element
  std::string name;  ///< as the kernel's body calls it
  bool operator==(const ParameterSpec&) const = default;
};

/// What vectors are declared as, where the text does not say.
enum class Offsets { none, passed };

/// Reads a list of declarations as parameters. Throws InvalidArgument for what is no declaration,
/// an unknown type, a name used twice, and pointers to local or constant memory.
std::vector<ParameterSpec> parse_parameters(std::string_view text, const TypeNames& types,
                                            Offsets offsets = Offsets::none);

/// The parameter as a kernel of `dialect` declares it: "float *x", "__global float *x", or with an
/// offset "__global float *x__base, long x__offset". `qualifier` stands behind a pointer's star.
std::string declare(const ParameterSpec& parameter, const Dialect& dialect, const TypeNames& types,
                    std::string_view qualifier = "");
/// All of them, separated by ", ".
std::string declare(const std::vector<ParameterSpec>& parameters, const Dialect& dialect,
                    const TypeNames& types);
/// The statements, a line each, that define the pointers of vectors with an offset under their own
/// names; empty if there are none. They belong at the start of the kernel's body.
std::string define_pointers(const std::vector<ParameterSpec>& parameters, const Dialect& dialect,
                            const TypeNames& types);

}  // namespace treadle::codegen
