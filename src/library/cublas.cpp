// SPDX-License-Identifier: MIT
#include "treadle/library/cublas.hpp"

#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include "library/symbols.hpp"
#include "library/vendor.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/device.hpp"
#include "treadle/library/search.hpp"

namespace treadle::library {
namespace {

constexpr const char* cublas_off = "TREADLE_LIBRARIES=cublas=off: generated kernels multiply";

constexpr StatusWord cublas_words[] = {
    {1, "CUBLAS_STATUS_NOT_INITIALIZED", "cuBLAS was not initialized", cublas_off},
    {3, "CUBLAS_STATUS_ALLOC_FAILED", "cuBLAS got no memory",
     "free arrays, or TREADLE_LIBRARIES=cublas=off", true},
    {7, "CUBLAS_STATUS_INVALID_VALUE", "a wrong argument", cublas_off},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH", "this GPU lacks what the routine needs", cublas_off},
    {11, "CUBLAS_STATUS_MAPPING_ERROR", "memory of the GPU could not be reached", cublas_off},
    {13, "CUBLAS_STATUS_EXECUTION_FAILED", "the kernel could not be started",
     "synchronize before it: an earlier kernel may have failed"},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR", "an error inside cuBLAS", cublas_off},
    {15, "CUBLAS_STATUS_NOT_SUPPORTED", "cuBLAS does not support it", cublas_off},
    {16, "CUBLAS_STATUS_LICENSE_ERROR", "cuBLAS found no license", cublas_off},
};

constexpr float float_one = 1, float_zero = 0;
constexpr double double_one = 1, double_zero = 0;
constexpr std::complex<float> complex64_one = 1, complex64_zero = 0;
constexpr std::complex<double> complex128_one = 1, complex128_zero = 0;

CublasTable table_of(const SharedLibrary& library) {
  CublasTable table;
  std::vector<std::string> missing;
#define TREADLE_CUBLAS(member, exported, parameters) \
  if (!fill(table.member, library, exported)) missing.emplace_back(exported);
#include "treadle/library/cublas.def"
  require_complete(library, std::move(missing), library_kind("cublas").hint);
  return table;
}

}  // namespace

std::optional<CublasType> cublas_type(Scalar dtype) noexcept {
  switch (dtype) {
    case Scalar::float16:
      return CublasType{2, 68, &float_one, &float_zero};
    case Scalar::float32:
      return CublasType{0, 68, &float_one, &float_zero};
    case Scalar::float64:
      return CublasType{1, 70, &double_one, &double_zero};
    case Scalar::complex64:
      return CublasType{4, 68, &complex64_one, &complex64_zero};
    case Scalar::complex128:
      return CublasType{5, 70, &complex128_one, &complex128_zero};
    default:
      return std::nullopt;
  }
}

std::shared_ptr<const Cublas> Cublas::load(int cuda_version) {
  // An exception leaves the variable uninitialised: the next call looks again. A process has one
  // driver of NVIDIA's, so one version.
  static const auto loaded =
      std::make_shared<const Cublas>(open_library(library_kind("cublas"), cuda_version));
  return loaded;
}

Cublas::Cublas(SharedLibrary library) : table_(table_of(library)), path_(library.path()) {
  version_ = version_text(table_.get_property);
  library.keep_loaded();
  watch_process_end();
}

void Cublas::check(int status, const char* routine, const std::function<std::string()>& detail) {
  if (status != 0) raise_status(status, cublas_words, routine, detail ? detail() : "");
}

std::size_t Cublas::workspace_bytes(const cuda::Context& context) {
  return std::size_t{context.device().compute_capability().major >= 9 ? 32u : 4u} << 20;
}

void* Cublas::create_handle() const {
  void* handle = nullptr;
  check(table_.create(&handle), "cublasCreate");
  try {
    check(table_.set_math_mode(handle, CublasWords::default_math | CublasWords::whole_sums),
          "cublasSetMathMode");
  } catch (...) {
    destroy_handle(handle);
    throw;
  }
  return handle;
}

void Cublas::set_stream(void* handle, std::uint64_t stream,
                        const HandleWorkspace& workspace) const {
  check(table_.set_stream(handle, pointer_of(stream)), "cublasSetStream");
  // A new stream takes the workspace away.
  check(table_.set_workspace(handle, pointer_of(workspace.address), workspace.size_bytes),
        "cublasSetWorkspace");
}

}  // namespace treadle::library
