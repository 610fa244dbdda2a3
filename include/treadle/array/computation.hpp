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

/// What a Computation is to compute, and where: all that is needed of it at once.
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

  /// Where an input lies, for a computation that takes no prologue.
  ArrayPlace input(std::size_t which) const {
    const kernel::ElementwiseArray& array = inputs[which].arrays.front();
    return {array.location, inputs[which].extents, array.strides};
  }
  /// Where a result is to be, for a computation that takes no epilogue. None: nobody needs it.
  std::optional<ArrayPlace> result(unsigned which) const {
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (parts[k].result == which)
        return ArrayPlace{epilogue.arrays[k].location, parts[k].shape, epilogue.arrays[k].strides};
    return std::nullopt;
  }
};

/// Something that makes arrays of arrays, and is pending until somebody looks at one of them. It
/// never changes; any thread. What it is beside: the arrays' rules hold for it as for operations.
/// Its inputs are as they were when it was recorded, it runs once for all of its results that are
/// needed, and where it fails everything is as before.
class Computation {
 public:
  virtual ~Computation() = default;
  /// What explain() and errors call it: "sort".
  virtual std::string_view name() const = 0;

  /// Whether pending inputs may be expressions of the same launch; else they are computed before.
  virtual bool takes_prologue() const noexcept { return false; }
  /// Whether prologues may read elements at computed places (codegen::Op::gather); else inputs that
  /// do are computed before.
  virtual bool takes_gathers() const noexcept { return false; }
  /// Whether what is computed of the results, element by element, may be a part of the same launch;
  /// else they are computed before it. All results have one shape then.
  virtual bool takes_epilogue() const noexcept { return false; }
  /// In which dtype it takes elements of this one in prologues.
  virtual DType input_dtype(const DType& given) const { return given; }
  /// Whether one launch can make the results of both, whose inputs have equal shapes.
  virtual bool goes_with(const Computation& other) const noexcept { return this == &other; }
  /// Whether both make the same of the same.
  virtual bool equals(const Computation& other) const noexcept { return this == &other; }

  /// Queues it on `stream`; the memory of inputs and results is ordered already, and results share
  /// none with anything. Allocations of its own may come from the device's pool. Returns what ran,
  /// for explain(): texts that live as long as the device, or nothing. Whatever it throws reaches
  /// who looked.
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

}  // namespace treadle::array
