// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "treadle/cuda/raw.hpp"

namespace treadle::cuda {

class Device;

/// Who provides a table's entry points: NVIDIA's driver, or libtreadle_cpu, which presents the
/// processor as a device.
enum class Provider { nvidia, cpu };

/// A loaded driver library: a table of entry points and the questions that need no device.
/// A cheap value (shared ownership of the table); any thread.
class Driver {
 public:
  /// Drives `table`: one of the two loaded ones, or a table a test or a tool filled in. Throws
  /// InvalidArgument if there is none.
  explicit Driver(std::shared_ptr<const Table> table);
  Driver(const Driver&) = default;  // and no move: every Driver has a table
  Driver& operator=(const Driver&) = default;

  /// NVIDIA's libcuda, opened on the first call. Throws LibraryNotFound with each path tried.
  static Driver nvidia();
  /// The CPU device's run-time, opened on the first call. Throws LibraryNotFound with each path
  /// tried.
  static Driver cpu();

  /// cuInit; calling it again is harmless. Everything below calls it where it is needed.
  void initialize(unsigned flags = 0) const;
  /// The CUDA version the driver supports, as 1000 * major + 10 * minor; needs no initialize().
  int version() const;
  /// Devices that this process may see; 0 is no error.
  int device_count() const;
  /// Throws DeviceError CUDA_ERROR_INVALID_DEVICE, naming the range, if there is no such device.
  Device device(int ordinal) const;
  /// All of them, by ordinal. Makes no context.
  std::vector<Device> devices() const;

  /// Whose driver it is.
  Provider provider() const noexcept;
  /// The library the entry points came from; empty for a table that was filled in by hand.
  const std::filesystem::path& library() const noexcept;
  /// Its entry points; valid as long as this Driver or any object made with it.
  const Table& table() const noexcept { return *table_; }
  bool operator==(const Driver&) const = default;

 private:
  std::shared_ptr<const Table> table_;
};

/// The driver that is used when a program does not choose: what TREADLE_DEVICE names; else
/// NVIDIA's, if it loads and has a device; else the CPU's. Throws LibraryNotFound if TREADLE_DEVICE
/// asks for a CUDA device and there is no driver, InvalidArgument if it cannot be understood.
/// Decided once.
const Driver& default_driver();

/// Chooses for the whole process, in place of the environment; objects that exist keep their
/// driver. Any thread.
void set_default_driver(const Driver& driver, const std::string& reason);

/// Why default_driver() is what it is, in one sentence: for `treadle info` and for error texts.
const std::string& default_driver_reason();

/// The number of the device of default_driver() that the user's environment names: in
/// TREADLE_DEVICE
/// ("cuda:1"), else, if that driver has GPUs, in CUDA_DEVICE, else on the first line of
/// ~/.cuda_device. Throws InvalidArgument naming the variable or the file if it is malformed.
std::optional<int> requested_ordinal();
/// The device that requested_ordinal() names, else device 0.
Device default_device();

/// The CUDA version of the header Treadle was built with, as 1000 * major + 10 * minor.
int header_version() noexcept;

}  // namespace treadle::cuda
