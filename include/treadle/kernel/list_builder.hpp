// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "treadle/base/dtype.hpp"
#include "treadle/codegen/list_builder.hpp"
#include "treadle/device/copy.hpp"
#include "treadle/device/device.hpp"
#include "treadle/device/kernel.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/elementwise_kernel.hpp"
#include "treadle/kernel/scan_kernel.hpp"

namespace treadle::kernel {

using codegen::BuiltList;
using codegen::ListBuilderTexts;

/// A kernel that makes lists of different lengths for many objects. Each kind of list has one
/// array, with the lists of all objects one after the other:
///
///     ListBuilder pairs(device, {{"near", Scalar::int32}}, texts);
///     pairs.count(stream, n, {&counts, 1}, arguments);       // how many each object appends
///     pairs.add_up(stream, n, counts, starts);               // starts[n] is how many there are
///     pairs.write(stream, n, {&starts, 1}, {&elements, 1}, arguments);
///
/// Any thread. Compiled at the first launch. Keeps the device alive.
class ListBuilder {
 public:
  /// The options' `loop_prep` and `after_loop` are not used. Throws InvalidArgument for arguments
  /// that are not declarations, for two lists with one name, and for a parent that is not a list
  /// with counts of its own; DTypeError for an index dtype other than int32 and int64.
  ListBuilder(std::shared_ptr<device::Device> device, std::vector<BuiltList> lists,
              const ListBuilderTexts& texts, const ElementwiseOptions& options = {},
              Scalar index_dtype = Scalar::int32);

  /// The lists that have counts of their own, in the order of the constructor.
  std::vector<std::string> counted() const;
  /// The lists that are not left out.
  std::vector<std::string> written() const;

  /// Queues the count of the elements that each of n objects appends. `counts` has an array of the
  /// index dtype for each list of counted().
  void count(device::Stream& stream, std::uint64_t n, std::span<const UserArgument> counts,
             std::span<const UserArgument> arguments, const device::Order& order = {});
  /// Queues the sums of a list's counts: the elements of object i are those from starts[i] up to,
  /// but not including, starts[i + 1]. `starts` has n + 1 numbers; if n is 0, nothing is written.
  void add_up(device::Stream& stream, std::uint64_t n, const UserArgument& counts,
              const UserArgument& starts, const device::Order& order = {});
  /// The results of compress(), each with memory for n + 1 numbers.
  struct Compressed {
    UserArgument starts;   ///< the start of each list that is not empty, and the end of the last
    UserArgument objects;  ///< the object of each of these lists
    UserArgument places;   ///< for each object, the number of lists in `objects` before its own
  };
  /// Queues the removal of objects with empty lists; places[n] is the number of the other objects.
  void compress(device::Stream& stream, std::uint64_t n, const UserArgument& starts,
                const Compressed& compressed, const device::Order& order = {});
  /// Queues the writing of elements: `starts` for each list of counted(), `elements` for each of
  /// written().
  void write(device::Stream& stream, std::uint64_t n, std::span<const UserArgument> starts,
             std::span<const UserArgument> elements, std::span<const UserArgument> arguments,
             const device::Order& order = {});

  /// The kernel's device.
  device::Device& device() const noexcept { return *device_; }

 private:
  std::shared_ptr<device::Device> device_;
  std::vector<BuiltList> lists_;
  ElementwiseKernel count_, write_;
  ScanKernel add_up_, compress_;
};

}  // namespace treadle::kernel

namespace treadle {

using kernel::BuiltList;
using kernel::ListBuilder;
using kernel::ListBuilderTexts;

}  // namespace treadle
