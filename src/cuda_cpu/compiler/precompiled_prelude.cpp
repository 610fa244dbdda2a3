// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/precompiled_prelude.hpp"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Sema/Sema.h>
#include <clang/Serialization/ASTWriter.h>
#include <clang/Serialization/PCHContainerOperations.h>
#include <fcntl.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>

#include "cuda_cpu/compiler/clang_session.hpp"
#include "cuda_cpu/compiler/device_headers.hpp"
#include "cuda_cpu/compiler/own_library.hpp"

namespace treadle::cuda_cpu {
namespace {

struct FileHeader {
  std::array<char, 8> magic = {'T', 'R', 'D', 'L', 'P', 'C', 'H', '1'};
  std::array<std::uint8_t, 20> build_id = own_library().build_id;
  std::array<std::uint8_t, 36> reserved{};
};
static_assert(sizeof(FileHeader) == 64);

struct CommonPrelude {
  Dialect dialect;
  PreludeHeaders headers = PreludeHeaders::none;
};
constexpr std::array common_preludes = {
    CommonPrelude{},
    CommonPrelude{{}, PreludeHeaders::fp16},
    CommonPrelude{{}, PreludeHeaders::bf16},
    CommonPrelude{{.fast_math = true}, PreludeHeaders::none},
    CommonPrelude{{.fast_math = true}, PreludeHeaders::fp16},
    CommonPrelude{{.fast_math = true}, PreludeHeaders::bf16},
    CommonPrelude{{.standard = Standard::cxx14}, PreludeHeaders::none},
    CommonPrelude{{.standard = Standard::cxx20}, PreludeHeaders::none}};

/// The header that a line includes, "cuda_fp16.h"; empty if it includes none.
std::string_view included_by(std::string_view line) {
  const auto skip_blanks = [&] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip_blanks();
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) return {};
  line.remove_prefix(std::strlen("include"));
  skip_blanks();
  if (!line.starts_with('<') && !line.starts_with('"')) return {};
  line.remove_prefix(1);
  return line.substr(0, line.find_first_of(">\""));
}

std::string path_of_prelude(PreludeHeaders headers) {
  switch (headers) {
    case PreludeHeaders::none:
      break;
    case PreludeHeaders::fp16:
      return std::string(device_header_root) + "/treadle_prelude_fp16.h";
    case PreludeHeaders::bf16:
      return std::string(device_header_root) + "/treadle_prelude_bf16.h";
  }
  return prelude_path;
}

/// The way C++ has to a private member: an explicit instantiation may name it. clang offers no
/// other.
template <auto member>
struct DeferredDeclarations {
  friend auto& deferred_declarations(clang::Sema& sema) { return sema.*member; }
};
auto& deferred_declarations(clang::Sema& sema);
template struct DeferredDeclarations<&clang::Sema::DeclsToCheckForDeferredDiags>;

/// Serialises the prelude, less the list of functions that clang would examine for postponed
/// errors: ours have none, and going through the list would load every one of them into every
/// compile, which takes longer than the rest.
class PreludeWriter : public clang::PCHGenerator {
 public:
  using clang::PCHGenerator::PCHGenerator;
  void InitializeSema(clang::Sema& sema) override {
    sema_ = &sema;
    clang::PCHGenerator::InitializeSema(sema);
  }
  void HandleTranslationUnit(clang::ASTContext& context) override {
    deferred_declarations(*sema_).clear();
    clang::PCHGenerator::HandleTranslationUnit(context);
  }

 private:
  clang::Sema* sema_ = nullptr;
};

/// Parses the prelude and serialises what clang made of it.
class PrecompileAction : public clang::ASTFrontendAction {
 public:
  std::string take() { return {buffer_->Data.begin(), buffer_->Data.end()}; }
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& clang,
                                                        llvm::StringRef) override {
    // No time stamps and no folder of this machine: the same headers give the same bytes.
    return std::make_unique<PreludeWriter>(
        clang.getPreprocessor(), clang.getModuleCache(), "prelude.pch", /*isysroot=*/"", buffer_,
        llvm::ArrayRef<std::shared_ptr<clang::ModuleFileExtension>>(),
        /*AllowASTWithErrors=*/false, /*IncludeTimestamps=*/false);
  }

 private:
  std::shared_ptr<clang::PCHBuffer> buffer_ = std::make_shared<clang::PCHBuffer>();
};

std::string make_prelude(const Dialect& dialect, PreludeHeaders headers) {
  std::string log;
  auto clang = make_clang_for_prelude(dialect, device_headers(), log);
  PrecompileAction action;
  if (!clang || !run_action(*clang, action, path_of_prelude(headers), SourceKind::system))
    return {};
  return action.take();
}

/// The file's bytes behind its header if it was made by this very library; empty otherwise. Stays
/// mapped.
std::string_view map_prelude(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat status{};
  std::string_view content;
  if (fstat(file, &status) == 0 && status.st_size > static_cast<off_t>(sizeof(FileHeader))) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    const FileHeader expected;
    if (mapped != MAP_FAILED && std::memcmp(mapped, &expected, sizeof(expected)) == 0) {
      content = {static_cast<const char*>(mapped) + sizeof(expected), size - sizeof(expected)};
    } else if (mapped != MAP_FAILED) {
      munmap(mapped, size);
    }
  }
  close(file);
  return content;
}

/// One place per dialect and headers: found or made once.
struct Slot {
  std::once_flag once;
  std::string made;
  std::string_view content;
};

Slot& slot_of(const Dialect& dialect, PreludeHeaders headers) {
  static std::array<Slot, 96> slots;
  const auto number = static_cast<unsigned>(headers) << 5 |
                      static_cast<unsigned>(dialect.standard) << 3 |
                      unsigned{dialect.fast_math} << 2 | unsigned{dialect.optimized} << 1 |
                      unsigned{dialect.fp_contract};
  return slots.at(number);
}

}  // namespace

PreludeHeaders headers_for(std::string_view source, const LanguageOptions& options) {
  // __CUDA_NO_HALF_OPERATORS__ and its kin.
  constexpr std::string_view changing = "CUDA_NO_";
  const auto changes = [&](std::string_view text) { return text.find(changing) != text.npos; };
  if (changes(source) || std::ranges::any_of(options.macros, changes)) return PreludeHeaders::none;
  PreludeHeaders found = PreludeHeaders::none;
  while (!source.empty()) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    const std::string_view header = included_by(source.substr(0, end));
    if (header == "cuda_bf16.h" || header == "mma.h") return PreludeHeaders::bf16;
    if (header == "cuda_fp16.h") found = PreludeHeaders::fp16;
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  return found;
}

std::string prelude_file_name(const Dialect& dialect, PreludeHeaders headers) {
  constexpr std::array standards = {"c++11", "c++14", "c++17", "c++20"};
  constexpr std::array ends = {".pch", "-fp16.pch", "-bf16.pch"};
  std::string name =
      std::string("prelude-") + standards.at(static_cast<std::size_t>(dialect.standard));
  if (dialect.fast_math) name += "-fast-math";
  if (!dialect.optimized) name += "-debug";
  if (!dialect.fp_contract) name += "-no-fma";
  return name + ends.at(static_cast<std::size_t>(headers));
}

std::string_view precompiled_prelude(const Dialect& dialect, PreludeHeaders headers) {
  Slot& slot = slot_of(dialect, headers);
  std::call_once(slot.once, [&] {
    slot.content = map_prelude(own_library().folder + "/" + prelude_file_name(dialect, headers));
    // One with headers takes longer than parsing them once.
    if (!slot.content.empty() || headers != PreludeHeaders::none) return;
    slot.made = make_prelude(dialect, headers);
    slot.content = slot.made;
  });
  return slot.content;
}

bool write_common_preludes(const std::string& folder) {
  for (const CommonPrelude& prelude : common_preludes) {
    const std::string content = make_prelude(prelude.dialect, prelude.headers);
    if (content.empty()) return false;
    std::ofstream file(folder + "/" + prelude_file_name(prelude.dialect, prelude.headers),
                       std::ios::binary);
    const FileHeader header;
    file.write(reinterpret_cast<const char*>(&header), sizeof(header));
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file.flush()) return false;
  }
  return true;
}

}  // namespace treadle::cuda_cpu
