// SPDX-License-Identifier: MIT
// A file of the disk cache, and the two parts of it.
#include <cstring>
#include <memory>

#include "compile/compiled.hpp"
#include "compile/entry.hpp"
#include "compile/key.hpp"
#include "fuzz/target.hpp"

using namespace treadle;
using namespace treadle::compile;

namespace {

std::optional<EntryBytes> unpack(EntryKind kind, std::string_view file) {
  auto bytes = std::make_unique<char[]>(file.size() + 1);
  std::memcpy(bytes.get(), file.data(), file.size());
  return unpack_entry(kind, std::move(bytes), file.size());
}

void check_payload(std::string_view payload) {
  ModuleImage image;
  std::string log;
  if (!unpack_payload(payload, image, log)) return;
  ModuleImage again;
  std::string log_again;
  fuzz::require(unpack_payload(pack_payload(image, log), again, log_again), "payload comes back");
  fuzz::require(
      again.code == image.code && again.lowered_names == image.lowered_names && log_again == log,
      "payload comes back as it was");
}

}  // namespace

TREADLE_FUZZ_TARGET(cache_entry) {
  for (const EntryKind kind : {EntryKind::program, EntryKind::includes})
    if (const auto entry = unpack(kind, input))
      fuzz::require(pack_entry(kind, entry->key, entry->payload) == input, "one form of an entry");
  check_payload(input);
  describe_key(input);

  // As key and payload of an entry whose checksum is right.
  const std::size_t wanted = 4u * fuzz::take_byte(input), key_size = std::min(wanted, input.size());
  const std::string_view key = input.substr(0, key_size), payload = input.substr(key_size);
  const auto entry = unpack(EntryKind::program, pack_entry(EntryKind::program, key, payload));
  fuzz::require(entry && entry->key == key && entry->payload == payload, "an entry comes back");
  check_payload(payload);
  describe_key(key);
}
