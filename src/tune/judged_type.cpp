// SPDX-License-Identifier: MIT
#include "tune/judged_type.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

#include "treadle/base/c_declaration.hpp"
#include "tune/numbers.hpp"

namespace treadle::tune {
namespace {

using Words = std::vector<std::string>;

std::size_t rounded_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// "float4", "uchar16", "half2".
std::optional<JudgedType> vector_type(const std::string& name, bool is_opencl) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  if (digits == 0 || digits == name.size() || name.size() - digits > 2) return std::nullopt;
  const std::string base = name.substr(0, digits);
  const auto lanes = static_cast<std::size_t>(std::atoi(name.c_str() + digits));
  const bool is_known =
      lanes == 2 || lanes == 3 || lanes == 4 || (is_opencl && (lanes == 8 || lanes == 16));
  const auto dtype = base == "longlong"    ? Scalar::int64
                     : base == "ulonglong" ? Scalar::uint64
                                           : c_scalar(base);
  if (!is_known || !dtype) return std::nullopt;
  const std::size_t size = DType(*dtype).size_bytes();
  JudgedType made{.dtype = *dtype, .is_vector = true};
  for (std::size_t k = 0; k < lanes; ++k)
    made.parts.push_back(
        {lanes <= 4 ? std::string(1, "xyzw"[k]) : "s" + std::to_string(k), *dtype, k * size});
  // Three are as large as four in OpenCL C, and aligned like one in CUDA C.
  const std::size_t places = is_opencl && lanes == 3 ? 4 : lanes;
  made.size_bytes = places * size;
  made.align = is_opencl    ? made.size_bytes
               : lanes == 3 ? size
                            : std::min<std::size_t>(made.size_bytes, 16);
  return made;
}

class Structures {
 public:
  Structures(const std::string& program, bool is_opencl)
      : words_(c_words(without_comments(program))),
        aliases_(scalar_aliases(program)),
        is_opencl_(is_opencl) {}

  std::optional<JudgedType> type(std::string name) {
    if (name.starts_with("struct ")) name.erase(0, 7);
    std::optional<Scalar> number = c_scalar(name);
    if (const auto found = aliases_.find(name); !number && found != aliases_.end())
      number = found->second;
    if (number) {
      const std::size_t size = DType(*number).size_bytes();
      const bool is_complex = DType(*number).kind() == ScalarKind::complex;
      return JudgedType{.dtype = *number,
                        .size_bytes = size,
                        .align = is_complex && is_opencl_ ? size / 2 : size};
    }
    if (auto vector = vector_type(name, is_opencl_)) return vector;
    return ++depth_ > most_depth ? std::nullopt : structure(name);
  }

 private:
  static constexpr int most_depth = 32;  // of members; a circle is no structure

  bool is_at(std::size_t k, const char* word) const {
    return k < words_.size() && words_[k] == word;
  }
  std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t k = open; k < words_.size(); ++k) {
      depth += words_[k] == "{" ? 1 : words_[k] == "}" ? -1 : 0;
      if (depth == 0) return k;
    }
    return words_.size();
  }

  /// `struct __align__(16) name { ... };` or `typedef struct { ... } name;`
  std::optional<JudgedType> structure(const std::string& name) {
    for (std::size_t k = 0; k < words_.size(); ++k) {
      if (words_[k] != "struct") continue;
      std::size_t align = 1, open = k + 1;
      std::string tag;
      for (; open < words_.size() && words_[open] != "{" && words_[open] != ";"; ++open) {
        if (std::isdigit(static_cast<unsigned char>(words_[open][0])))
          align = static_cast<std::size_t>(std::atoi(words_[open].c_str()));
        else if (is_c_name(words_[open]) && words_[open] != "alignas" &&
                 !words_[open].starts_with("__"))
          tag = words_[open];
      }
      if (!is_at(open, "{")) continue;
      const std::size_t close = closing(open);
      if (tag == name || (close + 1 < words_.size() && words_[close + 1] == name))
        return with_members({words_.begin() + static_cast<std::ptrdiff_t>(open) + 1,
                             words_.begin() + static_cast<std::ptrdiff_t>(close)},
                            align);
    }
    return std::nullopt;
  }

  std::optional<JudgedType> with_members(const Words& words, std::size_t align) {
    JudgedType made{.align = align};
    for (std::size_t begin = 0; begin < words.size();) {
      std::size_t end = begin;
      while (end < words.size() && words[end] != ";") ++end;
      const Words member(words.begin() + static_cast<std::ptrdiff_t>(begin),
                         words.begin() + static_cast<std::ptrdiff_t>(end));
      if (!member.empty() && !add(made, member)) return std::nullopt;
      begin = end + 1;
    }
    if (made.parts.empty()) return std::nullopt;
    made.size_bytes = rounded_up(made.size_bytes, made.align);
    const auto real = std::ranges::find_if(
        made.parts, [](const JudgedPart& part) { return default_tolerance(part.dtype) > 0; });
    made.dtype = real == made.parts.end() ? made.parts.front().dtype : real->dtype;
    return made;
  }

  /// `unsigned int a, b[3]`, without its semicolon.
  bool add(JudgedType& made, const Words& member) {
    const auto behind = std::ranges::find_if(
        member, [](const std::string& word) { return word == "," || word == "["; });
    if (behind - member.begin() < 2) return false;
    const auto names = static_cast<std::size_t>(behind - member.begin()) - 1;
    std::string type_name;
    for (std::size_t k = 0; k < names; ++k)
      if (member[k] != "const") type_name += (type_name.empty() ? "" : " ") + member[k];
    const auto type = this->type(type_name);
    if (!type || DType(type->dtype).kind() == ScalarKind::complex) return false;
    for (std::size_t k = names; k < member.size();) {
      const std::string& name = member[k++];
      std::size_t count = 1;
      const bool is_array = k + 2 < member.size() && member[k] == "[" && member[k + 2] == "]";
      if (is_array) count = static_cast<std::size_t>(std::atoi(member[k + 1].c_str())), k += 3;
      if (!is_c_name(name) || count == 0 || (k < member.size() && member[k] != ",")) return false;
      ++k;
      made.align = std::max(made.align, type->align);
      made.size_bytes = rounded_up(made.size_bytes, type->align);
      for (std::size_t number = 0; number < count; ++number) {
        const std::string one = is_array ? name + std::to_string(number) : name;
        if (type->parts.empty()) made.parts.push_back({one, type->dtype, made.size_bytes});
        for (const JudgedPart& part : type->parts)
          made.parts.push_back({one + "." + part.name, part.dtype, made.size_bytes + part.offset});
        made.size_bytes += type->size_bytes;
      }
    }
    return true;
  }

  const Words words_;
  const ScalarAliases aliases_;
  const bool is_opencl_;
  int depth_ = 0;
};

}  // namespace

std::optional<JudgedType> judged_type(const std::string& name, const std::string& program,
                                      bool is_opencl) {
  return Structures(program, is_opencl).type(name);
}

std::vector<double> numbers_of(const JudgedArray& array, std::span<const std::byte> bytes) {
  if (array.parts.empty()) return numbers_in(bytes, array.dtype);
  std::vector<double> made;
  for (std::size_t at = 0; at < bytes.size(); at += array.element_bytes)
    for (const JudgedPart& part : array.parts)
      made.push_back(
          numbers_in(bytes.subspan(at + part.offset, DType(part.dtype).size_bytes()), part.dtype)
              .front());
  return made;
}

std::vector<std::byte> elements_of(const JudgedType& type, std::span<const double> numbers) {
  if (type.parts.empty()) return bytes_of(numbers, type.dtype);
  std::vector<std::byte> made(numbers.size() / type.parts.size() * type.size_bytes);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const JudgedPart& part = type.parts[k % type.parts.size()];
    std::ranges::copy(bytes_of(numbers.subspan(k, 1), part.dtype),
                      made.begin() + static_cast<std::ptrdiff_t>(
                                         k / type.parts.size() * type.size_bytes + part.offset));
  }
  return made;
}

}  // namespace treadle::tune
