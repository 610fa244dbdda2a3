// SPDX-License-Identifier: MIT
#include "treadle/compile/compile.hpp"

#include "base/cpu_module_header.hpp"
#include "compile/cache_folder.hpp"
#include "compile/compile_record.hpp"
#include "compile/cuda_build.hpp"
#include "compile/framing.hpp"
#include "compile/result_memory.hpp"
#include "treadle/process/folders.hpp"

namespace treadle::compile {
namespace {

// All that the caller gave, framed: what the memory cache is asked with.
std::string request_of(const std::string& source, const Target& target, const Options& options) {
  FieldWriter request;
  request.reserve(source.size() + 512);
  request.text("cuda");
  request.text(target.name());
  request.text(source);
  request.texts(options.flags);
  request.number(options.include_dirs.size());
  for (const auto& folder : options.include_dirs) request.text(folder.native());
  request.texts(options.name_expressions);
  request.text(options.source_name);
  request.number(static_cast<std::uint64_t>(options.output) << 8 |
                 static_cast<std::uint64_t>(options.toolchain) << 1 | (options.extern_c ? 1u : 0u));
  request.text(options.nvcc);
  // What is held has its entry in the folder of this moment, which a program may change.
  std::string reason;
  request.text(chosen_folder(options.cache_dir, reason).native());
  // Relative folders and debug information depend on where the process stands.
  if (!options.flags.empty() || !options.include_dirs.empty() ||
      options.source_name.find('/') != std::string::npos)
    request.text(current_folder().native());
  return std::move(request).bytes();
}

/// Tells the CPU device where to keep kernels that it compiles later: where this image is kept.
void note_place(ModuleImage& image, const std::string& folder) {
  set_module_note(image.code, folder);
  if (!image.remake) return;
  image.remake = [remake = std::move(image.remake), folder] {
    ModuleImage remade = remake();
    set_module_note(remade.code, folder);
    return remade;
  };
}

}  // namespace

CompileResult compile_cuda(const std::string& source, const Target& target,
                           const Options& options) {
  CompileSpan span(source, options.source_name, target.name());
  CompileResult result =
      span.done(remember([&] { return request_of(source, target, options); },
                         [&] { return cuda_build(source, target, options); }, options.cache));
  if (target.is_cpu() && options.cache == CacheUse::disabled)
    note_place(result.image, std::string(cuda_cpu::kept_nowhere));
  else if (target.is_cpu() && !options.cache_dir.empty())
    note_place(result.image, absolute_path(options.cache_dir).native());
  if (options.keep) result.kept_in = keep_files(source, target, options, result);
  return result;
}

}  // namespace treadle::compile
