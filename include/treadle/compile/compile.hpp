// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "treadle/base/module_image.hpp"

namespace treadle::compile {

/// What the code is for. A value, not a device: code for sm_90 is compiled on machines without a
/// GPU.
class Target {
 public:
  /// "sm_90", "sm_90a", "compute_80" (PTX), "cpu" (this host) or "cpu:<features>". Throws
  /// InvalidArgument.
  static Target parse(const std::string& name);
  /// The processor this process runs on, from cpuid, without loading a compiler.
  static Target host_cpu();
  /// As it was parsed, "cpu" with its features: a name that gives the same target again.
  const std::string& name() const noexcept { return name_; }
  /// Whether the code is for the CPU device, this host's or another's.
  bool is_cpu() const noexcept { return name_.compare(0, 3, "cpu") == 0; }
  bool operator==(const Target&) const = default;

 private:
  explicit Target(std::string name) : name_(std::move(name)) {}
  std::string name_;
};

/// For a CPU target each means the CPU provider's module.
enum class Output { cubin, ptx, fatbin };
/// Who compiles. automatic: what TREADLE_COMPILER names, else NVRTC; a CPU target has only one.
enum class Toolchain { automatic, nvrtc, nvcc };
/// disabled: neither the memory nor the disk cache is read or written. reading: what is on disk is
/// used, and what had to be compiled is not kept.
enum class CacheUse { enabled, disabled, reading };

/// How to compile. Option spellings are nvcc's; one table translates, warns about or refuses each.
struct Options {
  std::vector<std::string> flags = {};                   ///< as nvcc's command line takes them
  std::vector<std::filesystem::path> include_dirs = {};  ///< searched in this order
  /// C++ names to look up in the result, for example "scale<float, 4>".
  std::vector<std::string> name_expressions = {};
  std::string source_name = "kernel.cu";  ///< how messages call the source
  Output output = Output::cubin;          ///< PTX for a compute_ target, whatever stands here
  /// nvcc starts processes, and is never chosen automatically.
  Toolchain toolchain = Toolchain::automatic;
  std::string nvcc = {};  ///< path or name, for Toolchain::nvcc; empty: settings().nvcc
  /// Of this call; TREADLE_CACHE=0 turns the disk off for all.
  CacheUse cache = CacheUse::enabled;
  std::filesystem::path cache_dir = {};  ///< empty: settings().cache_dir
  bool extern_c = false;  ///< wrap the source in extern "C" { } without moving its lines
  bool keep = false;  ///< leave source, options and result in a folder; `CompileResult::kept_in`
};

/// Where a result came from.
enum class Origin { compiled, memory_cache, disk_cache };

/// What a compile gives.
struct CompileResult {
  ModuleImage image;                  ///< what cuda::Module loads
  std::string log;                    ///< what the compiler said although it succeeded
  std::vector<std::string> warnings;  ///< ours: options ignored, capability mismatch
  Origin origin = Origin::compiled;   ///< with the cache disabled always `compiled`
  double seconds = 0;                 ///< wall time of this call
  std::filesystem::path kept_in;      ///< with Options::keep
  std::filesystem::path entry;        ///< its file in the disk cache; empty if it is not there
  std::string not_cached;             ///< why the result was not kept for later; empty if it was
};

/// Compiles CUDA C++ text, or returns what an earlier compile of the same inputs made. Blocking;
/// any thread. Throws CompileError (log, source, options), InvalidArgument (options, target),
/// LibraryNotFound (no compiler).
CompileResult compile_cuda(const std::string& source, const Target& target,
                           const Options& options = {});

/// A cached result turned out to be unloadable: deletes its entry, on disk and in memory, counts it
/// as healed, and warns once. The next compile of the same inputs runs the compiler. For callers
/// that load images without ModuleImage::remake, which does this itself.
void discard_cached(const CompileResult& result);

/// Counters of this process since start or the last reset.
struct Statistics {
  /// Numbers of calls; one that healed an entry is a miss too, and so is one of `not_cached`: a
  /// source that is compiled each time, CompileResult::not_cached says why.
  std::uint64_t memory_hits = 0, disk_hits = 0, misses = 0, not_cached = 0, healed = 0;
  std::uint64_t io_errors = 0;  ///< reads and writes of the cache that failed
  double compile_seconds = 0;   ///< spent in compilers, that is, on misses
  double lookup_seconds = 0;    ///< spent on hits
};
/// Exact when no other thread compiles.
Statistics statistics();
/// Sets each counter to zero.
void reset_statistics();

}  // namespace treadle::compile

namespace treadle {

using compile::compile_cuda;

}  // namespace treadle
