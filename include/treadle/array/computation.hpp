// SPDX-License-Identifier: MIT
// The interface for pending work that is not an operation on elements. A room with a computation of
// its own, such as a product, a sort or a transform, derives from Computation: its results stay
// pending until they are needed, as other arrays do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/array/array.hpp"
#include "treadle/base/dtype.hpp"
#include "treadle/codegen/expression.hpp"
#include "treadle/device/location.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/elementwise.hpp"
#include "treadle/kernel/prepared_launch.hpp"

namespace treadle::array {

class Computation;

/// The memory of an array that a Computation reads or writes.
struct ArrayPlace {
  device::Location location;              ///< of its first element
  std::span<const std::int64_t> shape;    ///< lengths of the axes
  std::span<const std::int64_t> strides;  ///< in bytes, of each axis
};

/// One run of a Computation, with all results that are needed.
struct ComputationLaunch {
  /// One result that is needed.
  struct Part {
    const Computation* computation;       ///< the running one, or one that goes with it
    unsigned result;                      ///< the number of the result
    std::span<const std::int64_t> shape;  ///< of the result
  };
  std::span<const Part> parts;  ///< without the results that nobody needs
  /// The prologue: for each input an expression over its shape. Output k is the operand of part k
  /// and has no memory; `arrays` are the leaves. For a computation without a prologue the
  /// expression is one leaf, the input; see input().
  std::span<const kernel::ElementwiseLaunch> inputs;
  /// An expression over the results' shape. Its first leaves are the parts, which have no memory;
  /// `arrays` are its outputs, followed by its other leaves. For a computation without an epilogue
  /// output k is part k, in the part's own shape; see result().
  kernel::ElementwiseLaunch epilogue;

  /// The memory of an input, for a computation that takes no prologue.
  ArrayPlace input(std::size_t which) const {
    const kernel::ElementwiseArray& array = inputs[which].arrays.front();
    return {array.location, inputs[which].extents, array.strides};
  }
  /// The memory of a result, for a computation that takes no epilogue. None: the result is not
  /// needed.
  std::optional<ArrayPlace> result(unsigned which) const {
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (parts[k].result == which)
        return ArrayPlace{epilogue.arrays[k].location, parts[k].shape, epilogue.arrays[k].strides};
    return std::nullopt;
  }
};

/// A computation whose results are pending until one of them is needed. The object does not change,
/// and any thread may use it. It obeys the rules of operations: inputs keep the values they had at
/// recording, one run makes all results that are needed, and a run that fails changes nothing.
class Computation {
 public:
  virtual ~Computation() = default;
  /// The name of the computation in explain() and in errors: "sort".
  virtual std::string_view name() const = 0;

  /// Whether pending inputs may be expressions of the same launch. If not, they are computed first.
  virtual bool takes_prologue() const noexcept { return false; }
  /// Whether a prologue may read elements at computed places (codegen::Op::gather). If not, inputs
  /// that gather are computed first.
  virtual bool takes_gathers() const noexcept { return false; }
  /// Whether operations on the results may join the same launch. If so, all results have one shape.
  /// If not, the results are computed before such operations.
  virtual bool takes_epilogue() const noexcept { return false; }
  /// The dtype to which the prologue casts inputs of the dtype `given`.
  virtual DType input_dtype(const DType& given) const { return given; }
  /// Whether one launch can make the results of both computations. Their inputs have equal shapes.
  /// Not asked without an epilogue: a launch then has the results of one recording.
  virtual bool goes_with(const Computation& other) const noexcept { return this == &other; }
  /// Whether both computations give the same results for the same inputs.
  virtual bool equals(const Computation& other) const noexcept { return this == &other; }

  /// Queues the computation on `stream`. The memory of inputs and results is ordered already, and
  /// results share no memory with other arrays. run() may allocate memory from the device's pool.
  /// Returns a note for explain(), whose texts live as long as the device, or an empty note. The
  /// caller who needed a result gets an exception that run() throws.
  virtual kernel::KernelNote run(device::Stream& stream, const ComputationLaunch& launch) const = 0;
  /// Returns the note that run() would return, and runs nothing.
  virtual kernel::KernelNote described(device::Device& device,
                                       const ComputationLaunch& launch) const;
  /// Describes the computation in one line, for errors.
  virtual std::string title(const ComputationLaunch& launch) const;

 protected:
  Computation() = default;
  Computation(const Computation&) = default;
  Computation(Computation&&) = default;
};

/// Describes one result.
struct ResultSpec {
  Shape shape;  ///< lengths of its axes
  DType dtype;  ///< of an element
};

/// Returns pending arrays for the results of a computation. Their memory will be dense in C's
/// order. Throws InvalidArgument for more than 5 inputs or 8 results, for inputs of several
/// devices, and for results of several shapes if the computation takes an epilogue. Throws as run()
/// if the computation has to run at once, under the same rules as operations
/// (treadle/array/evaluate.hpp).
std::vector<Array> pending_results(std::shared_ptr<const Computation> computation,
                                   std::span<const Array> inputs,
                                   std::span<const ResultSpec> results);

/// Tells explain() which library of the host made an array by a call. The texts of the note live as
/// long as the device. Only the caller may have the array.
void set_maker(const Array& x, const kernel::KernelNote& note);

}  // namespace treadle::array
