// SPDX-License-Identifier: MIT
// Kernels around a user's C text, called with arrays:
//
//     ElementwiseKernel axpy("a, const *x, *y", "y[i] += a * x[i]");
//     axpy(2, x, y);
//     ReductionKernel dot(Scalar::float32, {.neutral = "0", .reduce = "a + b",
//                                           .map = "x[i] * y[i]",
//                                           .arguments = "const float *x, const float *y"});
//     const Array product = dot(x, y);
//     ReductionKernel moments({{Scalar::float64, "0", "a + b", "x[i]"},
//                              {Scalar::int64, "0", "a + b", "x[i] > 0"}}, "const *x");
//     const std::vector<Array> sum_and_count = moments.results(x);  // of one pass over x
//
//     ScanKernel balances(Scalar::float32,
//                         {.arguments = "const float *paid, float rate, float *after",
//                          .input = "paid[i]", .scan = "a * rate + b", .output = "after[i] =
//                          item"});
//     const Array after = balances(paid, 1.5f).front();  // of each element and all before
//
// Kernels are compiled for each device whose arrays they get, and are queued on its current stream.
// treadle/kernel/ has the kernels below these, for memory of any owner and for named streams.
//
// **Declarations** are C's. A declaration without a type takes its type from the call: `*x` and
// `const *x` take the array's dtype; `a` takes the number's, which beside arrays becomes the
// arrays' dtype as in arithmetic. The text may name this type x_t. Complex elements are float2 and
// double2, unless the options' `types` name them otherwise; bool elements are unsigned char.
//
// **Elements.** Arrays that the text uses as `x[i]` broadcast together; `i` counts the elements of
// their shape in C's order, and `n` is the number of elements. All other arrays are tables of any
// shape. An array that is not dense in C's order is copied first, and copied back if its
// declaration is not const; so arrays of every layout are allowed.
//
// **Results.** A call may leave out the last arguments if they are pointers of a declared type, not
// const, that the text uses as `z[i]`. The call makes these arrays and returns them.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/array/reduction.hpp"
#include "treadle/base/list.hpp"
#include "treadle/kernel/elementwise_kernel.hpp"
#include "treadle/kernel/reduction_kernel.hpp"
#include "treadle/kernel/scan_kernel.hpp"

namespace treadle::array {

class KernelCall;
class OpenDeclarations;

/// Runs a C text for every element of arrays.
class ElementwiseKernel {
 public:
  /// Throws InvalidArgument for a text that is not a declaration. A call checks the types and the
  /// text.
  ElementwiseKernel(std::string_view arguments, std::string operation,
                    kernel::ElementwiseOptions options = {});
  ~ElementwiseKernel();
  ElementwiseKernel(const ElementwiseKernel&) = delete;
  ElementwiseKernel& operator=(const ElementwiseKernel&) = delete;

  /// Queues the text for all elements. Arguments are arrays and numbers, one for each declaration.
  /// Returns the arrays that the call leaves out. Throws before queuing: InvalidArgument (the
  /// number of arguments, arrays of different devices, a number for a pointer), DTypeError,
  /// ShapeError, OverflowError; CompileError, OutOfMemory.
  template <class... Arguments>
  std::vector<Array> operator()(const Arguments&... arguments) {
    const std::vector<Operand> list{Operand(arguments)...};
    return call(list);
  }
  /// Queues the text with arguments collected at run time. With a range, runs only for these
  /// indices, which must be below `n` if the text uses elements.
  std::vector<Array> call(List<Operand> arguments,
                          const std::optional<kernel::ElementRange>& range = {});
  /// The program that a call with such arguments runs.
  std::string text(List<Operand> arguments);
  /// The kernel's name in errors.
  const std::string& name() const noexcept { return options_.name; }
  /// Whether the argument at this position is a pointer that is not const.
  bool may_write(std::size_t position) const noexcept;

 private:
  kernel::ElementwiseKernel& kernel_for(const KernelCall& call);

  /// The kernel, compiled for one device and for the types of a call.
  struct Form;
  std::unique_ptr<const OpenDeclarations> declarations_;
  std::string operation_;
  kernel::ElementwiseOptions options_;
  std::mutex mutex_;  // guards the following members
  std::vector<std::unique_ptr<Form>> forms_;
};

/// The elements that a call of a ReductionKernel folds, and the place of the results.
struct ReductionCall {
  std::optional<kernel::ElementRange> range = {};  ///< only these indices; then without axes
  Axes axes = {};           ///< of the elements' broadcast shape; each result folds the
                            ///< elements along these axes
  bool keeps_axes = false;  ///< keep folded axes, with length 1
  /// An array of the result's shape and dtype that receives the result and is returned. Without
  /// axes, any array of one element.
  /// of one element.
  const Array* out = nullptr;
};

/// Folds the values of C texts for every element of arrays, into one result or into several results
/// at once.
class ReductionKernel {
 public:
  /// `dtype` is the result's dtype; a structure needs a name among the options' types. Throws as
  /// ElementwiseKernel.
  ReductionKernel(DType dtype, kernel::ReductionTexts texts, kernel::ReductionOptions options = {});
  /// Folds several results in one pass. Throws as the other constructor, and InvalidArgument for no
  /// outputs.
  ReductionKernel(std::vector<kernel::ReductionOutput> outputs, std::string arguments,
                  kernel::ReductionOptions options = {});
  ~ReductionKernel();
  ReductionKernel(const ReductionKernel&) = delete;
  ReductionKernel& operator=(const ReductionKernel&) = delete;

  /// Queues the reduction of all elements. The result is an array without axes; for no elements it
  /// is the neutral element. Throws as ElementwiseKernel, and InvalidArgument if the kernel has
  /// several results.
  template <class... Arguments>
  Array operator()(const Arguments&... arguments) {
    const std::vector<Operand> list{Operand(arguments)...};
    return call(list, {});
  }
  /// Folds along axes, over a range of indices, or into an existing array. Axes that are not
  /// adjacent are folded one after another. Throws as operator(), and IndexError for an axis that
  /// does not exist.
  Array call(List<Operand> arguments, const ReductionCall& options);
  /// As operator(), but returns an array for each output.
  template <class... Arguments>
  std::vector<Array> results(const Arguments&... arguments) {
    const std::vector<Operand> list{Operand(arguments)...};
    return call_all(list, {});
  }
  /// As call(), but returns an array for each output. `out` replaces ReductionCall::out: it is
  /// empty, or has an array for each output. These arrays must not share memory.
  std::vector<Array> call_all(List<Operand> arguments, const ReductionCall& options,
                              List<Array> out = {});
  /// The program that a call with such arguments runs.
  std::string text(List<Operand> arguments);
  /// The kernel's name in errors.
  const std::string& name() const noexcept { return options_.name; }
  /// Whether the argument at this position is a pointer that is not const.
  bool may_write(std::size_t position) const noexcept;
  /// The number of results of a call.
  std::size_t result_count() const noexcept { return outputs_.size(); }

 private:
  enum class Folds { arguments, results };  // results: of an earlier pass, along another axis
  kernel::ReductionKernel& kernel_for(const KernelCall& call, Folds folds = Folds::arguments);
  Array target(const KernelCall& call, const Shape& shape, const ReductionCall& options,
               std::size_t output) const;
  void launch_along(const KernelCall& call, kernel::ReductionKernel& own,
                    std::span<const kernel::FoldedAxis> passes, List<Array> results);

  struct Form;
  std::unique_ptr<const OpenDeclarations> declarations_;
  std::vector<kernel::ReductionOutput> outputs_;
  kernel::ReductionOptions options_;
  std::mutex mutex_;  // guards the following members
  std::vector<std::unique_ptr<Form>> forms_;
  std::vector<std::unique_ptr<Form>> forms_of_results_;
};

/// Combines, for each index, the values of a C text for all indices up to it, and runs statements
/// with the combined value. kernel::ScanKernel, with arrays.
class ScanKernel {
 public:
  /// `dtype` is the dtype of the combined values; a structure needs a name among the options'
  /// types. Throws InvalidArgument for a text that is not a declaration. A call checks the other
  /// texts.
  ScanKernel(DType dtype, kernel::ScanTexts texts, kernel::ScanOptions options = {});
  ~ScanKernel();
  ScanKernel(const ScanKernel&) = delete;
  ScanKernel& operator=(const ScanKernel&) = delete;

  /// Queues the scan of all elements in C's order. Arguments are arrays and numbers, one for each
  /// declaration. Returns the arrays that the call leaves out. An array that the text reads at
  /// other places than `[i]` is a table of any shape, and the places are not checked. Equal calls
  /// give equal bits on a device. Throws as ElementwiseKernel, and InvalidArgument for argument
  /// names that a scan uses itself.
  template <class... Arguments>
  std::vector<Array> operator()(const Arguments&... arguments) {
    const std::vector<Operand> list{Operand(arguments)...};
    return call(list);
  }
  /// Queues the scan with arguments collected at run time.
  std::vector<Array> call(List<Operand> arguments);
  /// The program that a call with such arguments runs.
  std::string text(List<Operand> arguments);
  /// The kernel's name in errors.
  const std::string& name() const noexcept { return options_.name; }
  /// Whether the argument at this position is a pointer that is not const.
  bool may_write(std::size_t position) const noexcept;

 private:
  kernel::ScanKernel& kernel_for(const KernelCall& call);

  struct Form;
  std::unique_ptr<const OpenDeclarations> declarations_;
  DType dtype_;
  kernel::ScanTexts texts_;
  kernel::ScanOptions options_;
  std::mutex mutex_;  // guards the following members
  std::vector<std::unique_ptr<Form>> forms_;
};

}  // namespace treadle::array

namespace treadle {

using array::ElementwiseKernel;
using array::ReductionKernel;
using array::ScanKernel;

}  // namespace treadle
