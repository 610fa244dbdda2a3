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

constexpr std::array common_dialects = {Dialect{}, Dialect{.fast_math = true},
                                        Dialect{.standard = Standard::cxx14},
                                        Dialect{.standard = Standard::cxx20}};

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

std::string make_prelude(const Dialect& dialect) {
  std::string log;
  auto clang = make_clang_for_prelude(dialect, device_headers(), log);
  PrecompileAction action;
  if (!clang || !run_action(*clang, action, prelude_path, SourceKind::system)) return {};
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

/// One place per dialect: found or made once.
struct Slot {
  std::once_flag once;
  std::string made;
  std::string_view content;
};

Slot& slot_of(const Dialect& dialect) {
  static std::array<Slot, 32> slots;
  const auto number = static_cast<unsigned>(dialect.standard) << 3 |
                      unsigned{dialect.fast_math} << 2 | unsigned{dialect.optimized} << 1 |
                      unsigned{dialect.fp_contract};
  return slots.at(number);
}

}  // namespace

std::string prelude_file_name(const Dialect& dialect) {
  constexpr std::array standards = {"c++11", "c++14", "c++17", "c++20"};
  std::string name =
      std::string("prelude-") + standards.at(static_cast<std::size_t>(dialect.standard));
  if (dialect.fast_math) name += "-fast-math";
  if (!dialect.optimized) name += "-debug";
  if (!dialect.fp_contract) name += "-no-fma";
  return name + ".pch";
}

std::string_view precompiled_prelude(const Dialect& dialect) {
  Slot& slot = slot_of(dialect);
  std::call_once(slot.once, [&] {
    slot.content = map_prelude(own_library().folder + "/" + prelude_file_name(dialect));
    if (!slot.content.empty()) return;
    slot.made = make_prelude(dialect);
    slot.content = slot.made;
  });
  return slot.content;
}

bool write_common_preludes(const std::string& folder) {
  for (const Dialect& dialect : common_dialects) {
    const std::string content = make_prelude(dialect);
    if (content.empty()) return false;
    std::ofstream file(folder + "/" + prelude_file_name(dialect), std::ios::binary);
    const FileHeader header;
    file.write(reinterpret_cast<const char*>(&header), sizeof(header));
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file.flush()) return false;
  }
  return true;
}

}  // namespace treadle::cuda_cpu
