// SPDX-License-Identifier: MIT
// Products by CLBlast, on devices of OpenCL.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "treadle/device/device.hpp"
#include "treadle/device/stream.hpp"
#include "treadle/kernel/product.hpp"
#include "treadle/library/clblast.hpp"
#include "treadle/tune/way_choice.hpp"

namespace treadle::linalg {

/// CLBlast on a device, opened by the first product there that is large enough, and whether it was
/// faster than generated kernels. Any thread.
class DeviceClblast {
 public:
  explicit DeviceClblast(device::Device& device);

  /// Null: there is none.
  const library::Clblast* library() const noexcept { return library_.get(); }
  /// For explain().
  kernel::KernelNote note(const kernel::Product& product) const;
  /// Whether it was faster for products of this dtype and about these sizes: what this process or,
  /// in the store, another has found. None: nobody has measured it.
  std::optional<bool> is_faster(const kernel::Product& product);
  /// The same, measured if need be: `seconds` tells what a product takes by CLBlast and by
  /// generated kernels, and the answer is kept.
  struct Seconds {
    double clblast, generated;
  };
  bool is_faster(const kernel::Product& product, const std::function<Seconds()>& seconds);
  /// For tests: takes the place of what was opened, and attempts are kept in this store.
  void use(std::shared_ptr<const library::Clblast> library, std::shared_ptr<tune::Store> store);

 private:
  tune::ProblemSignature problem_of(const kernel::Product& product) const;

  device::Device& device_;
  std::shared_ptr<const library::Clblast> library_;
  std::optional<tune::WayChoice> ways_;  // "clblast" and "generated"
  std::string name_, text_;
};

/// Queues the product in its calls on a queue (cl_command_queue). False, and nothing happens, where
/// CLBlast cannot read the operands as they lie, or would take many calls. By one vector z has to
/// be finite before. Throws as Clblast::check().
bool multiply_by_clblast(const library::Clblast& library, void* queue,
                         const kernel::Product& product);
/// The same on a stream, whatever z is.
bool queue_by_clblast(const library::Clblast& library, device::Stream& stream,
                      const kernel::Product& product);

}  // namespace treadle::linalg
