// SPDX-License-Identifier: MIT
// What is pending beside operations on elements. A room that computes something of its own - a
// product, a sort, a transform - attaches here: it makes arrays that are computed when somebody
// looks, like all others.
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

/// An array as a Computation finds it in memory.
struct ArrayPlace {
  device::Location location;              ///< of its first element
  std::span<const std::int64_t> shape;    ///< lengths of the axes
  std::span<const std::int64_t> strides;  ///< in bytes, of each axis
};

/// The task of one run of a Computation: all results that are needed.
struct ComputationLaunch {
  /// A result that is wanted.
  struct Part {
    const Computation* computation;       ///< the one that runs, or one that goes with it
    unsigned result;                      ///< which of its results
    std::span<const std::int64_t> shape;  ///< of the result
  };
  std::span<const Part> parts;  ///< each once; what nobody needs is not among them
  /// The prologue: for each input an expression over its shape. Output k of it is what part k is
  /// made of, and has no memory: `arrays` are the leaves. A computation that takes no prologue has
  /// one leaf here, which is the input; see input().
  std::span<const kernel::ElementwiseLaunch> inputs;
  /// An expression over the results' shape. Its first leaves are the parts, which have no memory;
  /// `arrays` are its outputs and then its other leaves. For a computation that takes no epilogue
  /// output k is part k, in its own shape; see result().
  kernel::ElementwiseLaunch epilogue;

  /// The memory of an input, for a computation that takes no prologue.
  ArrayPlace input(std::size_t which) const {
    const kernel::ElementwiseArray& array = inputs[which].arrays.front();
    return {array.location, inputs[which].extents, array.strides};
  }
  /// The memory for a result, if it takes no epilogue. None: the result is not needed.
  std::optional<ArrayPlace> result(unsigned which) const {
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (parts[k].result == which)
        return ArrayPlace{epilogue.arrays[k].location, parts[k].shape, epilogue.arrays[k].strides};
    return std::nullopt;
  }
};

/// A computation that makes arrays of arrays, and is pending until one of its results is needed. It
/// never changes; any thread may use it. The rules for operations hold: inputs count as they were
/// when it was recorded, one run makes all results that are needed, and a run that fails changes
/// nothing.
class Computation {
 public:
  virtual ~Computation() = default;
  /// Its name in explain() and in errors: "sort".
  virtual std::string_view name() const = 0;

  /// Whether pending inputs may be expressions of the same launch; else they are computed before.
  virtual bool takes_prologue() const noexcept { return false; }
  /// Whether prologues may read elements at computed places (codegen::Op::gather); else inputs that
  /// do are computed before.
  virtual bool takes_gathers() const noexcept { return false; }
  /// Whether operations on the elements of its results can be a part of the same launch; if not,
  /// the results are computed before such operations. All results have one shape if they can.
  virtual bool takes_epilogue() const noexcept { return false; }
  /// The dtype to which prologues cast elements of this dtype.
  virtual DType input_dtype(const DType& given) const { return given; }
  /// Whether one launch can make the results of both. Their inputs have equal shapes.
  virtual bool goes_with(const Computation& other) const noexcept { return this == &other; }
  /// Whether both give the same results for the same inputs.
  virtual bool equals(const Computation& other) const noexcept { return this == &other; }

  /// Queues the computation on `stream`. The memory of inputs and results is ordered already, and
  /// results share memory with nothing. It may allocate memory of its own from the device's pool.
  /// Returns a note for explain(), whose texts live as long as the device, or nothing. An exception
  /// reaches the caller who needed a result.
  virtual kernel::KernelNote run(device::Stream& stream, const ComputationLaunch& launch) const = 0;
  /// What run() would return, without running.
  virtual kernel::KernelNote described(device::Device& device,
                                       const ComputationLaunch& launch) const;
  /// One line for errors about it.
  virtual std::string title(const ComputationLaunch& launch) const;

 protected:
  Computation() = default;
  Computation(const Computation&) = default;
  Computation(Computation&&) = default;
};

/// What a result is.
struct ResultSpec {
  Shape shape;  ///< lengths of its axes
  DType dtype;  ///< of an element
};

/// Arrays for the results of a computation, pending; their memory will be dense in C's order. At
/// most 4 inputs, and 8 results. Throws InvalidArgument for other numbers of them, for inputs of
/// several devices, and for results of several shapes where it takes an epilogue; as run() where
/// it has to run at once, as operations have (treadle/array/evaluate.hpp).
std::vector<Array> pending_results(std::shared_ptr<const Computation> computation,
                                   std::span<const Array> inputs,
                                   std::span<const ResultSpec> results);

/// Says in explain() what made an array that is in memory: a library of the host, which ran when it
/// was called. Texts of the note live as long as the device. For an array that nobody else has.
void set_maker(const Array& x, const kernel::KernelNote& note);

}  // namespace treadle::array
