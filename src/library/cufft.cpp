// SPDX-License-Identifier: MIT
#include "treadle/library/cufft.hpp"

#include <utility>

#include "library/opening.hpp"
#include "library/symbols.hpp"
#include "library/vendor.hpp"
#include "treadle/base/error.hpp"
#include "treadle/library/search.hpp"

namespace treadle::library {
namespace {

constexpr const char* cufft_off = "TREADLE_LIBRARIES=cufft=off: generated kernels transform";

constexpr StatusWord cufft_words[] = {
    {1, "CUFFT_INVALID_PLAN", "a plan that is none", cufft_off},
    {2, "CUFFT_ALLOC_FAILED", "cuFFT got no memory", "free arrays, or TREADLE_LIBRARIES=cufft=off",
     true},
    {4, "CUFFT_INVALID_VALUE", "a wrong argument", cufft_off},
    {5, "CUFFT_INTERNAL_ERROR", "an error inside cuFFT", cufft_off},
    {6, "CUFFT_EXEC_FAILED", "the transform could not be started",
     "synchronize before it: an earlier kernel may have failed"},
    {7, "CUFFT_SETUP_FAILED", "cuFFT could not be initialized", cufft_off},
    {8, "CUFFT_INVALID_SIZE", "cuFFT does not transform this length", cufft_off},
    {16, "CUFFT_NOT_SUPPORTED", "cuFFT does not support it", cufft_off},
};

CufftTable cufft_table(const SharedLibrary& library) {
  CufftTable table;
  std::vector<std::string> missing;
#define TREADLE_CUFFT(member, exported, parameters) \
  if (!fill(table.member, library, exported)) missing.emplace_back(exported);
#include "treadle/library/cufft.def"
  require_complete(library, std::move(missing), library_kind("cufft").hint);
  return table;
}

/// cuFFT's number for what is transformed: bits of both sides.
int cufft_type(const CufftShape& shape) {
  const int precision = shape.is_double ? 0x40 : 0;
  switch (shape.kind) {
    case CufftShape::Kind::complex:
      return 0x29 + precision;
    case CufftShape::Kind::real_to_complex:
      return 0x2a + precision;
    case CufftShape::Kind::complex_to_real:
      return 0x2c + precision;
  }
  return 0;
}

}  // namespace

std::shared_ptr<const Cufft> Cufft::load(int cuda_version) {
  static const auto loaded =
      std::make_shared<const Cufft>(open_library(library_kind("cufft"), cuda_version));
  return loaded;
}

std::shared_ptr<const Cufft> Cufft::find(const cuda::Context& context) {
  return used_in<Cufft>(context, [](auto library) { return library; });
}

Cufft::Cufft(SharedLibrary library)
    : table_(cufft_table(library)),
      path_(library.path()),
      version_(version_text(table_.get_property)) {
  library.keep_loaded();
  watch_process_end();
}

void Cufft::check(int status, const char* routine, const std::function<std::string()>& detail) {
  if (status != 0) raise_status(status, cufft_words, routine, detail ? detail() : "");
}

CufftPlan::CufftPlan(std::shared_ptr<const Cufft> library, const cuda::Context& context,
                     CufftShape shape)
    : library_(std::move(library)), context_(context), shape_(std::move(shape)) {
  const cuda::Activation active(context_);
  const CufftTable& table = library_->table();
  Cufft::check(table.create(&raw_), "cufftCreate");
  try {
    Cufft::check(table.set_auto_allocation(raw_, 0), "cufftSetAutoAllocation");
    std::vector<long long> lengths(shape_.lengths.begin(), shape_.lengths.end());
    std::vector<long long> input = lengths, output = lengths;
    if (shape_.kind == CufftShape::Kind::real_to_complex) output.back() = lengths.back() / 2 + 1;
    if (shape_.kind == CufftShape::Kind::complex_to_real) input.back() = lengths.back() / 2 + 1;
    Cufft::check(
        table.make_plan(raw_, static_cast<int>(lengths.size()), lengths.data(), input.data(),
                        shape_.stride, shape_.input_distance, output.data(), shape_.stride,
                        shape_.output_distance, cufft_type(shape_), shape_.count, &work_bytes_),
        "cufftMakePlanMany64", [&] { return text(); });
  } catch (...) {
    table.destroy(raw_);
    throw;
  }
}

CufftPlan::~CufftPlan() {
  if (process_ends() || !context_.is_valid()) return;
  try {
    const cuda::Activation active(context_);
    library_->table().destroy(raw_);
  } catch (const Error&) {
    // The context has failed or is gone, and with it what the plan had there.
  }
}

void CufftPlan::run(std::uint64_t stream, const HandleWorkspace& workspace, std::uint64_t input,
                    std::uint64_t output) {
  const cuda::Activation active(context_);
  const CufftTable& table = library_->table();
  if (!is_set_ || stream != stream_ || workspace.address != work_area_) {
    is_set_ = false;
    Cufft::check(table.set_stream(raw_, pointer_of(stream)), "cufftSetStream");
    Cufft::check(table.set_work_area(raw_, pointer_of(workspace.address)), "cufftSetWorkArea");
    stream_ = stream, work_area_ = workspace.address, is_set_ = true;
  }
  const int status = execute(pointer_of(input), pointer_of(output));
  if (status == 0) return;
  context_.synchronize();  // throws what has failed before, of which cuFFT knows no more
  Cufft::check(status, "cufftExec", [&] { return text(); });
}

int CufftPlan::execute(void* input, void* output) const {
  const CufftTable& table = library_->table();
  switch (shape_.kind) {
    case CufftShape::Kind::complex:
      return (shape_.is_double ? table.complex128 : table.complex64)(raw_, input, output,
                                                                     shape_.is_forward ? -1 : 1);
    case CufftShape::Kind::real_to_complex:
      return (shape_.is_double ? table.from_float64 : table.from_float32)(raw_, input, output);
    case CufftShape::Kind::complex_to_real:
      return (shape_.is_double ? table.to_float64 : table.to_float32)(raw_, input, output);
  }
  return 0;
}

std::string CufftPlan::text() const {
  std::string text = std::to_string(shape_.count) + " transforms of ";
  for (const std::int64_t length : shape_.lengths)
    text += (&length == shape_.lengths.data() ? "" : " x ") + std::to_string(length);
  return text + (shape_.is_double ? ", float64" : ", float32");
}

}  // namespace treadle::library
