// SPDX-License-Identifier: MIT
// The numbers of kernels/elements/random.h, made on the host by the same steps.
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "treadle/base/error.hpp"
#include "treadle/kernel/random.hpp"

namespace treadle::kernel {
namespace {

template <class T>
using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// The random bits that number i of a block is made of.
template <class T>
T word_of(const RandomWords& words, std::size_t i) {
  if constexpr (sizeof(T) == 4)
    return words[i];
  else
    return T{words[2 * i + 1]} << 32 | words[2 * i];
}

/// c[0] x^(n-1) + ... + c[n-1].
template <class T, std::size_t n>
T polynomial(T x, const T (&c)[n]) {
  T sum = c[0];
  for (std::size_t i = 1; i < n; ++i) sum = std::fma(sum, x, c[i]);
  return sum;
}

/// What the two precisions have for constants.
template <class T>
struct Constants;
template <>
struct Constants<float> {
  static constexpr std::uint32_t root_half = 0x3f3504f3;  // the bits of sqrt(1/2)
  static constexpr int digits = 23, dropped = 0;          // of a mantissa; of a random word
  static constexpr float unit = 0x1p-32f, quarter_turn = 0x1p-30f;
  static constexpr float log2_high = 0.693145751953125f, log2_low = 1.4286068e-06f;
  static constexpr float half_pi = 1.5707964f;
  static constexpr float log[] = {-7.621748e-02f,  1.2904403e-01f,  -1.3242984e-01f,
                                  1.418183e-01f,   -1.6609083e-01f, 2.0001973e-01f,
                                  -2.5001583e-01f, 3.3333325e-01f,  -4.9999988e-01f};
  static constexpr float sine[] = {-4.601658e-03f, 7.968003e-02f, -6.459635e-01f, -4.879794e-08f};
  static constexpr float cosine[] = {9.0402167e-04f, -2.0860288e-02f, 2.5366923e-01f,
                                     -1.2337005e+00f, 1.0f};
};
template <>
struct Constants<double> {
  static constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;
  static constexpr int digits = 52, dropped = 11;
  static constexpr double unit = 0x1p-53, quarter_turn = 0x1p-62;
  static constexpr double log2_high = 0.6931471805598903, log2_low = 5.497923018708371e-14;
  static constexpr double half_pi = 1.5707963267948966;
  static constexpr double log[] = {
      -0.024230519367696556, 0.05698929964535715,   -0.06284863782993795,
      0.0541942207414229,    -0.053239169289083704, 0.05816186875987772,
      -0.06270108121971692,  0.06675430705084841,   -0.07141992660760374,
      0.07691687678465921,   -0.08333344557220318,  0.0909093500101546,
      -0.10000000502031998,  0.11111110466103366,   -0.12499999977302599,
      0.14285714294803242,   -0.16666666667007157,  0.19999999999936588,
      -0.24999999999998074,  0.33333333333333487,   -0.5};
  static constexpr double sine[] = {
      5.633720997352178e-08, -3.5986417543252964e-06, 0.00016044115029161283, -0.004681754132282412,
      0.07969262624603957,   -0.6459640975062443,     5.602982827823496e-17};
  static constexpr double cosine[] = {-6.321892442168645e-09,  4.7106156576100235e-07,
                                      -2.5202036991531613e-05, 0.0009192602742250323,
                                      -0.020863480763315442,   0.2536695079010469,
                                      -1.2337005501361697,     1.0};
};

template <class T>
T logarithm(T x) {
  using C = Constants<T>;
  using Signed = std::make_signed_t<Bits<T>>;
  const Bits<T> bits = std::bit_cast<Bits<T>>(x) - C::root_half;
  const T e = static_cast<T>(static_cast<Signed>(bits) >> C::digits);
  const Bits<T> mantissa = bits & ((Bits<T>{1} << C::digits) - 1);
  const T f = std::bit_cast<T>(mantissa + C::root_half) - 1;
  const T p = std::fma(f * f, polynomial(f, C::log), f);
  return std::fma(e, C::log2_high, std::fma(e, C::log2_low, p));
}

/// Box and Muller's pair.
template <class T>
std::array<T, 2> normal_pair(Bits<T> a, Bits<T> b) {
  using C = Constants<T>;
  using Signed = std::make_signed_t<Bits<T>>;
  constexpr int last_quarter = 8 * static_cast<int>(sizeof(T)) - 2;
  const T u = std::fma(static_cast<T>(a >> C::dropped), C::unit, C::unit / 2);
  const T radius = std::sqrt(T{-2} * logarithm(u));
  const Bits<T> quarters = (b + (Bits<T>{1} << (last_quarter - 1))) >> last_quarter;
  const T y = static_cast<T>(static_cast<Signed>(b - (quarters << last_quarter))) * C::quarter_turn;
  const T sine = std::fma(y, C::half_pi, y * polynomial(y * y, C::sine));
  const T cosine = polynomial(y * y, C::cosine);
  const bool is_odd = quarters % 2 != 0;
  const T along = is_odd ? sine : cosine, across = is_odd ? cosine : sine;
  return {radius * (((quarters + 1) & 2) != 0 ? -along : along),
          radius * ((quarters & 2) != 0 ? -across : across)};
}

std::uint64_t upper_half(std::uint64_t word, std::uint64_t count) {
  if (count == 0) return word;
  const std::uint64_t low = word & 0xffffffff, high = word >> 32;
  const std::uint64_t count_low = count & 0xffffffff, count_high = count >> 32;
  const std::uint64_t middle = high * count_low + (low * count_low >> 32);
  const std::uint64_t carry = (low * count_high + (middle & 0xffffffff)) >> 32;
  return high * count_high + (middle >> 32) + carry;
}

template <class T>
T value_of(const RandomDraw& draw, std::size_t i) {
  T value;
  std::memcpy(&value, &draw.values()[i].bits, sizeof(T));
  return value;
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
  constexpr int dropped = sizeof(T) == 4 ? 8 : 11;
  constexpr T step = sizeof(T) == 4 ? T(0x1p-24) : T(0x1p-53);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Bits<T> taken =
        (word_of<Bits<T>>(words, i) >> dropped) + value_of<std::uint32_t>(draw, 4);
    const T number = value_of<T>(draw, 0) + value_of<T>(draw, 1) * (static_cast<T>(taken) * step);
    numbers[i] = std::max(value_of<T>(draw, 2), std::min(number, value_of<T>(draw, 3)));
  }
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
    numbers[i] = static_cast<T>(draw.values()[0].bits + upper_half(word_of<std::uint64_t>(words, i),
                                                                   draw.values()[1].bits));
  return numbers;
}

double log_factorial(double k) {
  const double x = k + 1;
  if (k < 10) {
    double product = 1;
    for (double j = 2; j <= k; ++j) product *= j;
    return logarithm(product);
  }
  const double y = 1 / (x * x);
  const double series =
      (0.08333333333333333 - (0.002777777777777778 - 0.0007936507936507937 * y) * y) / x;
  return std::fma(x - 0.5, logarithm(x), 0.9189385332046727 - x) + series;
}

/// Less than 0 where a number was rejected.
double poisson_rejection(const RandomWords& words, double mean) {
  const auto bits = [&](std::size_t i) {
    return static_cast<double>(word_of<std::uint64_t>(words, i) >> 11);
  };
  const double u = std::fma(bits(0), 0x1p-53, -0.49999999999999994);
  const double v = std::fma(bits(1), 0x1p-53, 0x1p-54);
  const double b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double edge = 0.5 - std::abs(u);
  const double k = std::floor((2 * a / edge + b) * u + mean + 0.43);
  if (edge >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
  if (k < 0 || (edge < 0.013 && v > edge)) return -1;
  const double hat = v * (1.1239 + 1.1328 / (b - 3.4)) / (a / (edge * edge) + b);
  return logarithm(hat) <= k * logarithm(mean) - mean - log_factorial(k) ? k : -1;
}

/// The number of the state's next block.
double poisson_number(const RandomState& state, double mean) {
  mean = std::max(0.0, std::min(mean, 0x1p30));  // of NaN 0
  RandomState own = state;
  own.seed = (state.seed ^ 0x506f6973736f6e2e) + (state.stream >> 32) * 0x9e3779b97f4a7c15;
  double time = 0, count = 0;
  for (std::uint32_t draw = 0;; ++draw) {
    own.stream = state.stream << 32 | draw;
    const RandomWords words = own.words();
    if (mean >= 10) {
      if (const double number = poisson_rejection(words, mean); number >= 0) return number;
      continue;
    }
    for (const std::uint32_t word : words) {
      time -= logarithm(std::fma(static_cast<double>(word), 0x1p-32, 0x1p-33));
      if (time > mean) return count;
      ++count;
    }
  }
}

template <class T>
void fill_poisson(std::span<std::byte> destination, const RandomDraw& draw, RandomState& state) {
  const bool is_given = draw.kind() == RandomKind::poisson;
  for (; destination.size() >= sizeof(T); destination = destination.subspan(sizeof(T))) {
    T element;
    std::memcpy(&element, destination.data(), sizeof(T));
    const double mean = is_given ? value_of<double>(draw, 0) : static_cast<double>(element);
    element = static_cast<T>(poisson_number(state, mean));
    std::memcpy(destination.data(), &element, sizeof(T));
    state.advance(1);
  }
}

void fill_poisson_of(std::span<std::byte> destination, const RandomDraw& draw, RandomState& state) {
  switch (draw.dtype()) {
    case Scalar::int32:
      return fill_poisson<std::int32_t>(destination, draw, state);
    case Scalar::uint32:
      return fill_poisson<std::uint32_t>(destination, draw, state);
    case Scalar::int64:
      return fill_poisson<std::int64_t>(destination, draw, state);
    case Scalar::uint64:
      return fill_poisson<std::uint64_t>(destination, draw, state);
    case Scalar::float32:
      return fill_poisson<float>(destination, draw, state);
    default:
      return fill_poisson<double>(destination, draw, state);
  }
}

/// Block after block, the last one as far as there is room.
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
    case RandomKind::poisson:
    case RandomKind::poisson_of_elements:
      return fill_poisson_of(destination, draw, state);
  }
}

}  // namespace treadle::kernel
