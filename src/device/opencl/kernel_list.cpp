// SPDX-License-Identifier: MIT
#include "device/opencl/kernel_list.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "treadle/base/error.hpp"

namespace treadle::device {
namespace {

// Text, one fact a line, so that `treadle cache` can show it and nothing needs to be aligned:
//   treadle kernels 1
//   kernel <name>
//   parameter <kind> <size> <name> <type, which may hold blanks>     "-" stands for no name
//   binary
// The binary follows the last line's end.
constexpr std::string_view first_line = "treadle kernels 1\n", last_line = "binary";

[[noreturn]] void raise_damaged(std::string_view line) {
  throw InvalidArgument("the list of kernels before a binary is damaged at \"" +
                        std::string(line.substr(0, 60)) + "\"");
}

std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) raise_damaged(text);
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

std::string_view next_word(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return word;
}

std::size_t next_number(std::string_view& line) {
  const std::string_view word = next_word(line);
  std::size_t number = 0;
  const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (failure != std::errc{} || end != word.data() + word.size()) raise_damaged(word);
  return number;
}

Parameter read_parameter(std::string_view line) {
  const std::size_t kind = next_number(line);
  if (kind > static_cast<std::size_t>(ParameterKind::structure)) raise_damaged(line);
  const std::size_t size_bytes = next_number(line);
  const std::string_view name = next_word(line);
  return {.name = std::string(name == "-" ? "" : name),
          .type = std::string(line),
          .kind = static_cast<ParameterKind>(kind),
          .size_bytes = size_bytes};
}

}  // namespace

std::vector<std::byte> with_kernel_list(const KernelList& kernels,
                                        std::span<const std::byte> binary) {
  std::string text(first_line);
  for (const auto& [name, parameters] : kernels) {
    text += "kernel " + name + "\n";
    for (const Parameter& p : parameters)
      text += "parameter " + std::to_string(static_cast<int>(p.kind)) + " " +
              std::to_string(p.size_bytes) + " " + (p.name.empty() ? "-" : p.name) + " " + p.type +
              "\n";
  }
  text.append(last_line) += '\n';
  const auto head = std::as_bytes(std::span(text));
  std::vector<std::byte> all(head.begin(), head.end());
  all.insert(all.end(), binary.begin(), binary.end());
  return all;
}

ListedBinary split_kernel_list(std::span<const std::byte> image) {
  std::string_view text(reinterpret_cast<const char*>(image.data()), image.size());
  ListedBinary listed{.kernels = {}, .binary = image};
  if (!text.starts_with(first_line)) return listed;
  text.remove_prefix(first_line.size());
  std::vector<Parameter>* parameters = nullptr;
  for (std::string_view line = next_line(text); line != last_line; line = next_line(text)) {
    const std::string_view word = next_word(line);
    if (word == "kernel") {
      parameters = &listed.kernels[std::string(line)];
    } else if (word == "parameter" && parameters != nullptr) {
      parameters->push_back(read_parameter(line));
    } else {
      raise_damaged(word);
    }
  }
  listed.binary = image.last(text.size());
  return listed;
}

}  // namespace treadle::device
