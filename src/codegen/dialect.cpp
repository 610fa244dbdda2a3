// SPDX-License-Identifier: MIT
#include "treadle/codegen/dialect.hpp"

#include <algorithm>
#include <iterator>

#include "treadle/base/error.hpp"
#include "treadle/codegen/dialect_header.hpp"
#include "words.hpp"

namespace treadle::codegen {
namespace {

// CUDA C on some systems has a `long` of 32 bits, so generated text uses `long long`. On the
// systems that Treadle supports, `long` has 64 bits in both languages.
constexpr TypeName cuda_names[] = {
    {"bool", Scalar::boolean},
    {"signed char", Scalar::int8},
    {"char", Scalar::int8},
    {"int8_t", Scalar::int8},
    {"unsigned char", Scalar::uint8},
    {"uchar", Scalar::uint8},
    {"uint8_t", Scalar::uint8},
    {"short", Scalar::int16},
    {"int16_t", Scalar::int16},
    {"unsigned short", Scalar::uint16},
    {"ushort", Scalar::uint16},
    {"uint16_t", Scalar::uint16},
    {"int", Scalar::int32},
    {"int32_t", Scalar::int32},
    {"unsigned int", Scalar::uint32},
    {"uint", Scalar::uint32},
    {"uint32_t", Scalar::uint32},
    {"long long", Scalar::int64},
    {"long", Scalar::int64},
    {"int64_t", Scalar::int64},
    {"ptrdiff_t", Scalar::int64},
    {"unsigned long long", Scalar::uint64},
    {"unsigned long", Scalar::uint64},
    {"ulong", Scalar::uint64},
    {"uint64_t", Scalar::uint64},
    {"size_t", Scalar::uint64},
    {"__half", Scalar::float16},
    {"half", Scalar::float16},
    {"float", Scalar::float32},
    {"double", Scalar::float64},
};

// bool and size_t are missing because OpenCL C forbids them as kernel arguments.
constexpr TypeName opencl_names[] = {
    {"char", Scalar::int8},
    {"signed char", Scalar::int8},
    {"uchar", Scalar::uint8},
    {"unsigned char", Scalar::uint8},
    {"short", Scalar::int16},
    {"ushort", Scalar::uint16},
    {"unsigned short", Scalar::uint16},
    {"int", Scalar::int32},
    {"uint", Scalar::uint32},
    {"unsigned int", Scalar::uint32},
    {"long", Scalar::int64},
    {"ulong", Scalar::uint64},
    {"unsigned long", Scalar::uint64},
    {"half", Scalar::float16},
    {"float", Scalar::float32},
    {"double", Scalar::float64},
};

constexpr TypeName cuda_vector_names[] = {
    {"char", Scalar::int8},      {"uchar", Scalar::uint8},      {"short", Scalar::int16},
    {"ushort", Scalar::uint16},  {"int", Scalar::int32},        {"uint", Scalar::uint32},
    {"longlong", Scalar::int64}, {"ulonglong", Scalar::uint64}, {"float", Scalar::float32},
    {"double", Scalar::float64},
};

/// Properties that the language's header does not state in the form that generators need.
struct Table {
  Language language;
  std::string_view group_id, local_id, group_count, local_size;
  std::string_view shuffle_down, shuffle_up, ballot, sub_group_barrier, atomic_add, add_word,
      word_preamble;
  bool fences_are_of_device;
  std::string_view high_product, aligned;
  bool has_addresses;
  std::span<const TypeName> type_names, vector_names;
  std::string_view exact_preamble, exact_flag, exact_division_flag;
  bool brings_math, moves_pairs_by_function;
};

constexpr Table tables[] = {
    {.language = Language::cuda_c,
     .group_id = "blockIdx.x",
     .local_id = "threadIdx.x",
     .group_count = "gridDim.x",
     .local_size = "blockDim.x",
     .shuffle_down = "__shfl_down_sync(0xffffffffu, {0}, {1})",
     .shuffle_up = "__shfl_up_sync(0xffffffffu, {0}, {1})",
     .ballot = "__ballot_sync(0xffffffffu, {0})",
     .sub_group_barrier = "__syncwarp()",
     .atomic_add = "atomicAdd",
     .add_word = "atomicAdd",
     .word_preamble = "",
     .fences_are_of_device = true,
     .high_product = "__umulhi",
     .aligned = "__align__({0})",
     .has_addresses = true,
     .type_names = cuda_names,
     .vector_names = cuda_vector_names,
     .exact_preamble = "",
     .exact_flag = "--fmad=false",
     .exact_division_flag = "",
     .brings_math = false,
     .moves_pairs_by_function = false},
    {.language = Language::opencl_c,
     .group_id = "(uint)get_group_id(0)",
     .local_id = "(uint)get_local_id(0)",
     .group_count = "(uint)get_num_groups(0)",
     .local_size = "(uint)get_local_size(0)",
     .shuffle_down = "",
     .shuffle_up = "",
     .ballot = "",
     .sub_group_barrier = "",
     .atomic_add = "atomic_add",
     .add_word = "atom_add",
     .word_preamble = "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n",
     .fences_are_of_device = false,
     .high_product = "mul_hi",
     .aligned = "__attribute__((aligned({0})))",
     .has_addresses = false,
     .type_names = opencl_names,
     .vector_names = opencl_names,
     .exact_preamble = "#pragma OPENCL FP_CONTRACT OFF\n",
     .exact_flag = "",
     .exact_division_flag = "-cl-fp32-correctly-rounded-divide-sqrt",
     .brings_math = true,
     .moves_pairs_by_function = true},
};

std::string before_a_word(std::string text) { return text.empty() ? text : text + " "; }

Dialect read(const Table& table) {
  const std::string_view header = dialect_header(table.language);
  const std::vector<Word> words = read_words(header);
  const auto of = [&](std::string_view name) {
    const Word* word = find_word(words, name);
    if (word != nullptr) return word->text;
    throw InvalidState("treadle/dialect.h does not define " + std::string(name) + " for " +
                           std::string(language_name(table.language)),
                       "define it there, in a line");
  };
  Dialect dialect{.function = of("TREADLE_FUNCTION"),
                  .always_inline = of("TREADLE_ALWAYS_INLINE"),
                  .global = before_a_word(of("TREADLE_GLOBAL")),
                  .restrict = of("TREADLE_RESTRICT"),
                  .barrier = of("treadle_barrier"),
                  .fence = of("treadle_fence"),
                  .group_id = std::string(table.group_id),
                  .local_id = std::string(table.local_id),
                  .group_count = std::string(table.group_count),
                  .local_size = std::string(table.local_size),
                  .shuffle_down = std::string(table.shuffle_down),
                  .shuffle_up = std::string(table.shuffle_up),
                  .ballot = std::string(table.ballot),
                  .sub_group_barrier = std::string(table.sub_group_barrier),
                  .population = of("treadle_popcount"),
                  .atomic_add = std::string(table.atomic_add),
                  .load_word = of("treadle_load_uint64"),
                  .store_word = of("treadle_store_uint64"),
                  .load_uint = of("treadle_load_uint"),
                  .store_uint = of("treadle_store_uint"),
                  .add_word = std::string(table.add_word),
                  .word_preamble = std::string(table.word_preamble),
                  .fences_are_of_device = table.fences_are_of_device,
                  .high_product = std::string(table.high_product),
                  .aligned = std::string(table.aligned),
                  .has_addresses = table.has_addresses,
                  .type_names = table.type_names,
                  .vector_names = table.vector_names,
                  .words = words,
                  .header = header,
                  .exact_preamble = std::string(table.exact_preamble),
                  .exact_flags = {},
                  .exact_division_flag = std::string(table.exact_division_flag),
                  .brings_math = table.brings_math,
                  .moves_pairs_by_function = table.moves_pairs_by_function};
  if (!table.exact_flag.empty()) dialect.exact_flags.emplace_back(table.exact_flag);
  return dialect;
}

}  // namespace

const Dialect& dialect_of(Language language) {
  static const auto* const dialects = [] {
    auto* const all = new std::vector<Dialect>;
    for (const Table& table : tables) all->push_back(read(table));
    return all;
  }();
  return (*dialects)[static_cast<std::size_t>(
      std::ranges::find(tables, language, &Table::language) - std::begin(tables))];
}

std::string expand_words(std::string_view text, const Dialect& dialect) {
  return expand_words(text, dialect.words);
}

}  // namespace treadle::codegen
