// SPDX-License-Identifier: MIT
// What users pass for the parameters that their kernels' texts declare: read and checked in one
// place, for kernels of every family, in C++ and for the Python faces.
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

/// Whether elements of one dtype may be meant by a pointer to another: records may be spelled in
/// many ways, complex numbers are pairs, 16 bits are how languages without half have it, unsigned
/// integers are how programs see the bits of a float, and bytes those of anything.
bool may_point_to(const DType& declared, const DType& given);

/// An argument of a user's kernel: what the launch passes, and what is known of the elements that
/// lie there. Implicit: kernel.launch(stream, n, 2.0f, array, buffer). A view, as device::Argument.
class UserArgument : public device::Argument {
 public:
  /// What lies where a pointer goes.
  struct Elements {
    const DType* dtype = nullptr;  ///< null: bytes
    std::int64_t size = -1;        ///< how many; -1: not known
    bool in_c_order = true;        ///< how they lie in memory
    bool in_fortran_order = true;  ///< both, of an array of one axis; neither, if it has gaps
  };

  /// Of memory nothing is known.
  UserArgument(const device::Argument& argument) noexcept : device::Argument(argument) {}
  /// The same with what is known otherwise.
  UserArgument(const device::Argument& argument, const Elements& elements) noexcept
      : device::Argument(argument), elements_(elements) {}
  /// A value or memory, as device::Argument has them: of an array with dtype and layout, of a
  /// Buffer with its size. Throws InvalidState for memory that was freed.
  template <class T>
    requires(!std::derived_from<T, device::Argument>)
  UserArgument(const T& argument) : device::Argument(argument) {
    if constexpr (requires { elements_of(argument); }) {
      elements_ = elements_of(argument);
    } else if constexpr (device::DeviceMemory<T> && requires { argument.size_bytes(); }) {
      elements_.size = static_cast<std::int64_t>(argument.size_bytes());
    }
  }
  /// Of an array, whose dtype is not copied.
  template <class Array>
    requires requires(const Array& array) { array.layout().size(), array.dtype().size_bytes(); }
  static Elements elements_of(const Array& array) {
    const Layout& layout = array.layout();
    const std::size_t item = array.dtype().size_bytes();
    return {&array.dtype(), layout.size(), layout.is_contiguous(item),
            layout.is_contiguous(item, MemoryOrder::fortran)};
  }
  /// Of memory.
  const Elements& elements() const noexcept { return elements_; }

 private:
  Elements elements_;
};

/// Which elements of a pointer's memory there have to be.
enum class ElementUse : std::uint8_t {
  unknown,       ///< the text decides when it runs
  all_but_last,  ///< those of all indices but the last one
  every,         ///< those of all indices
  one_for_one,   ///< the same, and the memory's elements are of the declared size
};

/// For each parameter, ElementUse::every of a pointer whose element `i` one of the expressions or
/// statements surely uses.
std::vector<ElementUse> element_uses(const std::vector<codegen::ParameterSpec>& parameters,
                                     const std::vector<std::string>& texts,
                                     std::string_view preamble);

/// The same of an elementwise kernel.
std::vector<ElementUse> element_uses(const codegen::Snippet& snippet);

/// Lets pointers that a text has as `x[i]`, under whichever conditions, be to arrays with an
/// element of the declared size for each index.
void make_one_for_one(std::vector<ElementUse>& uses,
                      const std::vector<codegen::ParameterSpec>& parameters,
                      const std::vector<std::string>& texts);

/// The indices that a launch runs for; none: low > high.
struct Indices {
  std::int64_t low = 0, high = -1;  ///< the least and the largest one
};

/// Arguments as a kernel takes them: numbers are converted to the declared types, and memory
/// without addresses is a buffer and an offset. Views of this object and of what was read.
class ReadArguments {
 public:
  /// The caller appends the kernel's own.
  std::vector<device::Argument>& all() noexcept { return all_; }

 private:
  friend class DeclaredArguments;
  using Value = std::array<std::byte, 16>;
  std::unique_ptr<Value[]> values_;  // numbers and offsets
  std::vector<device::Argument> all_;
};

/// The parameters that a user's kernel declares. Never changes; any thread.
class DeclaredArguments {
 public:
  /// `kernel` is what errors call it: "elementwise kernel axpy"; `uses` has one for each parameter.
  DeclaredArguments(std::vector<codegen::ParameterSpec> parameters, std::string kernel,
                    std::vector<ElementUse> uses);

  /// As they were declared.
  const std::vector<codegen::ParameterSpec>& parameters() const noexcept { return parameters_; }
  /// What errors call the kernel.
  const std::string& kernel() const noexcept { return kernel_; }

  /// Refuses what the kernel would read wrongly or beyond its end. Throws, naming the argument,
  /// InvalidArgument for another number of arguments than is declared, memory where a value is
  /// declared or the reverse, memory of another device or too short for the indices, and arrays
  /// whose orders of memory differ; NotSupported for an array with gaps; DTypeError for elements
  /// that the pointer is not to. Elements are looked at if there are indices.
  void check(std::span<const UserArgument> arguments, const Indices& indices,
             const device::Device* device = nullptr) const;
  /// The same, and what the kernel takes.
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

/// The names of dtypes in users' texts for a device. `types` are the user's names, which win over
/// the language's. Throws InvalidArgument without a device, naming `kernel`: "a ScanKernel".
codegen::TypeNames type_names(const std::shared_ptr<device::Device>& device,
                              const std::vector<std::pair<std::string, DType>>& types,
                              const std::string& kernel);

/// What a user declares, as kernels of the device take it. Throws as codegen::parse_parameters().
std::vector<codegen::ParameterSpec> declared_parameters(std::string_view arguments,
                                                        const codegen::TypeNames& types,
                                                        const device::Device& device);

}  // namespace treadle::kernel

namespace treadle {

using kernel::UserArgument;

}  // namespace treadle
