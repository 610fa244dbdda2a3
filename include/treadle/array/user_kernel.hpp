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
// They are compiled for each device whose arrays they meet, and queued on its current stream.
// treadle/kernel/ has those beneath them, for memory of whatever owner and streams that are named.
//
// **Declarations** are C's. One that leaves the type out takes it from the call: `*x` and
// `const *x` that of the array; `a` that of the number, which beside arrays is theirs as in
// arithmetic. The text may name it x_t. Complex elements are float2 and double2, unless
// the options' `types` name them otherwise; bool elements are unsigned char.
//
// **Elements.** Arrays that the text uses as `x[i]` broadcast together; `i` counts the elements of
// their shape in C's order, `n` is how many there are. All others are tables, whose shapes are
// their own matter. What is no dense memory in C's order is copied before, and where the
// declaration is not const, copied back; so arrays of every layout are taken.
//
// **Results.** Arguments at the end may be left out of a call, if they are pointers of a declared
// type, not const, that the text uses as `z[i]`: these arrays are made, and returned.
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
#include "treadle/kernel/elementwise_kernel.hpp"
#include "treadle/kernel/reduction_kernel.hpp"
#include "treadle/kernel/scan_kernel.hpp"

namespace treadle::array {

class KernelCall;
class OpenDeclarations;

/// A kernel that runs a C text for every element of arrays.
class ElementwiseKernel {
 public:
  /// Throws InvalidArgument for what is no declaration. Types and the text are looked at when it is
  /// called.
  ElementwiseKernel(std::string_view arguments, std::string operation,
                    kernel::ElementwiseOptions options = {});
  ~ElementwiseKernel();
  ElementwiseKernel(const ElementwiseKernel&) = delete;
  ElementwiseKernel& operator=(const ElementwiseKernel&) = delete;

  /// Queues the text for all elements: arrays and numbers, one for each declaration. Returns the
  /// arrays that were left out. Throws before anything is queued: InvalidArgument (the number of
  /// arguments, arrays of different devices, a number for a pointer), DTypeError, ShapeError,
  /// OverflowError; CompileError, OutOfMemory.
  template <class... Arguments>
  std::vector<Array> operator()(const Arguments&... arguments) {
    const std::vector<Operand> list{Operand(arguments)...};
    return call(list);
  }
  /// The same for arguments collected at run time; with a range only for these indices, which must
  /// be below `n` where the text uses elements.
  std::vector<Array> call(std::span<const Operand> arguments,
                          const std::optional<kernel::ElementRange>& range = {});
  /// The program that a call with such arguments runs.
  std::string text(std::span<const Operand> arguments);
  /// How errors call it.
  const std::string& name() const noexcept { return options_.name; }
  /// Whether the argument at this position is a pointer that is not const.
  bool may_write(std::size_t position) const noexcept;

 private:
  kernel::ElementwiseKernel& kernel_for(const KernelCall& call);

  /// A kernel that was compiled for a device and for the types of a call.
  struct Form;
  std::unique_ptr<const OpenDeclarations> declarations_;
  std::string operation_;
  kernel::ElementwiseOptions options_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<Form>> forms_;
};

/// Which elements a call of a ReductionKernel folds, and where it stores the results.
struct ReductionCall {
  std::optional<kernel::ElementRange> range = {};  ///< these indices only; then without axes
  Axes axes = {};           ///< of the shape to which the elements broadcast; each result is of
                            ///< the elements along them
  bool keeps_axes = false;  ///< in the result, with length 1
  /// An array of the result's shape and dtype that receives it, and is returned; without axes any
  /// of one element.
  const Array* out = nullptr;
};

/// A kernel that folds what C texts give for every element of arrays: into one result, or into
/// several at once.
class ReductionKernel {
 public:
  /// `dtype` is that of the result; a structure needs a name among the options' types. Throws as
  /// ElementwiseKernel.
  ReductionKernel(DType dtype, kernel::ReductionTexts texts, kernel::ReductionOptions options = {});
  /// To several results, which are folded in one pass. Throws InvalidArgument if there is none,
  /// too.
  ReductionKernel(std::vector<kernel::ReductionOutput> outputs, std::string arguments,
                  kernel::ReductionOptions options = {});
  ~ReductionKernel();
  ReductionKernel(const ReductionKernel&) = delete;
  ReductionKernel& operator=(const ReductionKernel&) = delete;

  /// Queues the reduction over all elements; the result is an array without axes. Of no elements it
  /// is the neutral one. Throws as ElementwiseKernel, and InvalidArgument if it has several
  /// results.
  template <class... Arguments>
  Array operator()(const Arguments&... arguments) {
    const std::vector<Operand> list{Operand(arguments)...};
    return call(list, {});
  }
  /// The same along axes, over a range of indices, or into an array that exists. Axes that are no
  /// neighbours are folded one after another. Throws IndexError for an axis that is not there, too.
  Array call(std::span<const Operand> arguments, const ReductionCall& options);
  /// As operator(), with an array for each output.
  template <class... Arguments>
  std::vector<Array> results(const Arguments&... arguments) {
    const std::vector<Operand> list{Operand(arguments)...};
    return call_all(list, {});
  }
  /// As call(), with an array for each output. `out` stands for ReductionCall::out: none, or one
  /// for each, which share no memory.
  std::vector<Array> call_all(std::span<const Operand> arguments, const ReductionCall& options,
                              std::span<const Array> out = {});
  /// The program that a call with such arguments runs.
  std::string text(std::span<const Operand> arguments);
  /// How errors call it.
  const std::string& name() const noexcept { return options_.name; }
  /// Whether the argument at this position is a pointer that is not const.
  bool may_write(std::size_t position) const noexcept;
  /// How many results a call has.
  std::size_t result_count() const noexcept { return outputs_.size(); }

 private:
  enum class Folds { arguments, results };  // results: of a pass before, along another axis
  kernel::ReductionKernel& kernel_for(const KernelCall& call, Folds folds = Folds::arguments);
  Array target(const KernelCall& call, const Shape& shape, const ReductionCall& options,
               std::size_t output) const;
  void launch_along(const KernelCall& call, kernel::ReductionKernel& own,
                    std::span<const kernel::FoldedAxis> passes, std::span<const Array> results);

  struct Form;
  std::unique_ptr<const OpenDeclarations> declarations_;
  std::vector<kernel::ReductionOutput> outputs_;
  kernel::ReductionOptions options_;
  std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<Form>> forms_;
  std::vector<std::unique_ptr<Form>> forms_of_results_;
};

/// A kernel that gives each index the sum, by an associative operation, of what a C text gives for
/// all indices up to it, and runs statements with it: kernel::ScanKernel, with arrays.
class ScanKernel {
 public:
  /// `dtype` is that of what is summed up; a structure needs a name among the options' types.
  /// Throws InvalidArgument for what is no declaration. The texts are looked at when it is called.
  ScanKernel(DType dtype, kernel::ScanTexts texts, kernel::ScanOptions options = {});
  ~ScanKernel();
  ScanKernel(const ScanKernel&) = delete;
  ScanKernel& operator=(const ScanKernel&) = delete;

  /// Queues the scan over all elements, one after another in C's order: arrays and numbers, one for
  /// each declaration. Returns the arrays that were left out. An array that is used at other
  /// places than `[i]` is a table: its shape is its own matter, and nobody looks whether the place
  /// is in it. Equal calls give equal bits on a device. Throws as ElementwiseKernel, and
  /// InvalidArgument for arguments that a scan uses itself.
  template <class... Arguments>
  std::vector<Array> operator()(const Arguments&... arguments) {
    const std::vector<Operand> list{Operand(arguments)...};
    return call(list);
  }
  /// The same for arguments collected at run time.
  std::vector<Array> call(std::span<const Operand> arguments);
  /// The program that a call with such arguments runs.
  std::string text(std::span<const Operand> arguments);
  /// How errors call it.
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
  std::mutex mutex_;  // guards what follows
  std::vector<std::unique_ptr<Form>> forms_;
};

}  // namespace treadle::array

namespace treadle {

using array::ElementwiseKernel;
using array::ReductionKernel;
using array::ScanKernel;

}  // namespace treadle
