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
#include "treadle/codegen/block_builder.hpp"
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

/// What is promised of a pointer.
struct PointerForm {
  bool is_read_only = false;  ///< nothing is stored through it: `const`
  bool is_apart = false;      ///< nothing else refers to its elements: `restrict`
};
/// A pointer to device memory, as a kernel or a function declares it.
tree::NodePtr pointer_parameter(tree::Part type, tree::Part name, PointerForm form = {});
/// Adds the parameter as a kernel declares it; one with an offset as two, `x__base` and
/// `x__offset`.
void append_parameter(tree::Parts& list, const ParameterSpec& parameter, const TypeNames& types,
                      PointerForm form = {});
/// Defines the pointers of vectors with an offset under their own names, at the start of a kernel's
/// body.
void define_pointers(tree::BlockBuilder& code, const std::vector<ParameterSpec>& parameters,
                     const TypeNames& types);

/// The same as text, a line each.
std::string define_pointers(const std::vector<ParameterSpec>& parameters, const Dialect& dialect,
                            const TypeNames& types);

/// The parameter as text: "float *x", "__global float *x", or with an offset
/// "__global float *x__base, long x__offset".
std::string declare(const ParameterSpec& parameter, const Dialect& dialect, const TypeNames& types);
/// All of them, separated by ", ".
std::string declare(const std::vector<ParameterSpec>& parameters, const Dialect& dialect,
                    const TypeNames& types);

}  // namespace treadle::codegen
