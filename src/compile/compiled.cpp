// SPDX-License-Identifier: MIT
#include "compile/compiled.hpp"

#include <cstring>

#include "compile/framing.hpp"

namespace treadle::compile {

std::string pack_payload(const ModuleImage& image, std::string_view log) {
  FieldWriter out;
  out.reserve(image.code.size() + log.size() + 256);
  out.text({reinterpret_cast<const char*>(image.code.data()), image.code.size()});
  out.number(image.lowered_names.size());
  for (const auto& [name, symbol] : image.lowered_names) {
    out.text(name);
    out.text(symbol);
  }
  out.text(log);
  return std::move(out).bytes();
}

bool unpack_payload(std::string_view payload, ModuleImage& image, std::string& log) {
  FieldReader in(payload);
  const std::string_view code = in.text();
  const auto* first = reinterpret_cast<const std::byte*>(code.data());
  image.code.assign(first, first + code.size());
  for (std::uint64_t left = in.count(16); left > 0; --left) {
    const std::string_view name = in.text();
    image.lowered_names.emplace(name, in.text());
  }
  log = in.text();
  return in.finished();
}

}  // namespace treadle::compile
