// SPDX-License-Identifier: MIT
#include "treadle/base/sobol.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <string_view>

#include "treadle/base/embedded.hpp"
#include "treadle/base/random.hpp"

namespace treadle {
namespace sobol_numbers {
extern const std::span<const EmbeddedFile> embedded_files;  // kernels/sobol
}
namespace {

/// The table of tools/sobol_numbers.py, row by row.
class NumberReader {
 public:
  NumberReader() : text_(file()), at_(8 * (sobol_dimensions - 1)) {}

  /// Of the next dimension, from 1 on: the polynomial, with its highest and its lowest term.
  std::uint32_t next_polynomial() {
    polynomial_ += 2 * static_cast<std::uint32_t>(byte(row_++));
    return polynomial_;
  }
  /// Its next number, m[i].
  std::uint32_t next_number(unsigned i) {
    std::uint32_t bits = 0;
    for (unsigned bit = 0; bit < i; ++bit, ++at_) bits |= (byte(at_ / 8) >> at_ % 8 & 1u) << bit;
    return 2 * bits + 1;
  }

 private:
  static std::string_view file() {
    const auto found =
        std::ranges::find(sobol_numbers::embedded_files, "joe_kuo.bin", &EmbeddedFile::path);
    return found->text;
  }
  unsigned byte(std::size_t at) const { return static_cast<unsigned char>(text_[at]); }

  std::string_view text_;
  std::size_t row_ = 0, at_;
  std::uint32_t polynomial_ = 1;
};

template <class Word>
constexpr unsigned bits_of = std::numeric_limits<Word>::digits;

template <class Word>
void append_row(std::vector<Word>& vectors, NumberReader& reader) {
  const std::uint32_t polynomial = reader.next_polynomial();
  const auto degree = static_cast<unsigned>(std::bit_width(polynomial) - 1);
  Word* const v = &vectors[vectors.size() - bits_of<Word>];
  for (unsigned i = 0; i < degree; ++i)
    v[i] = static_cast<Word>(Word{reader.next_number(i)} << (bits_of<Word> - 1 - i));
  for (unsigned i = degree; i < bits_of<Word>; ++i) {
    v[i] = v[i - degree] ^ v[i - degree] >> degree;
    for (unsigned j = 1; j < degree; ++j)
      if ((polynomial >> (degree - j) & 1) != 0) v[i] ^= v[i - j];
  }
}

/// Words of Philox of a stream that no program reaches by jumps.
template <class Word>
class WordSource {
 public:
  WordSource(std::uint64_t seed, std::uint64_t dimension)
      : state_{
            .seed = seed, .stream = std::uint64_t{0x536f626f} << 32, .position = dimension << 16} {}
  Word next() {
    const RandomWords words = state_.words(taken_++);
    return static_cast<Word>(std::uint64_t{words[1]} << 32 | words[0]);
  }

 private:
  RandomState state_;
  std::uint64_t taken_ = 0;
};

}  // namespace

template <class Word>
std::vector<Word> sobol_vectors(std::size_t dimensions) {
  constexpr unsigned bits = bits_of<Word>;
  std::vector<Word> vectors;
  vectors.reserve(dimensions * bits);
  NumberReader reader;
  for (std::size_t d = 0; d < std::min(dimensions, sobol_dimensions); ++d) {
    vectors.resize(vectors.size() + bits);
    if (d != 0) {
      append_row(vectors, reader);
      continue;
    }
    for (unsigned i = 0; i < bits; ++i) vectors[i] = Word{1} << (bits - 1 - i);
  }
  for (std::size_t i = vectors.size(); i < dimensions * bits; ++i)
    vectors.push_back(vectors[i - sobol_dimensions * bits]);
  return vectors;
}

template <class Word>
std::vector<Word> scrambled_sobol_vectors(std::size_t dimensions, std::uint64_t seed) {
  constexpr unsigned bits = bits_of<Word>;
  std::vector<Word> vectors = sobol_vectors<Word>(dimensions);
  std::vector<Word> rows(bits);
  for (std::size_t d = 0; d < dimensions; ++d) {
    WordSource<Word> source(seed, d);
    // Row i makes bit i, counted from the highest, of itself and of the bits above it.
    for (unsigned i = 0; i < bits; ++i) {
      const Word own = Word{1} << (bits - 1 - i), above = i == 0 ? Word{0} : Word(~(own - 1) - own);
      rows[i] = (source.next() & above) | own;
    }
    for (Word& vector : std::span(vectors).subspan(d * bits, bits)) {
      Word product = 0;
      for (unsigned i = 0; i < bits; ++i)
        product |= static_cast<Word>(std::popcount(static_cast<Word>(vector & rows[i])) & 1)
                   << (bits - 1 - i);
      vector = product;
    }
  }
  return vectors;
}

template <class Word>
std::vector<Word> sobol_shifts(std::size_t dimensions, std::uint64_t seed) {
  std::vector<Word> shifts(dimensions);
  for (std::size_t d = 0; d < dimensions; ++d)
    shifts[d] = WordSource<Word>(seed ^ 0x7368696674, d).next();
  return shifts;
}

template std::vector<std::uint32_t> sobol_vectors(std::size_t);
template std::vector<std::uint64_t> sobol_vectors(std::size_t);
template std::vector<std::uint32_t> scrambled_sobol_vectors(std::size_t, std::uint64_t);
template std::vector<std::uint64_t> scrambled_sobol_vectors(std::size_t, std::uint64_t);
template std::vector<std::uint32_t> sobol_shifts(std::size_t, std::uint64_t);
template std::vector<std::uint64_t> sobol_shifts(std::size_t, std::uint64_t);

}  // namespace treadle
