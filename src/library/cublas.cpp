// SPDX-License-Identifier: MIT
#include "treadle/library/cublas.hpp"

#include <complex>
#include <utility>
#include <vector>

#include "library/symbols.hpp"
#include "library/vendor.hpp"
#include "treadle/base/error.hpp"
#include "treadle/cuda/driver.hpp"
#include "treadle/library/search.hpp"
#include "treadle/process/warning.hpp"

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

void* pointer(std::uint64_t value) { return reinterpret_cast<void*>(value); }

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
  int parts[3] = {};
  bool is_told = true;
  for (int which = 0; which < 3; ++which)
    is_told = is_told && table_.get_property(which, &parts[which]) == 0;
  if (is_told)
    version_ =
        std::to_string(parts[0]) + "." + std::to_string(parts[1]) + "." + std::to_string(parts[2]);
  library.keep_loaded();
  watch_process_end();
}

void Cublas::check(int status, const char* routine, const std::function<std::string()>& detail) {
  if (status != 0) raise_status(status, cublas_words, routine, detail ? detail() : "");
}

CublasHandle::CublasHandle(std::shared_ptr<const Cublas> library, const cuda::Context& context)
    : library_(std::move(library)),
      context_(context),
      workspace_bytes_(std::size_t{context.device().compute_capability().major >= 9 ? 32u : 4u}
                       << 20) {
  const cuda::Activation active(context_);
  Cublas::check(library_->table().create(&raw_), "cublasCreate");
  Cublas::check(
      library_->table().set_math_mode(raw_, CublasWords::default_math | CublasWords::whole_sums),
      "cublasSetMathMode");
}

CublasHandle::~CublasHandle() {
  if (raw_ == nullptr || process_ends() || !context_.is_valid()) return;
  try {
    const cuda::Activation active(context_);
    library_->table().destroy(raw_);
  } catch (const Error&) {
    // The context has failed or is gone, and with it what the handle had there.
  }
}

void CublasHandle::on_stream(std::uint64_t stream, const Workspace& workspace,
                             const std::function<void(void*)>& queue) {
  const std::lock_guard lock(mutex_);
  const cuda::Activation active(context_);
  if (!is_set_ || stream != stream_ || workspace.address != workspace_.address ||
      workspace.size_bytes != workspace_.size_bytes) {
    is_set_ = false;
    Cublas::check(library_->table().set_stream(raw_, pointer(stream)), "cublasSetStream");
    // A new stream takes the workspace away.
    Cublas::check(
        library_->table().set_workspace(raw_, pointer(workspace.address), workspace.size_bytes),
        "cublasSetWorkspace");
    stream_ = stream, workspace_ = workspace, is_set_ = true;
  }
  queue(raw_);
}

std::unique_ptr<CublasHandle> cublas_handle(const cuda::Context& context) {
  const cuda::Driver& driver = context.driver();
  if (driver.provider() != cuda::Provider::nvidia) return nullptr;
  try {
    return std::make_unique<CublasHandle>(Cublas::load(driver.version()), context);
  } catch (const LibraryNotFound&) {
    return nullptr;  // generated kernels do it; `doctor` tells
  } catch (const DeviceError& error) {
    warn(std::string("cuBLAS cannot be used, generated kernels multiply: ") + error.what());
    return nullptr;
  }
}

}  // namespace treadle::library
