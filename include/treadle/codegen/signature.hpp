// SPDX-License-Identifier: MIT
// The parameters of a kernel before it is generated: read from users' C declarations and written in
// any dialect.
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

/// Maps C names to types: the names of a dialect, and the names that a program adds.
class TypeNames {
 public:
  /// Starts with the names of `dialect`, which need not outlive this object.
  explicit TypeNames(const Dialect& dialect);

  /// Gives `type` a name. Generated text uses the first name of a type. Throws InvalidArgument if
  /// the name already means another type.
  void add(std::string_view name, const DType& type);
  /// Like add(), but generated text uses `name` from now on.
  void prefer(std::string_view name, const DType& type);
  /// The type with this name. The words of C's integer types may stand in any order ("long unsigned
  /// int"). Throws InvalidArgument naming `name` and similar names.
  DType find(std::string_view name) const;
  /// The name for generated text. Throws DTypeError naming the type if it has no name.
  const std::string& name_of(const DType& type) const;

 private:
  void refuse_second_meaning(std::string_view name, const DType& type) const;
  /// A short list: searched only when text is made.
  std::vector<std::pair<std::string, DType>> names_;
};

/// A parameter of a kernel.
struct ParameterSpec {
  /// How the caller passes it.
  enum class Kind {
    scalar,              ///< by value
    vector,              ///< a pointer to elements
    vector_with_offset,  ///< a pointer to the allocation, and a byte offset to the first element
  };
  Kind kind;         ///< vector_with_offset comes from Offsets::passed
  DType dtype;       ///< dtype of the value or of an element
  std::string name;  ///< the name in the kernel's body
  bool operator==(const ParameterSpec&) const = default;
};

/// How vectors are passed if the declaration does not say.
enum class Offsets { none, passed };

/// Reads a list of declarations. Throws InvalidArgument for text that is not a declaration, for an
/// unknown type, for a name used twice, and for pointers to local or constant memory.
std::vector<ParameterSpec> parse_parameters(std::string_view text, const TypeNames& types,
                                            Offsets offsets = Offsets::none);

/// Promises about a pointer.
struct PointerForm {
  bool is_read_only = false;  ///< nothing is stored through the pointer: `const`
  bool is_apart = false;      ///< no other pointer refers to its elements: `restrict`
};
/// A pointer to device memory, as a parameter of a kernel or a function.
tree::NodePtr pointer_parameter(tree::Part type, tree::Part name, PointerForm form = {});
/// Appends the declaration of a parameter; a vector with an offset takes two, `x__base` and
/// `x__offset`.
void append_parameter(tree::Parts& list, const ParameterSpec& parameter, const TypeNames& types,
                      PointerForm form = {});
/// Defines the pointers of vectors with an offset, under the names that the body uses, at the start
/// of a kernel's body.
void define_pointers(tree::BlockBuilder& code, const std::vector<ParameterSpec>& parameters,
                     const TypeNames& types);

/// The same definitions as text, a line each.
std::string define_pointers(const std::vector<ParameterSpec>& parameters, const Dialect& dialect,
                            const TypeNames& types);

/// The parameter as text: "float *x", "__global float *x", or with an offset
/// "__global float *x__base, long x__offset".
std::string declare(const ParameterSpec& parameter, const Dialect& dialect, const TypeNames& types);
/// The declarations of all parameters, separated by ", ".
std::string declare(const std::vector<ParameterSpec>& parameters, const Dialect& dialect,
                    const TypeNames& types);

}  // namespace treadle::codegen
