// SPDX-License-Identifier: MIT
// The arguments that users pass for the parameters declared in their kernels' texts. They are read
// and checked here, for all kernel families, in C++ and for the Python faces.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/base/layout.hpp"
#include "treadle/codegen/signature.hpp"
#include "treadle/codegen/snippet.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"

namespace treadle::kernel {

/// Whether a pointer to elements of one dtype may refer to elements of another: a record may be
/// declared in several ways, a complex number is a pair, a language without half declares 16-bit
/// integers, a program may read the bits of a float as unsigned integers, and bytes may stand for
/// anything.
bool may_point_to(const DType& declared, const DType& given);

/// An argument of a user's kernel: the value that the launch passes, and the known properties of
/// the elements behind a pointer. Implicit: kernel.launch(stream, n, 2.0f, array, buffer). A view,
/// like device::Argument.
class UserArgument : public device::Argument {
 public:
  /// The elements behind a pointer.
  struct Elements {
    const DType* dtype = nullptr;  ///< null: bytes
    std::int64_t size = -1;        ///< number of elements; -1: unknown
    bool in_c_order = true;        ///< whether they lie in C order
    /// An array with one axis has both orders; an array with gaps has neither.
    bool in_fortran_order = true;
  };

  /// Memory about which nothing is known.
  UserArgument(const device::Argument& argument) noexcept : device::Argument(argument) {}
  /// Memory with these properties.
  UserArgument(const device::Argument& argument, const Elements& elements) noexcept
      : device::Argument(argument), elements_(elements) {}
  /// A value or memory, like device::Argument. The properties of an array are its dtype and layout,
  /// those of a Buffer its size. Throws InvalidState for memory that was freed.
  template <class T>
    requires(!std::derived_from<T, device::Argument>)
  UserArgument(const T& argument) : device::Argument(argument) {
    if constexpr (requires { elements_of(argument); }) {
      elements_ = elements_of(argument);
    } else if constexpr (device::DeviceMemory<T> && requires { argument.size_bytes(); }) {
      elements_.size = static_cast<std::int64_t>(argument.size_bytes());
    }
  }
  /// The dtype of an array is not copied, so the array must outlive the argument.
  template <class Array>
    requires requires(const Array& array) { array.layout().size(), array.dtype().size_bytes(); }
  static Elements elements_of(const Array& array) {
    const Layout& layout = array.layout();
    const std::size_t item = array.dtype().size_bytes();
    return {&array.dtype(), layout.size(), layout.is_contiguous(item),
            layout.is_contiguous(item, MemoryOrder::fortran)};
  }
  /// The properties of the memory.
  const Elements& elements() const noexcept { return elements_; }

 private:
  Elements elements_;
};

/// Which elements of a pointer's memory must exist.
enum class ElementUse : std::uint8_t {
  unknown,       ///< unknown: the running kernel decides
  all_but_last,  ///< the elements of all indices but the last
  every,         ///< the elements of all indices
  one_for_one,   ///< the elements of all indices, and they must have the declared size
};

/// For each parameter, ElementUse::every if it is a pointer and an expression or statement
/// certainly uses its element `i`.
std::vector<ElementUse> element_uses(const std::vector<codegen::ParameterSpec>& parameters,
                                     const std::vector<std::string>& texts,
                                     std::string_view preamble);

/// The uses of an elementwise kernel.
std::vector<ElementUse> element_uses(const codegen::Snippet& snippet);

/// Sets ElementUse::one_for_one for each pointer that a text uses as `x[i]`, even under conditions.
void make_one_for_one(std::vector<ElementUse>& uses,
                      const std::vector<codegen::ParameterSpec>& parameters,
                      const std::vector<std::string>& texts);

/// The range of a launch's indices; no indices: low > high.
struct Indices {
  std::int64_t low = 0, high = -1;  ///< the smallest and the largest index
};

/// Arguments in the form that a kernel takes: numbers are converted to the declared types, and a
/// pointer without addresses becomes a buffer and an offset. The arguments are views of this object
/// and of the user's arguments.
class ReadArguments {
 public:
  /// The arguments; the caller appends those of the kernel itself.
  std::vector<device::Argument>& all() noexcept { return all_; }

 private:
  friend class DeclaredArguments;
  using Value = std::array<std::byte, 16>;
  std::unique_ptr<Value[]> values_;  // the converted numbers, and offsets
  std::vector<device::Argument> all_;
};

/// The parameters that a user's kernel declares. Immutable; any thread.
class DeclaredArguments {
 public:
  /// Errors call the kernel `kernel`: "elementwise kernel axpy"; `uses` has an entry for each
  /// parameter.
  DeclaredArguments(std::vector<codegen::ParameterSpec> parameters, std::string kernel,
                    std::vector<ElementUse> uses);

  /// The parameters in the order of their declaration.
  const std::vector<codegen::ParameterSpec>& parameters() const noexcept { return parameters_; }
  /// What errors call the kernel.
  const std::string& kernel() const noexcept { return kernel_; }

  /// Refuses arguments that the kernel would misread or read beyond their end. Throws, naming the
  /// argument, InvalidArgument for a wrong number of arguments, memory for a declared value or a
  /// value for a declared pointer, memory of another device, memory too short for the indices, and
  /// arrays with different memory orders; NotSupported for an array with gaps; DTypeError for
  /// elements of a type to which the pointer may not point. Elements are checked only if there are
  /// indices.
  void check(std::span<const UserArgument> arguments, const Indices& indices,
             const device::Device* device = nullptr) const;
  /// Checks the arguments and returns them in the kernel's form.
  ReadArguments read(std::span<const UserArgument> arguments, const Indices& indices,
                     const device::Device& device) const;

 private:
  std::string named(std::size_t i) const;
  void check_kind(std::size_t i, const UserArgument& argument, const device::Device* device) const;
  void check_elements(std::size_t i, const UserArgument& argument, const Indices& indices) const;
  void check_extent(std::size_t i, std::int64_t size, std::int64_t item,
                    const Indices& indices) const;

  std::vector<codegen::ParameterSpec> parameters_;
  std::string kernel_;
  std::vector<ElementUse> uses_;
};

/// The names of dtypes in users' texts for a device. A name in `types` takes precedence over the
/// language's. Throws InvalidArgument if `device` is null, naming `kernel`: "a ScanKernel".
codegen::TypeNames type_names(const std::shared_ptr<device::Device>& device,
                              const std::vector<std::pair<std::string, DType>>& types,
                              const std::string& kernel);

/// Parses a user's declarations for kernels of a device. Throws as codegen::parse_parameters().
std::vector<codegen::ParameterSpec> declared_parameters(std::string_view arguments,
                                                        const codegen::TypeNames& types,
                                                        const device::Device& device);

}  // namespace treadle::kernel

namespace treadle {

using kernel::UserArgument;

}  // namespace treadle
