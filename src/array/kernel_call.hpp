// SPDX-License-Identifier: MIT
// One call of a user's kernel with arrays: finds the types and elements that the arguments stand
// for.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "array/context.hpp"
#include "treadle/array/operand.hpp"
#include "treadle/base/c_declaration.hpp"
#include "treadle/kernel/elementwise_kernel.hpp"

namespace treadle::array {

/// C names of dtypes, as the user passes them in a kernel's options.
using TypeList = std::vector<std::pair<std::string, DType>>;

/// A user's declarations. An open declaration takes its type from the call.
class OpenDeclarations {
 public:
  struct One {
    Declaration declaration;  ///< an open declaration has no type
    bool is_open;
  };
  /// Throws InvalidArgument for a text that is not a declaration.
  explicit OpenDeclarations(std::string_view text);

  const std::vector<One>& all() const noexcept { return all_; }
  /// Whether the declaration at this position is a pointer to elements that the kernel may change.
  bool may_write(std::size_t position) const noexcept {
    return position < all_.size() && all_[position].declaration.is_pointer &&
           !all_[position].declaration.points_to_const;
  }
  /// The declarations with all types written out. `open` gives the dtypes of the open declarations,
  /// in order. Throws DTypeError for a record that `types` does not name.
  std::string closed(std::span<const DType> open, const TypeList& types) const;
  /// Adds a type x_t for each open x before and behind the preamble: the preamble may define these
  /// types itself.
  std::string around(const std::string& preamble, std::span<const DType> open,
                     const TypeList& types) const;

 private:
  std::vector<One> all_;
};

/// The name of a dtype in both languages. Throws DTypeError for a record that `types` does not
/// name.
std::string c_type_of(const DType& dtype, const TypeList& types);
/// Returns `types`, and names for the complex dtypes that `types` does not name.
TypeList with_complex_names(TypeList types);

/// One call of a kernel. The caller makes it, prepares it with what the kernel knows of its
/// arguments, launches the kernel and ends the call.
class KernelCall {
 public:
  /// `kernel` is the kernel's name in errors. Throws InvalidArgument for too many arguments, for a
  /// number where a pointer is declared, and for an array where a number is declared.
  KernelCall(std::string kernel, const OpenDeclarations& declarations,
             std::span<const Operand> given);

  /// The context of the arrays. If there are no arrays, the context of the current device.
  Context& context() const noexcept { return *context_; }
  /// The dtype for each open declaration.
  std::span<const DType> open_dtypes() const noexcept { return open_dtypes_; }

  /// Checks dtypes and shapes, copies arrays that have to be dense, and makes the arrays that the
  /// call leaves out. `Kernel` tells the types of all arguments, and which arguments the text uses
  /// as elements.
  template <class Kernel>
  void prepare(const Kernel& kernel, const std::optional<kernel::ElementRange>& range) {
    prepare(
        kernel.parameters(), [&](std::string_view name) { return kernel.mentions_element(name); },
        range);
  }
  /// Does the same for the types of `parameters`. `is_element` takes a name.
  template <class IsElement>
  void prepare(const std::vector<codegen::ParameterSpec>& parameters, IsElement is_element,
               const std::optional<kernel::ElementRange>& range = {}) {
    for (const auto& parameter : parameters) {
      dtypes_.push_back(parameter.dtype);
      are_elements_.push_back(is_element(parameter.name));
    }
    prepare(range);
  }
  /// The indices for which the kernel is launched.
  const kernel::ElementRange& range() const noexcept { return range_; }
  std::span<const kernel::UserArgument> arguments() const noexcept { return arguments_; }
  /// The shape to which the element arguments broadcast; none: the text uses no elements.
  const std::optional<Shape>& shape() const noexcept { return shape_; }
  /// Writes the results back from dense copies. Returns the arrays that the call left out.
  std::vector<Array> end();

 private:
  using One = OpenDeclarations::One;
  /// An array, and the dense copy that the kernel works on.
  struct Copied {
    Array target, dense;
  };
  std::string named(std::size_t i) const;
  void resolve_open();
  void prepare(const std::optional<kernel::ElementRange>& range);
  void require_writable_targets() const;
  void find_shape();
  [[noreturn]] void refuse_shapes() const;
  void find_range(const std::optional<kernel::ElementRange>& range);
  void make_left_out();
  void add_value(std::size_t i);
  void add_array(std::size_t i, const Array& array);

  std::string kernel_;
  const OpenDeclarations& declarations_;
  std::span<const Operand> given_;
  Context* context_ = nullptr;
  std::vector<DType> open_dtypes_, dtypes_;
  std::vector<bool> are_elements_;
  std::optional<Shape> shape_;
  kernel::ElementRange range_ = {0, 0};
  std::deque<ElementBytes> values_;
  std::deque<Array> used_;  ///< the arrays that arguments_ refer to
  std::vector<kernel::UserArgument> arguments_;
  std::vector<Copied> copied_;
  std::vector<Array> made_;
};

}  // namespace treadle::array
