// SPDX-License-Identifier: MIT
#include "treadle/kernel/known_tilings.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

#include "treadle/base/embedded.hpp"
#include "treadle/base/error.hpp"
#include "treadle/device/identity.hpp"
#include "treadle/kernel/tiling.hpp"
#include "treadle/process/debug_files.hpp"

namespace treadle::kernel {
namespace shipped_tilings {
extern const std::span<const EmbeddedFile> embedded_files;
}
namespace {

/// Reads a flat JSON object: its values are texts, numbers and one object of numbers.
class TilingLineReader {
 public:
  explicit TilingLineReader(std::string_view line) : rest_(line) {}

  bool skip(char c) {
    const std::size_t first = rest_.find_first_not_of(" \t\r");
    if (first == std::string_view::npos || rest_[first] != c) return false;
    rest_.remove_prefix(first + 1);
    return true;
  }
  bool is_over() const { return rest_.find_first_not_of(" \t\r") == std::string_view::npos; }
  std::optional<std::string> text() {
    if (!skip('"')) return {};
    std::string made;
    for (std::size_t k = 0; k < rest_.size(); ++k) {
      if (rest_[k] == '"') {
        rest_.remove_prefix(k + 1);
        return made;
      }
      if (rest_[k] == '\\' && ++k == rest_.size()) return {};
      made += rest_[k];
    }
    return {};
  }
  std::optional<std::uint64_t> number() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
    std::uint64_t made = 0;
    std::size_t digits = 0;
    while (digits < rest_.size() && digits < 18 && rest_[digits] >= '0' && rest_[digits] <= '9')
      made = 10 * made + static_cast<std::uint64_t>(rest_[digits++] - '0');
    if (digits == 0) return {};
    rest_.remove_prefix(digits);
    return made;
  }
  /// Calls `member(name)` for each member; `member` reads the value and returns whether it could.
  template <class Member>
  bool object(Member&& member) {
    if (!skip('{')) return false;
    if (skip('}')) return true;
    do {
      const auto name = text();
      if (!name || !skip(':') || !member(*name)) return false;
    } while (skip(','));
    return skip('}');
  }

 private:
  std::string_view rest_;
};

std::string quoted_text(std::string_view text) {
  std::string made(1, '"');
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) continue;
    if (c == '"' || c == '\\') made += '\\';
    made += c;
  }
  return made + '"';
}

/// Returns false if the tiling would not be valid.
bool put_numbers(codegen::Tiling& tiling, const std::map<std::string, std::uint64_t>& numbers) {
  const auto all = codegen::tiling_numbers();
  codegen::Tiling made = tiling;
  for (const auto& [name, value] : numbers) {
    const auto found = std::ranges::find(
        all, std::string_view(name), [](const codegen::TilingNumber& each) { return each.name; });
    if (found == all.end()) return false;
    found->set(made, value);
  }
  try {
    codegen::require_valid(made);
  } catch (const InvalidArgument&) {
    return false;
  }
  tiling = made;
  return true;
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

std::string tiling_line(const KnownTiling& tiling) {
  std::string made = "{\"device\":";
  made += quoted_text(tiling.device);
  made += ",\"architecture\":";
  made += quoted_text(tiling.architecture);
  made += ",\"schedule\":";
  made += quoted_text(schedule_name(tiling.schedule));
  made += ",\"numbers\":{";
  bool is_first = true;
  for (const auto& [name, value] : tiling.numbers) {
    if (!is_first) made += ',';
    made += quoted_text(name);
    made += ':';
    made += std::to_string(value);
    is_first = false;
  }
  return made + "}}";
}

std::optional<KnownTiling> tiling_of_line(std::string_view line) {
  TilingLineReader reader(line);
  KnownTiling made;
  bool has_schedule = false;
  const bool is_read = reader.object([&](const std::string& name) {
    if (name == "numbers")
      return reader.object([&](const std::string& number) {
        const auto value = reader.number();
        if (value) made.numbers.insert_or_assign(number, *value);
        return value.has_value();
      });
    const auto value = reader.text();
    if (!value) return false;
    if (name == "device") made.device = *value;
    if (name == "architecture") made.architecture = *value;
    for (const Schedule each : {Schedule::wide, Schedule::narrow})
      if (name == "schedule" && *value == schedule_name(each)) {
        made.schedule = each;
        has_schedule = true;
      }
    return true;
  });
  if (!is_read || !reader.is_over() || !has_schedule) return {};
  return made;
}

codegen::Tiling tiling_from(std::string_view lines, const std::string& device,
                            const std::string& architecture, codegen::Tiling tiling) {
  std::optional<codegen::Tiling> by_name, by_architecture;
  unsigned least_age = std::numeric_limits<unsigned>::max();
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const auto known = tiling_of_line(line);
    if (!known || known->schedule != tiling.schedule) continue;
    codegen::Tiling made = tiling;
    if (!put_numbers(made, known->numbers)) continue;
    if (!known->device.empty() && known->device == device) by_name = made;
    if (!known->device.empty()) continue;
    const auto age = device::architecture_age(known->architecture, architecture);
    if (!age || *age > least_age) continue;
    least_age = *age;
    by_architecture = made;
  }
  return by_name ? *by_name : by_architecture.value_or(tiling);
}

codegen::Tiling carried_tiling(const std::string& device, const std::string& architecture,
                               codegen::Tiling tiling) {
  for (const EmbeddedFile& each : shipped_tilings::embedded_files)
    tiling = tiling_from(each.text, device, architecture, tiling);
  return tiling;
}

std::filesystem::path tilings_file() {
  const std::filesystem::path folder = user_cache_folder();
  return folder.empty() ? folder : folder / "tilings.jsonl";
}

codegen::Tiling known_tiling(const device::Device& device, Schedule schedule,
                             const std::filesystem::path& file) {
  const codegen::Tiling before = default_tiling(device.info().limits, schedule);
  const device::DeviceIdentity identity = device::identity_of(device);
  const auto if_room = [&](const codegen::Tiling& made, const codegen::Tiling& otherwise) {
    return has_room(device.info().limits, made) ? made : otherwise;
  };
  const codegen::Tiling carried =
      if_room(carried_tiling(identity.name, identity.architecture, before), before);
  return if_room(tiling_from(content_of(file), identity.name, identity.architecture, carried),
                 carried);
}

}  // namespace treadle::kernel
