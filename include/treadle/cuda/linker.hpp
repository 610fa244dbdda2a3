// SPDX-License-Identifier: MIT
// Several modules into one, by the driver's linker: texts that call functions and use variables of
// each other, compiled one by one with the flag -rdc=true.
//
//   cuda::Linker linker;
//   linker.add(compile_cuda(kernels, target, {.flags = {"-rdc=true"}, .output =
//   Output::ptx}).image.code,
//              cuda::LinkInput::ptx, "kernels.cu");
//   linker.add(...);
//   cuda::Module module(linker.link());
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "treadle/cuda/handle.hpp"
#include "treadle/cuda/module.hpp"

namespace treadle::cuda {

class JitRequest;

/// CUjitInputType. What an input is; the CPU device looks at the bytes and takes any but library.
enum class LinkInput : int { cubin = 0, ptx = 1, fatbinary = 2, object = 3, library = 4 };

/// What a Handle of a linker ends with.
void destroy_link(const Context& context, RawLink raw) noexcept;
template <>
inline constexpr const char* handle_kind<destroy_link> = "cuda linker";

/// Takes inputs, and makes one image of them. Not thread-safe.
///
/// On the CPU device, inputs are what compile_cuda makes with -rdc=true, and are optimised together
/// when they are linked.
class Linker {
 public:
  /// In the current context, for its device. Options are those of the driver's compiler of PTX; the
  /// CPU device ignores them.
  explicit Linker(std::span<const std::pair<JitOption, unsigned>> options = {});
  Linker(Linker&&) noexcept;
  Linker& operator=(Linker&&) noexcept;
  ~Linker();

  /// Adds code, which may be freed afterwards. `name` is for messages. PTX need not end in NUL.
  /// Throws DeviceError with the log as its detail; the linker is of no use then.
  void add(std::span<const std::byte> code, LinkInput kind, const std::string& name = "unnamed");
  /// Adds a file. Throws DeviceError CUDA_ERROR_FILE_NOT_FOUND naming `path`.
  void add_file(const std::filesystem::path& path, LinkInput kind);
  /// Adds lib<name>.a, which find_static_library() looks for. "cudadevrt", which kernels that
  /// launch kernels need, is part of the CPU device: there it adds nothing.
  void add_library(const std::string& name, const std::filesystem::path& folder = {});
  /// All that was added. Throws DeviceError with the log: names that nobody defines, or two do.
  /// A linker links once: InvalidState afterwards.
  ModuleImage link();

  /// What the driver has said so far.
  JitLog log() const;
  /// Where it was made, detached or not.
  const Context& context() const noexcept { return handle_.context(); }
  /// CUlinkState, for calls of the driver itself while this Linker lives; null after link().
  RawLink raw() const noexcept { return handle_.raw(); }

 private:
  void check_result(int code, const char* call, const std::string& what) const;
  RawLink usable() const;

  std::unique_ptr<JitRequest> request_;  // the driver writes to it until the link is destroyed
  Handle<RawLink, destroy_link> handle_;
};

/// lib<name>.a of a CUDA toolkit: in `folder` alone, if it is given; else in lib64 and lib of
/// CUDA_ROOT, CUDA_HOME and CUDA_PATH, in the folders of LD_LIBRARY_PATH, where Debian has it,
/// beside the nvcc on PATH, and in /usr/local/cuda. Throws LibraryNotFound with every place that
/// was tried.
std::filesystem::path find_static_library(const std::string& name,
                                          const std::filesystem::path& folder = {});

}  // namespace treadle::cuda
