// SPDX-License-Identifier: MIT
#include "compile/entry.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace treadle::compile {
namespace {

const std::string key = "the key of an entry, with \0 in it and more";
const std::string payload(500, 'p');

std::optional<EntryBytes> unpack(const std::string& bytes, EntryKind kind = EntryKind::program) {
  auto file = std::make_unique<char[]>(bytes.size() + 1);
  std::memcpy(file.get(), bytes.data(), bytes.size());
  return unpack_entry(kind, std::move(file), bytes.size());
}

TEST(Entry, comes_back_as_it_was_packed) {
  const auto entry = unpack(pack_entry(EntryKind::program, key, payload));
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->key, key);
  EXPECT_EQ(entry->payload, payload);
  EXPECT_TRUE(unpack(pack_entry(EntryKind::program, "", "")));
}

TEST(Entry, P2_a_flipped_bit_at_any_byte_is_noticed) {
  const std::string whole = pack_entry(EntryKind::program, key, payload);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bent = whole;
      bent[at] = static_cast<char>(bent[at] ^ (1 << bit));
      EXPECT_FALSE(unpack(bent)) << "byte " << at << " bit " << bit;
    }
  }
}

TEST(Entry, P2_truncation_at_any_length_is_noticed) {
  const std::string whole = pack_entry(EntryKind::program, key, payload);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(unpack(whole.substr(0, size))) << size;
  EXPECT_FALSE(unpack(whole + 'x'));
}

TEST(Entry, P2_one_kind_is_not_taken_for_another) {
  EXPECT_FALSE(unpack(pack_entry(EntryKind::includes, key, payload), EntryKind::program));
}

TEST(Entry, P16_same_inputs_same_bytes) {
  EXPECT_EQ(pack_entry(EntryKind::program, key, payload),
            pack_entry(EntryKind::program, key, payload));
}

TEST(Entry, names_tell_the_kind_and_nothing_else_is_an_entry) {
  EXPECT_EQ(kind_of_file_name(entry_file_name(EntryKind::program, key)), EntryKind::program);
  EXPECT_EQ(kind_of_file_name(entry_file_name(EntryKind::includes, key)), EntryKind::includes);
  for (const char* name : {"", "notes.kernel", ".tmp-1", "README", "..", "0123456789abcdef.kernel"})
    EXPECT_FALSE(kind_of_file_name(name)) << name;
}

}  // namespace
}  // namespace treadle::compile
