// SPDX-License-Identifier: MIT
#include "compile/key.hpp"

#include <algorithm>

#include "compile/entry.hpp"
#include "compile/framing.hpp"
#include "treadle/process/folders.hpp"

namespace treadle::compile {
namespace {

constexpr std::string_view key_title = "treadle compile key";
constexpr std::string_view program_kind = "program";
constexpr std::uint64_t packed_field_bytes = 8 + 8, packed_digest_bytes = 8 + sizeof(Digest);

void add_digest(FieldWriter& key, const Digest& digest) {
  key.text({reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()});
}

template <class Paths>
void add_paths(FieldWriter& key, const Paths& paths) {
  key.number(paths.size());
  for (const auto& path : paths) key.text(path.native());
}

// The fields that every kind of key begins with; describe_key() reads them back in this order.
FieldWriter begin_key(const BinaryKey& inputs, std::string_view kind) {
  FieldWriter key;
  key.reserve(inputs.source.size() + 1024);
  key.text(key_title);
  key.number(cache_schema);
  key.text(kind);
  key.text(language_name(inputs.language));
  key.text(std::filesystem::path(inputs.source_name).filename().native());
  key.text(inputs.source);
  key.texts(inputs.options);
  key.number(inputs.identity.size());
  for (const KeyField& field : inputs.identity) {
    key.text(field.name);
    key.text(field.value);
  }
  return key;
}

}  // namespace

std::string program_key(const BinaryKey& inputs, const IncludeClosure& closure) {
  FieldWriter key = begin_key(inputs, program_kind);
  add_digest(key, closure.structure);
  key.number(closure.files.size());
  for (const IncludedFile& file : closure.files) add_digest(key, file.digest);
  // Debug information holds the full path of the source, __FILE__ its name as it was given.
  const bool paths = inputs.holds_paths || closure.names_its_file;
  key.number(paths ? 1 : 0);
  if (!paths) return std::move(key).bytes();
  key.text(inputs.holds_paths ? absolute_path(inputs.source_name).native() : inputs.source_name);
  for (const IncludedFile& file : closure.files) key.text(file.path);
  return std::move(key).bytes();
}

std::string includes_key(const BinaryKey& inputs, const IncludeSearch& search) {
  FieldWriter key = begin_key(inputs, "includes");
  key.texts(search.pre_includes);
  add_paths(key, search.user_dirs);
  add_paths(key, search.toolkit_dirs);
  return std::move(key).bytes();
}

std::string request_key(const BinaryKey& inputs, const std::filesystem::path& cache_folder) {
  FieldWriter key = begin_key(inputs, "request");
  key.text(inputs.source_name);
  key.number(inputs.holds_paths ? 1 : 0);
  add_paths(key, inputs.include_dirs);
  key.text(cache_folder.native());
  // Relative folders, and the headers beside a source that has no folder, depend on where the
  // process stands.
  key.text(current_folder().native());
  return std::move(key).bytes();
}

std::string KeyDescription::field(std::string_view name) const {
  for (const KeyField& each : identity)
    if (each.name == name) return each.value;
  return {};
}

namespace {

Digest read_digest(FieldReader& key) {
  Digest digest;
  const std::string_view bytes = key.text();
  if (bytes.size() == digest.bytes.size()) std::ranges::copy(bytes, digest.bytes.begin());
  return digest;
}

// What program_key() adds.
void read_closure(FieldReader& key, KeyDescription& into) {
  into.structure = read_digest(key);
  into.headers.resize(key.count(packed_digest_bytes));
  for (Digest& header : into.headers) header = read_digest(key);
  if (key.number() == 0) return;
  into.paths.resize(into.headers.size() + 1);
  for (std::string& path : into.paths) path = key.text();
}

}  // namespace

std::optional<KeyDescription> describe_key(std::string_view bytes) {
  FieldReader key(bytes);
  if (key.text() != key_title || key.number() != cache_schema) return {};
  const bool is_program = key.text() == program_kind;
  KeyDescription description;
  description.language = key.text();
  description.source_name = key.text();
  description.source = key.text();
  description.options.resize(key.count(8));
  for (std::string& option : description.options) option = key.text();
  description.identity.resize(key.count(packed_field_bytes));
  for (KeyField& field : description.identity) {
    field.name = key.text();
    field.value = key.text();
  }
  if (is_program) read_closure(key, description);
  if (key.failed()) return {};
  return description;
}

}  // namespace treadle::compile
