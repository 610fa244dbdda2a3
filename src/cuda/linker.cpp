// SPDX-License-Identifier: MIT
#include "treadle/cuda/linker.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "cuda/cleanup.hpp"
#include "cuda/jit_request.hpp"

namespace treadle::cuda {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

std::vector<std::string> folders_of(const std::string& list) {
  std::vector<std::string> folders;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) folders.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

void add_toolkit(std::vector<fs::path>& folders, const fs::path& root) {
  for (const char* name : {"lib64", "lib"}) folders.push_back(root / name);
}

std::vector<fs::path> library_folders() {
  std::vector<fs::path> folders;
  for (const char* name : {"CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"})
    if (const std::string root = variable(name); !root.empty()) add_toolkit(folders, root);
  for (const std::string& folder : folders_of(variable("LD_LIBRARY_PATH")))
    folders.emplace_back(folder);
  folders.emplace_back("/usr/lib/x86_64-linux-gnu");
  for (const std::string& folder : folders_of(variable("PATH"))) {
    std::error_code failure;
    const fs::path nvcc = fs::canonical(fs::path(folder) / "nvcc", failure);
    if (!failure) add_toolkit(folders, nvcc.parent_path().parent_path());
  }
  add_toolkit(folders, "/usr/local/cuda");
  return folders;
}

}  // namespace

void destroy_link(const Context& context, RawLink raw) noexcept {
  clean_up(context, "a linker", "cuLinkDestroy", &Table::cuLinkDestroy, raw);
}

Linker::Linker(std::span<const std::pair<JitOption, unsigned>> options)
    : request_(std::make_unique<JitRequest>(options)) {
  const Context context = Context::current();
  const Activation active(context);
  RawLink raw = nullptr;
  check(
      active.table(),
      active.table().cuLinkCreate(request_->count(), request_->options(), request_->values(), &raw),
      "cuLinkCreate");
  handle_ = {context, raw};
}
Linker::Linker(Linker&&) noexcept = default;
Linker& Linker::operator=(Linker&&) noexcept = default;
Linker::~Linker() = default;

RawLink Linker::usable() const {
  if (raw() == nullptr)
    throw InvalidState("this linker has linked, or was moved from", "make another one");
  return raw();
}

void Linker::check_result(int code, const char* call, const std::string& what) const {
  check(context().state()->table(), code, call, [&] {
    const std::string said = request_->log().error;
    return said.empty() ? what : said;
  });
}

void Linker::add(std::span<const std::byte> code, LinkInput kind, const std::string& name) {
  const RawLink link = usable();
  if (code.empty()) throw InvalidArgument("the code of \"" + name + "\" is empty");
  std::vector<std::byte> copy;
  code = terminated(code, copy);
  const Activation active(context());
  check_result(active.table().cuLinkAddData(link, static_cast<CUjitInputType>(kind),
                                            const_cast<std::byte*>(code.data()), code.size(),
                                            name.c_str(), 0, nullptr, nullptr),
               "cuLinkAddData", "adding \"" + name + "\"");
}

void Linker::add_file(const fs::path& path, LinkInput kind) {
  const RawLink link = usable();
  const Activation active(context());
  check_result(active.table().cuLinkAddFile(link, static_cast<CUjitInputType>(kind), path.c_str(),
                                            0, nullptr, nullptr),
               "cuLinkAddFile", path.string());
}

void Linker::add_library(const std::string& name, const fs::path& folder) {
  usable();
  const bool holds_nothing = name == "cudadevrt" && context().driver().provider() == Provider::cpu;
  if (!holds_nothing) add_file(find_static_library(name, folder), LinkInput::library);
}

ModuleImage Linker::link() {
  const RawLink link = usable();
  ModuleImage image;
  {
    const Activation active(context());
    void* code = nullptr;
    std::size_t size = 0;
    check_result(active.table().cuLinkComplete(link, &code, &size), "cuLinkComplete", "linking");
    const auto* bytes = static_cast<const std::byte*>(code);
    image.code.assign(bytes, bytes + size);
  }
  handle_ = {};
  return image;
}

JitLog Linker::log() const { return request_ == nullptr ? JitLog{} : request_->log(); }

fs::path find_static_library(const std::string& name, const fs::path& folder) {
  const std::string file = "lib" + name + ".a";
  std::vector<std::string> tried;
  for (const fs::path& place : folder.empty() ? library_folders() : std::vector<fs::path>{folder}) {
    const fs::path candidate = place / file;
    std::error_code failure;
    if (fs::is_regular_file(candidate, failure)) return candidate;
    tried.push_back(candidate.string() + ": no such file");
  }
  throw LibraryNotFound(file, std::move(tried),
                        "install a CUDA toolkit, or name the folder that has " + file);
}

}  // namespace treadle::cuda
