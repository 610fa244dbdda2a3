// SPDX-License-Identifier: MIT
#include "cuda_cpu/compiler/host_files.hpp"

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>

#include <memory>

#include "cuda_cpu/compiler/device_headers.hpp"

namespace treadle::cuda_cpu {
namespace {

bool lies_in(llvm::StringRef path, llvm::StringRef folder) {
  return path.starts_with(folder) && path.substr(folder.size()).starts_with("/");
}

class Notes : public clang::PPCallbacks {
 public:
  Notes(const std::vector<std::string>& user_dirs, HostFiles& files)
      : user_dirs_(user_dirs), files_(files) {}

  void InclusionDirective(clang::SourceLocation, const clang::Token&, llvm::StringRef, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef file, llvm::StringRef,
                          llvm::StringRef relative_path, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    if (file) found(file->getName(), relative_path);
  }

  void HasInclude(clang::SourceLocation, llvm::StringRef name, bool,
                  clang::OptionalFileEntryRef file, clang::SrcMgr::CharacteristicKind) override {
    if (file) return found(file->getName(), name);
    for (const std::string& folder : host_header_dirs())
      files_.absent.insert(folder + "/" + name.str());
  }

 private:
  void found(llvm::StringRef path, llvm::StringRef relative_path) {
    const auto& folders = host_header_dirs();
    const auto home = llvm::find_if(folders, [&](const std::string& folder) {
      return path == folder + "/" + relative_path.str();
    });
    const bool in_place = home != folders.end();
    // Found beside the header that includes it, or by #include_next.
    if (!in_place &&
        llvm::none_of(folders, [&](const auto& folder) { return lies_in(path, folder); }))
      return;
    files_.read.insert(path.str());
    if (!in_place) return;
    for (const std::string& folder : user_dirs_)
      files_.absent.insert(folder + "/" + relative_path.str());
    for (auto before = folders.begin(); before != home; ++before)
      files_.absent.insert(*before + "/" + relative_path.str());
    for (const std::string& newer : newer_host_headers()) files_.absent.insert(newer);
  }

  const std::vector<std::string>& user_dirs_;
  HostFiles& files_;
};

}  // namespace

void note_host_files(clang::CompilerInstance& clang, const std::vector<std::string>& user_dirs,
                     HostFiles& files) {
  clang.getPreprocessor().addPPCallbacks(std::make_unique<Notes>(user_dirs, files));
}

}  // namespace treadle::cuda_cpu
