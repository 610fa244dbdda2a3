// SPDX-License-Identifier: MIT
#include "treadle/library/cusparse.hpp"

#include <string>
#include <utility>
#include <vector>

#include "library/symbols.hpp"
#include "library/vendor.hpp"
#include "treadle/base/error.hpp"
#include "treadle/library/cublas.hpp"
#include "treadle/library/search.hpp"

namespace treadle::library {
namespace {

constexpr const char* cusparse_off = "TREADLE_LIBRARIES=cusparse=off: generated kernels multiply";

constexpr StatusWord cusparse_words[] = {
    {1, "CUSPARSE_STATUS_NOT_INITIALIZED", "cuSPARSE was not initialized", cusparse_off},
    {2, "CUSPARSE_STATUS_ALLOC_FAILED", "cuSPARSE got no memory",
     "free arrays, or TREADLE_LIBRARIES=cusparse=off", true},
    {3, "CUSPARSE_STATUS_INVALID_VALUE", "a wrong argument", cusparse_off},
    {4, "CUSPARSE_STATUS_ARCH_MISMATCH", "this GPU lacks what the routine needs", cusparse_off},
    {5, "CUSPARSE_STATUS_MAPPING_ERROR", "memory of the GPU could not be reached", cusparse_off},
    {6, "CUSPARSE_STATUS_EXECUTION_FAILED", "the kernel could not be started",
     "synchronize before it: an earlier kernel may have failed"},
    {7, "CUSPARSE_STATUS_INTERNAL_ERROR", "an error inside cuSPARSE", cusparse_off},
    {8, "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "cuSPARSE does not take such matrices",
     cusparse_off},
    {9, "CUSPARSE_STATUS_ZERO_PIVOT", "a pivot is 0", cusparse_off},
    {10, "CUSPARSE_STATUS_NOT_SUPPORTED", "cuSPARSE does not support it", cusparse_off},
    {11, "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "the product takes more memory than there is",
     "free arrays, or TREADLE_LIBRARIES=cusparse=off", true},
};

CusparseTable cusparse_table(const SharedLibrary& library) {
  CusparseTable table;
  std::vector<std::string> missing;
#define TREADLE_CUSPARSE(member, exported, parameters) \
  if (!fill(table.member, library, exported)) missing.emplace_back(exported);
#include "treadle/library/cusparse.def"
  require_complete(library, std::move(missing), library_kind("cusparse").hint);
  return table;
}

std::string size_text(const CusparseRows& matrix) {
  return std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns) + " with " +
         std::to_string(matrix.entries) + " entries";
}

}  // namespace

std::optional<CusparseType> cusparse_type(Scalar dtype) noexcept {
  // Both libraries take CUDA's numbers of types.
  const auto type = dtype == Scalar::float16 ? std::nullopt : cublas_type(dtype);
  if (!type) return std::nullopt;
  return CusparseType{type->stored, type->one, type->zero};
}

std::shared_ptr<const Cusparse> Cusparse::load(int cuda_version) {
  static const auto loaded =
      std::make_shared<const Cusparse>(open_library(library_kind("cusparse"), cuda_version));
  return loaded;
}

Cusparse::Cusparse(SharedLibrary library)
    : table_(cusparse_table(library)),
      path_(library.path()),
      version_(version_text(table_.get_property)) {
  library.keep_loaded();
  watch_process_end();
}

void Cusparse::check(int status, const char* routine, const std::function<std::string()>& detail) {
  if (status != 0) raise_status(status, cusparse_words, routine, detail ? detail() : "");
}

void* Cusparse::create_handle() const {
  void* handle = nullptr;
  check(table_.create(&handle), "cusparseCreate");
  return handle;
}

void Cusparse::set_stream(void* handle, std::uint64_t stream, const HandleWorkspace&) const {
  check(table_.set_stream(handle, pointer_of(stream)), "cusparseSetStream");
}

CusparseDescriptor::CusparseDescriptor(std::shared_ptr<const Cusparse> library,
                                       const CusparseRows& rows, int type)
    : library_(std::move(library)), end_(&CusparseTable::destroy_rows) {
  using Words = CusparseWords;
  Cusparse::check(library_->table().create_rows(&raw_, rows.rows, rows.columns, rows.entries,
                                                pointer_of(rows.starts), pointer_of(rows.indices),
                                                pointer_of(rows.values), Words::int32, Words::int32,
                                                Words::from_zero, type),
                  "cusparseCreateCsr", [&] { return size_text(rows); });
}

CusparseDescriptor::CusparseDescriptor(std::shared_ptr<const Cusparse> library,
                                       const CusparseDense& dense, int type)
    : library_(std::move(library)),
      end_(dense.columns == 0 ? &CusparseTable::destroy_vector : &CusparseTable::destroy_dense) {
  const CusparseTable& table = library_->table();
  void* const values = pointer_of(dense.values);
  if (dense.columns == 0)
    Cusparse::check(table.create_vector(&raw_, dense.rows, values, type), "cusparseCreateDnVec");
  else
    Cusparse::check(table.create_dense(&raw_, dense.rows, dense.columns, dense.columns, values,
                                       type, CusparseWords::row_by_row),
                    "cusparseCreateDnMat");
}

CusparseDescriptor::CusparseDescriptor(std::shared_ptr<const Cusparse> library)
    : library_(std::move(library)), end_(&CusparseTable::destroy_product) {
  Cusparse::check(library_->table().create_product(&raw_), "cusparseSpGEMM_createDescr");
}

CusparseDescriptor::~CusparseDescriptor() {
  if (!process_ends()) (library_->table().*end_)(raw_);
}

void multiply_by_cusparse(const CusparseCall& call, const CusparseRows& a, const CusparseDense& x,
                          const CusparseDense& result) {
  const auto& [cusparse, handle, type, scratch] = call;
  using Words = CusparseWords;
  const auto& library = cusparse.shared_library();
  const CusparseTable& table = library->table();
  const CusparseDescriptor matrix(library, a, type.stored), from(library, x, type.stored),
      to(library, result, type.stored);
  const auto text = [&] { return size_text(a) + " by " + std::to_string(x.columns) + " columns"; };
  std::size_t bytes = 0;
  const auto memory = [&] { return bytes == 0 ? nullptr : pointer_of(scratch(bytes)); };
  if (x.columns == 0) {
    Cusparse::check(
        table.vector_bytes(handle, Words::plain, type.one, matrix.raw(), from.raw(), type.zero,
                           to.raw(), type.stored, Words::vector_sums, &bytes),
        "cusparseSpMV_bufferSize", text);
    return Cusparse::check(
        table.times_vector(handle, Words::plain, type.one, matrix.raw(), from.raw(), type.zero,
                           to.raw(), type.stored, Words::vector_sums, memory()),
        "cusparseSpMV", text);
  }
  Cusparse::check(
      table.dense_bytes(handle, Words::plain, Words::plain, type.one, matrix.raw(), from.raw(),
                        type.zero, to.raw(), type.stored, Words::dense_sums, &bytes),
      "cusparseSpMM_bufferSize", text);
  Cusparse::check(
      table.times_dense(handle, Words::plain, Words::plain, type.one, matrix.raw(), from.raw(),
                        type.zero, to.raw(), type.stored, Words::dense_sums, memory()),
      "cusparseSpMM", text);
}

CusparseProduct::CusparseProduct(const CusparseCall& call, const CusparseRows& a,
                                 const CusparseRows& b)
    : table_(call.cusparse.library().table()),
      type_(call.type),
      a_(call.cusparse.shared_library(), a, type_.stored),
      b_(call.cusparse.shared_library(), b, type_.stored),
      c_(call.cusparse.shared_library(), CusparseRows{.rows = a.rows, .columns = b.columns},
         type_.stored),
      product_(call.cusparse.shared_library()) {
  // Each step is called twice: without memory it tells how much it needs.
  const auto step = [&](const auto& function, const char* routine) {
    std::size_t bytes = 0;
    for (const bool has_memory : {false, true}) {
      void* const memory = has_memory && bytes != 0 ? pointer_of(call.scratch(bytes)) : nullptr;
      Cusparse::check(function(call.handle, CusparseWords::plain, CusparseWords::plain, type_.one,
                               a_.raw(), b_.raw(), type_.zero, c_.raw(), type_.stored,
                               CusparseWords::any_product, product_.raw(), &bytes, memory),
                      routine, [&] { return size_text(a) + " by " + size_text(b); });
    }
  };
  step(table_.estimate_product, "cusparseSpGEMM_workEstimation");
  step(table_.compute_product, "cusparseSpGEMM_compute");
  std::int64_t rows = 0, columns = 0;
  Cusparse::check(table_.get_size(c_.raw(), &rows, &columns, &entries_), "cusparseSpMatGetSize");
}

void CusparseProduct::store(void* handle, const CusparseRows& place) const {
  Cusparse::check(table_.set_rows(c_.raw(), pointer_of(place.starts), pointer_of(place.indices),
                                  pointer_of(place.values)),
                  "cusparseCsrSetPointers");
  Cusparse::check(table_.copy_product(handle, CusparseWords::plain, CusparseWords::plain, type_.one,
                                      a_.raw(), b_.raw(), type_.zero, c_.raw(), type_.stored,
                                      CusparseWords::any_product, product_.raw()),
                  "cusparseSpGEMM_copy", [&] { return size_text(place); });
}

}  // namespace treadle::library
