// SPDX-License-Identifier: MIT
// cuBLASLt as an object: products of matrices that a scale, an addition, a bias and an activation
// join, in one kernel.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "treadle/library/stream_handle.hpp"
#include "treadle/process/library.hpp"

namespace treadle::library {

/// An algorithm with its configuration, which only the library reads.
struct CublasLtAlgorithm {
  std::uint64_t data[8] = {};  ///< no one else's
};
/// What find_algorithms answers, as the public header has it.
struct CublasLtChoice {
  CublasLtAlgorithm algorithm;      ///< to be passed to multiply
  std::size_t workspace_bytes = 0;  ///< that it needs
  int status = 0;                   ///< whether it can be used
  float waves = 0;                  ///< how often it fills the device
  int reserved[4] = {};             ///< the library's
};

/// The entry points, under the names of cublaslt.def.
struct CublasLtTable {
#define TREADLE_CUBLASLT(member, exported, parameters) int(*member) parameters = nullptr;
#include "treadle/library/cublaslt.def"
};

/// cuBLASLt's numbers for its enumerations.
struct CublasLtWords {
  /// Attributes of a product.
  static constexpr int transposes_a = 3, transposes_b = 4, epilogue = 7, bias = 8;
  /// Epilogues; of a bias and an activation the sum.
  static constexpr int nothing = 1, relu = 2, adds_bias = 4, gelu_tanh = 32;
  /// Attributes of a preference.
  static constexpr int most_workspace = 1, reductions = 3, least_alignment_a = 5,
                       least_alignment_b = 6, least_alignment_c = 7, least_alignment_d = 8;
  /// Parts of a sum are not rounded to the result's dtype before they are added.
  static constexpr std::uint32_t whole_sums = 3;
};

/// One library. Never changes, and any thread may call through it.
class CublasLt {
 public:
  /// The process's, opened by the first call, as Cublas::load(). Throws LibraryNotFound.
  static std::shared_ptr<const CublasLt> load(int cuda_version);
  /// A library of the caller's. Throws LibraryNotFound for one that lacks an entry point.
  explicit CublasLt(SharedLibrary library);
  /// A table that the caller filled in.
  explicit CublasLt(const CublasLtTable& table) : table_(table) {}

  /// Its entry points, none of them null.
  const CublasLtTable& table() const noexcept { return table_; }
  /// Where it lies; empty for a table of the caller's.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// "13.1.0"; empty where it does not tell.
  const std::string& version() const noexcept { return version_; }
  /// As Cublas::check(), whose statuses it shares.
  static void check(int status, const char* routine,
                    const std::function<std::string()>& detail = {});

  // What StreamHandle asks of a library. The context is current.
  /// A new handle.
  void* create_handle() const;
  /// Its end.
  void destroy_handle(void* handle) const noexcept { table_.destroy(handle); }
  /// Does nothing: each call names its stream and its workspace.
  void set_stream(void*, std::uint64_t, const HandleWorkspace&) const {}

 private:
  CublasLtTable table_;
  std::filesystem::path path_;
  std::string version_;
};

/// A handle of cuBLASLt.
using CublasLtHandle = StreamHandle<CublasLt>;

/// What decides about the algorithm of d = epilogue(alpha a b + beta c), column by column.
struct CublasLtForm {
  /// A matrix as it lies in memory.
  struct Matrix {
    std::uint64_t rows = 0, columns = 0;  ///< as they are stored, not as they are multiplied
    std::int64_t distance = 0;            ///< from column to column, in elements
    int alignment = 0;                    ///< of its address, in bytes
    bool is_transposed = false;           ///< whether a product reads it so
    auto operator<=>(const Matrix&) const = default;
  };
  int stored = 0, computed = 0, scaled = 0;  ///< types of elements, of sums, of alpha and beta
  int epilogue = CublasLtWords::nothing;     ///< CublasLtWords
  int bias_alignment = 0;                    ///< of its address, in bytes
  Matrix a, b, c, d;                         ///< c is read where beta is not 0
  auto operator<=>(const CublasLtForm&) const = default;
};

/// The memory of one call, on the device, and its scalars, on the host.
struct CublasLtCall {
  const void *alpha, *beta;    ///< as CublasLtForm::scaled says
  const void *a, *b, *c;       ///< what is read
  void* d;                     ///< what is written: may be c
  const void* bias = nullptr;  ///< one number for each row of d, where the epilogue has it
  HandleWorkspace workspace;   ///< as large as was promised
  std::uint64_t stream = 0;    ///< CUstream
};

/// An algorithm that the library chose for a form. One call at a time.
class CublasLtPlan {
 public:
  /// Null where the library has no algorithm. Throws as CublasLt::check().
  static std::unique_ptr<CublasLtPlan> make(std::shared_ptr<const CublasLt> library, void* handle,
                                            const CublasLtForm& form, std::size_t workspace_bytes);
  ~CublasLtPlan();
  CublasLtPlan(const CublasLtPlan&) = delete;
  CublasLtPlan& operator=(const CublasLtPlan&) = delete;

  /// Queues a call; the context is current. Throws as CublasLt::check().
  void run(void* handle, const CublasLtCall& call,
           const std::function<std::string()>& detail = {}) const;

 private:
  explicit CublasLtPlan(std::shared_ptr<const CublasLt> library) : library_(std::move(library)) {}
  void describe(const CublasLtForm& form);
  bool find(void* handle, const CublasLtForm& form, std::size_t workspace_bytes);

  std::shared_ptr<const CublasLt> library_;
  void* product_ = nullptr;
  void* layouts_[4] = {};  // of a, b, c and d
  CublasLtAlgorithm algorithm_;
};

}  // namespace treadle::library
