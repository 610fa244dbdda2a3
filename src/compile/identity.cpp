// SPDX-License-Identifier: MIT
#include "compile/identity.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <tuple>

#include "compile/digest.hpp"

namespace treadle::compile {
namespace {

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

// A struct that lies somewhere in untrusted bytes; false if it does not lie in them whole.
template <class T>
bool read_at(std::string_view bytes, std::uint64_t offset, T& into) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&into, bytes.data() + offset, sizeof(T));
  return true;
}

std::optional<std::string> build_id_in_notes(std::string_view notes) {
  constexpr auto padded = [](std::uint64_t size) { return (size + 3) & ~std::uint64_t{3}; };
  Elf64_Nhdr note;
  for (std::uint64_t at = 0; read_at(notes, at, note);) {
    const std::uint64_t name = at + sizeof(note), content = name + padded(note.n_namesz);
    if (content > notes.size() || note.n_descsz > notes.size() - content) return {};
    if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz > 0 &&
        notes.substr(name, note.n_namesz) == std::string_view("GNU\0", 4))
      return hex(notes.substr(content, note.n_descsz));
    at = content + padded(note.n_descsz);
  }
  return {};
}

/// A file's bytes as the page cache holds them: of a large library only the pages that are looked
/// at are read.
class MappedFile {
 public:
  explicit MappedFile(int file, std::uint64_t size) : size_(size) {
    if (size == 0) return;
    address_ = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (address_ == MAP_FAILED) address_ = nullptr;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (address_ != nullptr) ::munmap(address_, size_);
  }
  std::string_view bytes() const {
    return address_ == nullptr ? std::string_view()
                               : std::string_view(static_cast<const char*>(address_), size_);
  }

 private:
  void* address_ = nullptr;
  std::uint64_t size_;
};

std::string identity_of_open(int file, std::uint64_t size) {
  const MappedFile mapped(file, size);
  if (const auto id = elf_build_id(mapped.bytes())) return "build-id:" + *id;
  const Checksum checksum = checksum_of(std::as_bytes(std::span(mapped.bytes())));
  return fmt::format("content:{:016x}{:016x}:{}", checksum.high, checksum.low, size);
}

}  // namespace

std::optional<std::string> elf_build_id(std::string_view file) {
  Elf64_Ehdr header;
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return {};
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const std::uint64_t offset = header.e_phoff + std::uint64_t{i} * sizeof(segment);
    if (offset < header.e_phoff || !read_at(file, offset, segment)) return {};
    if (segment.p_type != PT_NOTE || segment.p_offset > file.size() ||
        segment.p_filesz > file.size() - segment.p_offset)
      continue;
    if (auto id = build_id_in_notes(file.substr(segment.p_offset, segment.p_filesz))) return id;
  }
  return {};
}

std::string file_identity(const std::filesystem::path& path) {
  using Stamp = std::tuple<std::string, dev_t, ino_t, off_t, time_t, long>;
  static std::mutex mutex;
  static auto* const known = new std::map<Stamp, std::string>;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "missing";
  struct stat status{};
  std::string identity = "missing";
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    const Stamp stamp{path.native(),  status.st_dev,         status.st_ino,
                      status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
    const std::lock_guard lock(mutex);
    std::string& remembered = (*known)[stamp];
    if (remembered.empty())
      remembered = identity_of_open(file, static_cast<std::uint64_t>(status.st_size));
    identity = remembered;
  }
  ::close(file);
  return identity;
}

}  // namespace treadle::compile
