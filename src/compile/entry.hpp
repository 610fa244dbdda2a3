// SPDX-License-Identifier: MIT
// One entry of the disk cache as bytes; no disk in here. One entry is one file:
//
//   offset  0  magic      "TRDLCACH"
//           8  checksum   XXH3-128 of everything from offset 24 to the end of the file, low half
//           first
//          24  schema     4 bytes
//          28  kind       4 bytes, EntryKind
//          32  key size   8 bytes
//          40  payload size, 8 bytes
//          48  key        the whole canonical key (key.hpp)
//              payload
//
// The file's name is BLAKE2b-256 of the key, but it is the stored key that is compared: a name is
// never believed. Nothing of a file is used before its checksum was found right. Numbers are
// little-endian.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace treadle::compile {

/// Part of every key: a change of any format below it makes old entries unreachable, not misread.
inline constexpr std::uint32_t cache_schema = 2;
inline constexpr std::size_t entry_header_bytes = 48;
/// Temporary files of entries that are being written begin with this.
inline constexpr std::string_view temporary_prefix = ".tmp-";

enum class EntryKind : std::uint32_t { program = 1, includes = 2 };

/// Bytes of an entry's file, checked, and the two parts of it.
struct EntryBytes {
  std::unique_ptr<char[]> file;
  std::string_view key, payload;
};

/// "3f9c....kernel" or "3f9c....includes".
std::string entry_file_name(EntryKind kind, std::string_view key);
/// The kind that an entry's file name shows; nothing for other files of the folder.
std::optional<EntryKind> kind_of_file_name(std::string_view name);

/// The file as it is published: same key and payload, same bytes.
std::string pack_entry(EntryKind kind, std::string_view key, std::string_view payload);
/// Takes such a file apart. Nothing if a single bit of it is not as it was written.
std::optional<EntryBytes> unpack_entry(EntryKind kind, std::unique_ptr<char[]> file,
                                       std::uint64_t file_size);

}  // namespace treadle::compile
