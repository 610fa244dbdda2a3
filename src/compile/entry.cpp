// SPDX-License-Identifier: MIT
#include "compile/entry.hpp"

#include <bit>
#include <cstring>
#include <span>

#include "compile/digest.hpp"

namespace treadle::compile {
namespace {

static_assert(std::endian::native == std::endian::little, "entries are copied as they stand");

constexpr char magic[8] = {'T', 'R', 'D', 'L', 'C', 'A', 'C', 'H'};
struct Header {
  char magic[8];
  std::uint64_t checksum[2];
  std::uint32_t schema, kind;
  std::uint64_t key_size, payload_size;
};
static_assert(sizeof(Header) == entry_header_bytes);
constexpr std::size_t checked_from = offsetof(Header, schema);

Checksum checksum_of_file(const char* file, std::uint64_t size) {
  return checksum_of(std::as_bytes(std::span(file + checked_from, size - checked_from)));
}

constexpr std::string_view suffix_of(EntryKind kind) {
  return kind == EntryKind::program ? ".kernel" : ".includes";
}

}  // namespace

std::string entry_file_name(EntryKind kind, std::string_view key) {
  return digest_of(key).hex() += suffix_of(kind);
}

std::optional<EntryKind> kind_of_file_name(std::string_view name) {
  constexpr std::size_t stem = 2 * sizeof(Digest::bytes);
  if (name.size() <= stem || name.find_first_not_of("0123456789abcdef") != stem) return {};
  for (const EntryKind kind : {EntryKind::program, EntryKind::includes})
    if (name.substr(stem) == suffix_of(kind)) return kind;
  return {};
}

std::string pack_entry(EntryKind kind, std::string_view key, std::string_view payload) {
  Header header{};
  std::memcpy(header.magic, magic, sizeof(magic));
  header.schema = cache_schema;
  header.kind = static_cast<std::uint32_t>(kind);
  header.key_size = key.size();
  header.payload_size = payload.size();
  std::string file(sizeof(Header), '\0');
  file.reserve(sizeof(Header) + key.size() + payload.size());
  std::memcpy(file.data(), &header, sizeof(Header));
  file += key;
  file += payload;
  const Checksum checksum = checksum_of_file(file.data(), file.size());
  const std::uint64_t halves[2] = {checksum.low, checksum.high};
  std::memcpy(file.data() + offsetof(Header, checksum), halves, sizeof(halves));
  return file;
}

std::optional<EntryBytes> unpack_entry(EntryKind kind, std::unique_ptr<char[]> file,
                                       std::uint64_t file_size) {
  Header header;
  if (file_size < sizeof(Header)) return {};
  std::memcpy(&header, file.get(), sizeof(Header));
  const std::uint64_t body = file_size - sizeof(Header);
  if (std::memcmp(header.magic, magic, sizeof(magic)) != 0 || header.key_size > body ||
      header.payload_size != body - header.key_size)
    return {};
  if (checksum_of_file(file.get(), file_size) != Checksum{header.checksum[0], header.checksum[1]})
    return {};
  if (header.schema != cache_schema || header.kind != static_cast<std::uint32_t>(kind)) return {};
  EntryBytes entry;
  entry.key = std::string_view(file.get() + sizeof(Header), header.key_size);
  entry.payload =
      std::string_view(file.get() + sizeof(Header) + header.key_size, header.payload_size);
  entry.file = std::move(file);
  return entry;
}

}  // namespace treadle::compile
