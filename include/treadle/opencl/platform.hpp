// SPDX-License-Identifier: MIT
// The ICD loader and the platforms (implementations of OpenCL) behind it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "treadle/opencl/info.hpp"

namespace treadle::opencl {

class Device;

/// One implementation of OpenCL, with a table of its own: the loader's entry points and the
/// platform's extensions. A cheap value; any thread.
class Platform : public Queries<Platform, PlatformInfo> {
 public:
  /// Wraps the platform whose table this is (load_platform_table).
  explicit Platform(std::shared_ptr<const Table> table) noexcept : table_(std::move(table)) {}

  /// Throws DeviceError CL_INVALID_VALUE for parameters the platform does not know.
  InfoValue info(PlatformInfo parameter) const;
  /// "Portable Computing Language".
  std::string name() const;
  /// Who made the implementation, not the hardware.
  std::string vendor() const;
  /// Of the standard it implements, from the text "OpenCL 3.0 ...". Throws DeviceError if that is
  /// malformed.
  Version version() const;
  /// Those that all of its devices have.
  std::vector<std::string> extensions() const;
  /// By its whole name: "cl_khr_icd".
  bool has_extension(std::string_view name) const;
  /// Empty if there is none of the type.
  std::vector<Device> devices(DeviceType type = DeviceType::all) const;
  /// Lets the platform free what its compiler holds; the next build loads it again.
  void unload_compiler() const;

  /// For calls of OpenCL itself; platforms have no references.
  RawPlatform raw() const noexcept;
  /// The loader's entry points and the platform's extensions.
  const Table& table() const noexcept { return *table_; }
  /// The same, to keep them.
  const std::shared_ptr<const Table>& shared_table() const noexcept { return table_; }
  bool operator==(const Platform& other) const noexcept { return raw() == other.raw(); }

 private:
  std::shared_ptr<const Table> table_;
};

/// The library that finds platforms. A cheap value; any thread.
class Loader {
 public:
  /// The system's libOpenCL, opened on the first call. Throws LibraryNotFound with each path tried.
  static Loader system();
  /// Drives `table`: one a test or a tool filled in.
  explicit Loader(std::shared_ptr<const Table> table);

  /// Every platform, in the loader's order. Throws DeviceError CL_PLATFORM_NOT_FOUND_KHR, naming
  /// the loader and the ICD files it had to choose from, if there is none.
  std::vector<Platform> platforms() const;
  /// The platform with this handle.
  Platform platform(RawPlatform raw) const;
  /// The loader's own entry points, to keep them.
  const std::shared_ptr<const Table>& shared_table() const noexcept;
  /// The same, as long as the loader lives.
  const Table& table() const noexcept { return *shared_table(); }
  /// The file the loader was opened from; empty for a table filled in by hand.
  const std::filesystem::path& library() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Where a loader looks for platforms, for error texts and `treadle info`: each environment
/// variable that is set (OCL_ICD_VENDORS, OCL_ICD_FILENAMES, OPENCL_VENDOR_PATH), then each folder
/// and ICD file with the library it names and whether that is there.
std::vector<std::string> vendor_files();

}  // namespace treadle::opencl
