// SPDX-License-Identifier: MIT
// Random numbers on the host: kernels/elements/random.h and distributions.h, compiled as C++. Host
// and devices share one text, so that their numbers are equal to the bit.
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "treadle/base/error.hpp"
#include "treadle/kernel/random.hpp"

namespace treadle::kernel {
namespace {

/// The types and the words of treadle/dialect.h that the text uses.
namespace text {

using UINT32 = std::uint32_t;
using UINT64 = std::uint64_t;
using INT32 = std::int32_t;
using INT64 = std::int64_t;
struct uint4 {
  UINT32 x, y, z, w;
};
struct float2 {
  float x, y;
};
struct double2 {
  double x, y;
};
constexpr uint4 treadle_make_uint4(UINT32 x, UINT32 y, UINT32 z, UINT32 w) { return {x, y, z, w}; }
constexpr float2 treadle_make_float2(float x, float y) { return {x, y}; }
constexpr double2 treadle_make_double2(double x, double y) { return {x, y}; }
constexpr UINT32 treadle_as_uint(float x) { return std::bit_cast<UINT32>(x); }
constexpr float treadle_as_float(UINT32 x) { return std::bit_cast<float>(x); }
constexpr UINT64 treadle_as_uint64(double x) { return std::bit_cast<UINT64>(x); }
constexpr double treadle_as_double(UINT64 x) { return std::bit_cast<double>(x); }
using std::fabs;
using std::floor;
using std::fma;
using std::sqrt;

#define TREADLE_FUNCTION [[maybe_unused]] inline
#define TREADLE_ALWAYS_INLINE
#define treadle_uint64_literal(number) number##ULL
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wfloat-equal"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#include "../../kernels/elements/random.h"
// distributions.h uses the functions above.
#include "../../kernels/elements/distributions.h"
#pragma GCC diagnostic pop
#undef TREADLE_FUNCTION
#undef TREADLE_ALWAYS_INLINE
#undef treadle_uint64_literal

}  // namespace text

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// The random bits for number i of a block.
template <class T>
T word_of(const RandomWords& words, std::size_t i) {
  if constexpr (sizeof(T) == 4)
    return words[i];
  else
    return T{words[2 * i + 1]} << 32 | words[2 * i];
}

template <class T>
T value_of(const RandomDraw& draw, std::size_t i) {
  T value;
  std::memcpy(&value, &draw.values()[i].bits, sizeof(T));
  return value;
}

template <class T>
T uniform_of(const RandomDraw& draw, Bits<T> word) {
  const auto shift = value_of<std::uint32_t>(draw, 4);
  const T low = value_of<T>(draw, 0), width = value_of<T>(draw, 1);
  if constexpr (sizeof(T) == 4)
    return text::treadle_between_float32(low + width * text::treadle_unit_float32(word, shift),
                                         value_of<T>(draw, 2), value_of<T>(draw, 3));
  else
    return text::treadle_between_float64(low + width * text::treadle_unit_float64(word, shift),
                                         value_of<T>(draw, 2), value_of<T>(draw, 3));
}

template <class T>
std::array<T, 2> normal_pair(Bits<T> a, Bits<T> b) {
  if constexpr (sizeof(T) == 4)
    return std::bit_cast<std::array<T, 2>>(text::treadle_normal_pair_float32(a, b));
  else
    return std::bit_cast<std::array<T, 2>>(text::treadle_normal_pair_float64(a, b));
}

/// The numbers of a block.
template <class T>
std::array<T, 16 / sizeof(T)> floats_of(const RandomWords& words, const RandomDraw& draw) {
  std::array<T, 16 / sizeof(T)> numbers;
  if (draw.kind() == RandomKind::normal) {
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
      const auto pair = normal_pair<T>(word_of<Bits<T>>(words, i), word_of<Bits<T>>(words, i + 1));
      for (std::size_t k = 0; k < 2; ++k)
        numbers[i + k] = value_of<T>(draw, 0) + value_of<T>(draw, 1) * pair[k];
    }
    return numbers;
  }
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = uniform_of<T>(draw, word_of<Bits<T>>(words, i));
  return numbers;
}

template <class T>
std::array<T, 16 / sizeof(T)> words_of(const RandomWords& words) {
  return std::bit_cast<std::array<T, 16 / sizeof(T)>>(words);
}
template <class T>
std::array<T, 2> integers_of(const RandomWords& words, const RandomDraw& draw) {
  std::array<T, 2> numbers;
  for (std::size_t i = 0; i < 2; ++i)
    numbers[i] = static_cast<T>(
        draw.values()[0].bits +
        text::treadle_random_below(word_of<std::uint64_t>(words, i), draw.values()[1].bits));
  return numbers;
}

using Parameters = std::array<double, 3>;

/// Calls a distribution's function with the number of parameters that it takes.
double call(double (*function)(std::uint64_t*), std::uint64_t* own, const Parameters&) {
  return function(own);
}
double call(double (*function)(std::uint64_t*, double), std::uint64_t* own, const Parameters& p) {
  return function(own, p[0]);
}
double call(double (*function)(std::uint64_t*, double, double), std::uint64_t* own,
            const Parameters& p) {
  return function(own, p[0], p[1]);
}
double call(double (*function)(std::uint64_t*, double, double, double), std::uint64_t* own,
            const Parameters& p) {
  return function(own, p[0], p[1], p[2]);
}

/// The number for the next block of the state, for kinds that draw from a sub-stream.
double sub_stream_number(RandomKind kind, const RandomState& state, const Parameters& parameters) {
  std::uint64_t own[6] = {state.position,
                          state.stream << 32,
                          text::treadle_poisson_key(state.stream, state.seed),
                          0,
                          0,
                          state.generator == RandomGenerator::philox ? 0u : 1u};
  switch (kind) {
#define TREADLE_DISTRIBUTION(name, ...) \
  case RandomKind::name:                \
    return call(text::treadle_random_##name, own, parameters);
#include "treadle/codegen/distributions.def"
#undef TREADLE_DISTRIBUTION
    default:
      return text::treadle_next_poisson(own, text::treadle_poisson_mean(parameters[0]));
  }
}

/// Converts a count; a count beyond the dtype becomes its largest number.
template <class T>
T stored(double number) {
  if constexpr (std::is_integral_v<T>) {
    if (number >= static_cast<double>(std::numeric_limits<T>::max())) {
      constexpr int lost = std::numeric_limits<T>::digits - std::numeric_limits<double>::digits;
      constexpr T largest = std::numeric_limits<T>::max();
      if constexpr (lost > 0) return largest >> lost << lost;
      return largest;
    }
  }
  return static_cast<T>(number);
}

template <class T>
void fill_from_sub_streams(std::span<std::byte> destination, const RandomDraw& draw,
                           RandomState& state) {
  const std::size_t parameters = codegen::parameters_of(draw.kind()).size();
  const bool are_given = !draw.of_elements() && draw.kind() != RandomKind::poisson_of_elements;
  const std::size_t count = destination.size() / sizeof(T) / (draw.of_elements() ? parameters : 1);
  const auto element = [&](std::size_t i) { return destination.data() + i * sizeof(T); };
  for (std::size_t i = 0; i < count; ++i) {
    Parameters values = {};
    for (std::size_t k = 0; k < std::max<std::size_t>(parameters, 1); ++k) {
      if (are_given) {
        if (k < draw.values().size()) values[k] = value_of<double>(draw, k);
        continue;
      }
      T given;
      std::memcpy(&given, element(k * count + i), sizeof(T));
      values[k] = static_cast<double>(given);
    }
    const T number = stored<T>(sub_stream_number(draw.kind(), state, values));
    std::memcpy(element(i), &number, sizeof(T));
    state.advance(1);
  }
}

void fill_from_sub_streams_of(std::span<std::byte> destination, const RandomDraw& draw,
                              RandomState& state) {
  switch (draw.dtype()) {
    case Scalar::int32:
      return fill_from_sub_streams<std::int32_t>(destination, draw, state);
    case Scalar::uint32:
      return fill_from_sub_streams<std::uint32_t>(destination, draw, state);
    case Scalar::int64:
      return fill_from_sub_streams<std::int64_t>(destination, draw, state);
    case Scalar::uint64:
      return fill_from_sub_streams<std::uint64_t>(destination, draw, state);
    case Scalar::float32:
      return fill_from_sub_streams<float>(destination, draw, state);
    default:
      return fill_from_sub_streams<double>(destination, draw, state);
  }
}

/// Fills the memory block by block; of the last block only as many numbers as there is room for.
template <class MakeBlock>
void fill(std::span<std::byte> destination, RandomState& state, MakeBlock make_block) {
  while (!destination.empty()) {
    const auto numbers = make_block(state.words());
    const std::size_t size = std::min(sizeof(numbers), destination.size());
    std::memcpy(destination.data(), numbers.data(), size);
    destination = destination.subspan(size);
    state.advance(1);
  }
}

template <class T>
void fill_integers(std::span<std::byte> destination, const RandomDraw& draw, RandomState& state) {
  fill(destination, state, [&](const RandomWords& words) { return integers_of<T>(words, draw); });
}

}  // namespace

void draw_on_host(std::span<std::byte> destination, const RandomDraw& draw, RandomState& state) {
  const std::size_t size_bytes = DType(draw.dtype()).size_bytes();
  switch (draw.kind()) {
    case RandomKind::words:
      return fill(destination, state, words_of<std::uint32_t>);
    case RandomKind::integers:
      switch (size_bytes) {
        case 1:
          return fill_integers<std::uint8_t>(destination, draw, state);
        case 2:
          return fill_integers<std::uint16_t>(destination, draw, state);
        case 4:
          return fill_integers<std::uint32_t>(destination, draw, state);
        default:
          return fill_integers<std::uint64_t>(destination, draw, state);
      }
    case RandomKind::uniform:
    case RandomKind::normal:
      if (size_bytes == 4)
        return fill(destination, state,
                    [&](const auto& words) { return floats_of<float>(words, draw); });
      return fill(destination, state,
                  [&](const auto& words) { return floats_of<double>(words, draw); });
    default:
      return fill_from_sub_streams_of(destination, draw, state);
  }
}

}  // namespace treadle::kernel
