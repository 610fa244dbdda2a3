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

/// A kernel that makes lists of unequal lengths for many objects, each list one behind the other in
/// one array:
///
///     ListBuilder pairs(device, {{"near", Scalar::int32}}, texts);
///     pairs.count(stream, n, {&counts, 1}, arguments);       // how many each object appends
///     pairs.add_up(stream, n, counts, starts);               // starts[n] is how many there are
///     pairs.write(stream, n, {&starts, 1}, {&elements, 1}, arguments);
///
/// Any thread; compiled at the first launch, and keeps the device alive.
class ListBuilder {
 public:
  /// The options' `loop_prep` and `after_loop` are not used. Throws InvalidArgument for arguments
  /// that are no declarations, for lists of one name, and for a mother that is no list with counts
  /// of its own; DTypeError for an index dtype other than int32 and int64.
  ListBuilder(std::shared_ptr<device::Device> device, std::vector<BuiltList> lists,
              const ListBuilderTexts& texts, const ElementwiseOptions& options = {},
              Scalar index_dtype = Scalar::int32);

  /// Which of the lists have counts of their own, in the order in which they were given.
  std::vector<std::string> counted() const;
  /// Those that are not left out.
  std::vector<std::string> written() const;

  /// Queues the counting: how many elements each of n objects appends. `counts` is memory for
  /// numbers of the index dtype, one array for each list of counted().
  void count(device::Stream& stream, std::uint64_t n, std::span<const UserArgument> counts,
             std::span<const UserArgument> arguments, const device::Order& order = {});
  /// Queues the sums of a list's counts: object i has the list's elements from starts[i] up to, and
  /// without, starts[i + 1]. `starts` has n + 1 numbers; if n is 0 nothing is written.
  void add_up(device::Stream& stream, std::uint64_t n, const UserArgument& counts,
              const UserArgument& starts, const device::Order& order = {});
  /// The results of compress(), each with room for n + 1 numbers.
  struct Compressed {
    UserArgument starts;   ///< where each list that is not empty begins, and the last one ends
    UserArgument objects;  ///< the object of each of these lists
    UserArgument places;   ///< for each object, how many of these lists are before its own
  };
  /// Queues leaving out the objects whose lists are empty; places[n] is how many are left.
  void compress(device::Stream& stream, std::uint64_t n, const UserArgument& starts,
                const Compressed& compressed, const device::Order& order = {});
  /// Queues the writing: `starts` for each list of counted(), `elements` for each of written().
  void write(device::Stream& stream, std::uint64_t n, std::span<const UserArgument> starts,
             std::span<const UserArgument> elements, std::span<const UserArgument> arguments,
             const device::Order& order = {});

  /// Where it runs.
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
