// SPDX-License-Identifier: MIT
#include "compile/key.hpp"

#include <algorithm>

#include "compile/entry.hpp"
#include "compile/framing.hpp"

namespace treadle::compile {
namespace {

constexpr std::string_view dialect = "cuda";

bool holds_source_path(const CompilerOptions& options) { return options.embeds_paths; }

// The fields that both kinds of key begin with; describe_key() reads them back in this order.
FieldWriter begin_key(const KeyParts& parts, std::string_view kind) {
  FieldWriter key;
  key.reserve(parts.source.size() + 1024);
  key.text("treadle compile key");
  key.number(cache_schema);
  key.text(kind);
  key.text(dialect);
  key.text(parts.compiler);
  key.text(parts.options.target);
  key.text(std::filesystem::path(parts.source_name).filename().native());
  key.text(parts.source);
  key.number(static_cast<std::uint64_t>(parts.output));
  key.number(parts.extern_c ? 1 : 0);
  key.texts(parts.options.flags);
  key.texts(parts.names);
  return key;
}

}  // namespace

std::string program_key(const KeyParts& parts, const IncludeClosure& closure) {
  FieldWriter key = begin_key(parts, "program");
  key.text({reinterpret_cast<const char*>(closure.structure.bytes.data()), 32});
  key.number(closure.files.size());
  for (const IncludedFile& file : closure.files)
    key.text({reinterpret_cast<const char*>(file.digest.bytes.data()), 32});
  // Debug information holds the full path of the source, __FILE__ its name as it was given.
  const bool paths = holds_source_path(parts.options) || closure.names_its_file;
  key.number(paths ? 1 : 0);
  if (!paths) return std::move(key).bytes();
  key.text(holds_source_path(parts.options)
               ? std::filesystem::absolute(parts.source_name).lexically_normal().native()
               : std::string(parts.source_name));
  for (const IncludedFile& file : closure.files) key.text(file.path);
  return std::move(key).bytes();
}

std::string includes_key(const KeyParts& parts,
                         const std::vector<std::filesystem::path>& toolkit_dirs) {
  FieldWriter key = begin_key(parts, "includes");
  key.texts(parts.options.pre_includes);
  key.number(parts.options.include_dirs.size());
  for (const auto& folder : parts.options.include_dirs) key.text(folder.native());
  key.number(toolkit_dirs.size());
  for (const auto& folder : toolkit_dirs) key.text(folder.native());
  return std::move(key).bytes();
}

std::optional<KeyDescription> describe_key(std::string_view bytes) {
  FieldReader key(bytes);
  if (key.text() != "treadle compile key" || key.number() != cache_schema) return {};
  key.text();  // kind
  key.text();  // dialect
  KeyDescription description;
  description.compiler = key.text();
  description.target = key.text();
  description.source_name = key.text();
  description.source = key.text();
  if (key.failed()) return {};
  return description;
}

}  // namespace treadle::compile
