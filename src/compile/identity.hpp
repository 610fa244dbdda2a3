// SPDX-License-Identifier: MIT
// Which build of a compiler a file is, without loading or running it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace treadle::compile {

/// "build-id:65be..." from the GNU note that linkers write into ELF files, else "content:..." from
/// all its bytes; "missing" if there is no such file. Remembered for as long as the file's device,
/// inode, size and modification time stay, so that asking again costs one stat.
std::string file_identity(const std::filesystem::path& file);

/// The GNU build id in the bytes that `read_at` supplies (false: not that many there); nothing if
/// it is no 64-bit ELF file, holds none or is malformed. For tests and fuzzing as well as for
/// file_identity().
std::optional<std::string> elf_build_id(std::string_view file_bytes);

}  // namespace treadle::compile
