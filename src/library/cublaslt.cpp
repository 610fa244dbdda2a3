// SPDX-License-Identifier: MIT
#include "treadle/library/cublaslt.hpp"

#include <utility>
#include <vector>

#include "library/symbols.hpp"
#include "library/vendor.hpp"
#include "treadle/library/cublas.hpp"
#include "treadle/library/search.hpp"

namespace treadle::library {
namespace {

CublasLtTable lt_table_of(const SharedLibrary& library) {
  CublasLtTable table;
  std::vector<std::string> missing;
#define TREADLE_CUBLASLT(member, exported, parameters) \
  if (!fill(table.member, library, exported)) missing.emplace_back(exported);
#include "treadle/library/cublaslt.def"
  require_complete(library, std::move(missing), library_kind("cublaslt").hint);
  return table;
}

}  // namespace

std::shared_ptr<const CublasLt> CublasLt::load(int cuda_version) {
  // As Cublas::load(): after an exception the next call looks again.
  static const auto loaded =
      std::make_shared<const CublasLt>(open_library(library_kind("cublaslt"), cuda_version));
  return loaded;
}

CublasLt::CublasLt(SharedLibrary library) : table_(lt_table_of(library)), path_(library.path()) {
  version_ = version_text(table_.get_property);
  library.keep_loaded();
  watch_process_end();
}

void CublasLt::check(int status, const char* routine, const std::function<std::string()>& detail) {
  Cublas::check(status, routine, detail);
}

void* CublasLt::create_handle() const {
  void* handle = nullptr;
  check(table_.create(&handle), "cublasLtCreate");
  return handle;
}

std::unique_ptr<CublasLtPlan> CublasLtPlan::make(std::shared_ptr<const CublasLt> library,
                                                 void* handle, const CublasLtForm& form,
                                                 std::size_t workspace_bytes) {
  std::unique_ptr<CublasLtPlan> plan(new CublasLtPlan(std::move(library)));
  plan->describe(form);
  return plan->find(handle, form, workspace_bytes) ? std::move(plan) : nullptr;
}

CublasLtPlan::~CublasLtPlan() {
  if (process_ends()) return;
  const CublasLtTable& table = library_->table();
  for (void* layout : layouts_)
    if (layout != nullptr) table.destroy_layout(layout);
  if (product_ != nullptr) table.destroy_product(product_);
}

void CublasLtPlan::describe(const CublasLtForm& form) {
  const CublasLtTable& table = library_->table();
  CublasLt::check(table.create_product(&product_, form.computed, form.scaled),
                  "cublasLtMatmulDescCreate");
  const auto set = [&](int attribute, const auto& value) {
    CublasLt::check(table.set_product(product_, attribute, &value, sizeof value),
                    "cublasLtMatmulDescSetAttribute");
  };
  const auto operation = [](const CublasLtForm::Matrix& matrix) {
    return matrix.is_transposed ? CublasWords::transposed : CublasWords::plain;
  };
  set(CublasLtWords::transposes_a, operation(form.a));
  set(CublasLtWords::transposes_b, operation(form.b));
  set(CublasLtWords::epilogue, form.epilogue);
  // The choice of an algorithm looks at the alignment of this address alone.
  if ((form.epilogue & CublasLtWords::adds_bias) != 0)
    set(CublasLtWords::bias, pointer_of(static_cast<std::uint64_t>(form.bias_alignment)));
  const CublasLtForm::Matrix* const matrices[] = {&form.a, &form.b, &form.c, &form.d};
  for (std::size_t i = 0; i < 4; ++i)
    CublasLt::check(table.create_layout(&layouts_[i], form.stored, matrices[i]->rows,
                                        matrices[i]->columns, matrices[i]->distance),
                    "cublasLtMatrixLayoutCreate");
}

bool CublasLtPlan::find(void* handle, const CublasLtForm& form, std::size_t workspace_bytes) {
  const CublasLtTable& table = library_->table();
  void* preference = nullptr;
  CublasLt::check(table.create_preference(&preference), "cublasLtMatmulPreferenceCreate");
  const auto destroy = [&](void* made) { table.destroy_preference(made); };
  const std::unique_ptr<void, decltype(destroy)> owner(preference, destroy);
  const auto set = [&](int attribute, auto value) {
    CublasLt::check(table.set_preference(preference, attribute, &value, sizeof value),
                    "cublasLtMatmulPreferenceSetAttribute");
  };
  set(CublasLtWords::most_workspace, static_cast<std::uint64_t>(workspace_bytes));
  set(CublasLtWords::reductions, CublasLtWords::whole_sums);
  const std::pair<int, int> alignments[] = {{CublasLtWords::least_alignment_a, form.a.alignment},
                                            {CublasLtWords::least_alignment_b, form.b.alignment},
                                            {CublasLtWords::least_alignment_c, form.c.alignment},
                                            {CublasLtWords::least_alignment_d, form.d.alignment}};
  for (const auto& [attribute, bytes] : alignments)
    set(attribute, static_cast<std::uint32_t>(bytes));
  CublasLtChoice choice;
  int found = 0;
  const int status = table.find_algorithms(handle, product_, layouts_[0], layouts_[1], layouts_[2],
                                           layouts_[3], preference, 1, &choice, &found);
  algorithm_ = choice.algorithm;
  // Whatever it refuses here others multiply.
  return status == 0 && found > 0 && choice.status == 0 &&
         choice.workspace_bytes <= workspace_bytes;
}

void CublasLtPlan::run(void* handle, const CublasLtCall& call,
                       const std::function<std::string()>& detail) const {
  const CublasLtTable& table = library_->table();
  if (call.bias != nullptr)
    CublasLt::check(table.set_product(product_, CublasLtWords::bias, &call.bias, sizeof call.bias),
                    "cublasLtMatmulDescSetAttribute", detail);
  CublasLt::check(table.multiply(handle, product_, call.alpha, call.a, layouts_[0], call.b,
                                 layouts_[1], call.beta, call.c, layouts_[2], call.d, layouts_[3],
                                 &algorithm_, pointer_of(call.workspace.address),
                                 call.workspace.size_bytes, pointer_of(call.stream)),
                  "cublasLtMatmul", detail);
}

}  // namespace treadle::library
