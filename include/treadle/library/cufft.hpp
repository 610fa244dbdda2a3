// SPDX-License-Identifier: MIT
// cuFFT as an object: NVIDIA's Fourier transforms, in plans of which each has one shape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "treadle/cuda/context.hpp"
#include "treadle/library/stream_handle.hpp"
#include "treadle/process/library.hpp"

namespace treadle::library {

/// The entry points, under the names of cufft.def.
struct CufftTable {
#define TREADLE_CUFFT(member, exported, parameters) int(*member) parameters = nullptr;
#include "treadle/library/cufft.def"
};

/// What a plan transforms, in cuFFT's words. Lengths are the real side's, the outermost axis first;
/// strides and distances are counted in elements of their side.
struct CufftShape {
  /// Which elements become which.
  enum class Kind : std::uint8_t {
    complex,          ///< complex ones, of both sides
    real_to_complex,  ///< half a spectrum: the last length is n / 2 + 1 there
    complex_to_real   ///< of half a spectrum
  };
  Kind kind = Kind::complex;          ///< of the elements
  bool is_double = false;             ///< float64 and complex128, else float32 and complex64
  bool is_forward = true;             ///< of complex to complex
  std::vector<std::int64_t> lengths;  ///< 1 to 3
  std::int64_t stride = 1;            ///< between neighbours along the last axis, on both sides
  std::int64_t input_distance = 0;    ///< between transforms
  std::int64_t output_distance = 0;   ///< between transforms
  std::int64_t count = 1;             ///< of transforms
};

/// One library. Never changes, and any thread may call through it.
class Cufft {
 public:
  /// The process's, opened by the first call: what TREADLE_LIBRARIES names as `cufft`, else the
  /// newest that a driver of this version of CUDA runs (13000 is 13.0; 0: any). Throws
  /// LibraryNotFound.
  static std::shared_ptr<const Cufft> load(int cuda_version);
  /// The same for a context; null where there is none, and for a context of the CPU device.
  static std::shared_ptr<const Cufft> find(const cuda::Context& context);
  /// A library of the caller's. Throws LibraryNotFound for one that lacks an entry point.
  explicit Cufft(SharedLibrary library);
  /// A table that the caller filled in.
  explicit Cufft(const CufftTable& table) : table_(table) {}

  /// Its entry points, none of them null.
  const CufftTable& table() const noexcept { return table_; }
  /// Where it lies; empty for a table of the caller's.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// "12.0.0"; empty where it does not tell.
  const std::string& version() const noexcept { return version_; }
  /// Throws DeviceError, OutOfMemory for want of memory, with the routine, the status in words and
  /// what `detail` tells, unless the status is that of success.
  static void check(int status, const char* routine,
                    const std::function<std::string()>& detail = {});

 private:
  CufftTable table_;
  std::filesystem::path path_;
  std::string version_;
};

/// A plan in a context, for all of its streams. It allocates nothing when it runs, so that its
/// calls can be captured in a graph. One thread at a time.
class CufftPlan {
 public:
  /// Throws as Cufft::check().
  CufftPlan(std::shared_ptr<const Cufft> library, const cuda::Context& context, CufftShape shape);
  ~CufftPlan();
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;

  /// The memory on the device that a run needs beside input and output.
  std::size_t work_bytes() const noexcept { return work_bytes_; }
  /// Queues the transform, not scaled, on a stream (CUstream). Input and output may be one place;
  /// else only a transform to real elements changes its input. Throws as Cufft::check().
  void run(std::uint64_t stream, const HandleWorkspace& workspace, std::uint64_t input,
           std::uint64_t output);

 private:
  int execute(void* input, void* output) const;
  std::string text() const;

  std::shared_ptr<const Cufft> library_;
  cuda::Context context_;
  CufftShape shape_;
  int raw_ = 0;
  std::size_t work_bytes_ = 0;
  std::uint64_t stream_ = 0, work_area_ = 0;  // to which it is set
  bool is_set_ = false;
};

}  // namespace treadle::library
