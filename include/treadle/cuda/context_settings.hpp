// SPDX-License-Identifier: MIT
// What few programs change of contexts: how threads wait in them after they were made, the primary
// context before it is, and which share of the device an MPS client has.
#pragma once

#include <cstdint>

#include "treadle/cuda/context.hpp"

namespace treadle::cuda {

/// How threads wait in the context from now on (`schedule_...`), and whether memory is kept. Throws
/// DeviceError for what the driver does not take, InvalidState after Context::detach().
void set_flags(const Context& context, ContextFlags flags);
/// A number that no other context of the process has or will have. Throws InvalidState after
/// Context::detach().
std::uint64_t context_id(const Context& context);

/// The flags of the device's primary context, whether it is active or will be.
void set_primary_flags(const Device& device, ContextFlags flags);
/// Ends everything that was made in the device's primary context, by other libraries of the process
/// too; whoever uses it next gets a fresh one. As after Context::detach(), objects of Treadle's in
/// it are gone. Throws DeviceError.
void reset_primary(const Device& device);

/// Whether contexts of the device may be given a number of multiprocessors: those of MPS clients.
bool has_affinity(const Device& device);
/// How many the context was given. Throws NotSupported on the CPU device, DeviceError where
/// has_affinity() is false.
unsigned multiprocessor_affinity(const Context& context);

}  // namespace treadle::cuda
