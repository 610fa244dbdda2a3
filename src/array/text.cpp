// SPDX-License-Identifier: MIT
// All elements of an array are printed in one form. A first pass finds how many characters the
// elements need before and behind the point; a second pass pads each element to that width.
#include "treadle/array/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <ostream>
#include <span>

#include "treadle/array/joining.hpp"
#include "treadle/base/half.hpp"
#include "treadle/base/number.hpp"

namespace treadle::array {
namespace {

/// A real number of one of the dtypes. The dtype decides how many digits identify the number.
struct Real {
  double value;
  Scalar scalar;
};

template <class T>
std::string digits_of(T value, std::chars_format form) {
  char digits[400];  // 1.8e308 has 309 digits before the point
  return {digits, std::to_chars(digits, digits + sizeof digits, value, form).ptr};
}

std::string shortest_text(const Real& x, std::chars_format form) {
  if (x.scalar == Scalar::float64) return digits_of(x.value, form);
  if (x.scalar != Scalar::float16) return digits_of(static_cast<float>(x.value), form);
  char digits[64];
  for (int places = 0; places < 5; ++places) {  // five significant digits identify any float16
    const auto scientific = std::to_chars(digits, digits + sizeof digits, x.value,
                                          std::chars_format::scientific, places);
    double rounded = 0;
    std::from_chars(digits, scientific.ptr, rounded);
    if (half_from(rounded) == half_from(x.value)) return digits_of(rounded, form);
  }
  return digits_of(x.value, form);
}

void strip_zeros(std::string& text) {
  if (text.find('.') == std::string::npos) text += '.';
  text.erase(text.find_last_not_of('0') + 1);
}

/// "1.25": the integer part, the point, and at most `precision` digits without trailing zeros.
std::string positional_text(const Real& x, int precision) {
  std::string text = shortest_text(x, std::chars_format::fixed);
  const auto point = text.find('.');
  if (point != std::string::npos && text.size() - point - 1 > static_cast<std::size_t>(precision)) {
    char digits[400];
    text.assign(digits, std::to_chars(digits, digits + sizeof digits, x.value,
                                      std::chars_format::fixed, precision)
                            .ptr);
  }
  strip_zeros(text);
  return text;
}

/// The mantissa as in positional_text(), and the exponent with its sign: {"1.25", "+05"}.
std::pair<std::string, std::string> scientific_parts(const Real& x, int precision) {
  std::string text = shortest_text(x, std::chars_format::scientific);
  if (text.find('e') > static_cast<std::size_t>(precision) + 2 + (text[0] == '-' ? 1 : 0)) {
    char digits[64];
    text.assign(digits, std::to_chars(digits, digits + sizeof digits, x.value,
                                      std::chars_format::scientific, precision)
                            .ptr);
  }
  const auto exponent = text.find('e');
  std::string mantissa = text.substr(0, exponent);
  strip_zeros(mantissa);
  return {mantissa, text.substr(exponent + 1)};
}

/// Prints real numbers in one form: padded on the left before the point, and on the right behind
/// it.
class RealForm {
 public:
  RealForm(std::span<const Real> all, int precision) : precision_(precision) {
    double least = std::numeric_limits<double>::infinity(), greatest = 0;
    for (const Real& x : all)
      if (std::isfinite(x.value) && x.value != 0) {
        least = std::min(least, std::abs(x.value));
        greatest = std::max(greatest, std::abs(x.value));
      }
    is_scientific_ = greatest >= 1e8 || (greatest > 0 && (least < 1e-4 || greatest / least > 1000));
    for (const Real& x : all) measure(x);
  }
  std::string operator()(const Real& x) const {
    if (!std::isfinite(x.value)) return padded(special(x.value), width());
    if (!is_scientific_) {
      std::string text = positional_text(x, precision_);
      const std::size_t behind = text.size() - text.find('.') - 1;
      text.append(behind_ - behind, ' ');
      return padded(std::move(text), width());
    }
    auto [mantissa, exponent] = scientific_parts(x, precision_);
    mantissa.append(behind_ - (mantissa.size() - mantissa.find('.') - 1), '0');
    return padded(mantissa + "e" + exponent, width());
  }

 private:
  static std::string special(double value) {
    if (std::isnan(value)) return "nan";
    return value < 0 ? "-inf" : "inf";
  }
  static std::string padded(std::string text, std::size_t width) {
    return text.size() < width ? text.insert(0, width - text.size(), ' ') : text;
  }
  void measure(const Real& x) {
    if (!std::isfinite(x.value)) {
      special_ = std::max(special_, special(x.value).size());
      return;
    }
    auto [text, exponent] = is_scientific_
                                ? scientific_parts(x, precision_)
                                : std::pair(positional_text(x, precision_), std::string());
    const std::size_t point = text.find('.');
    before_ = std::max(before_, point);
    behind_ = std::max(behind_, text.size() - point - 1);
    if (is_scientific_) exponent_ = std::max(exponent_, exponent.size() + 1);
  }
  std::size_t width() const {
    const std::size_t number = before_ == 0 ? 0 : before_ + 1 + behind_ + exponent_;
    return std::max(number, special_);
  }

  int precision_;
  bool is_scientific_ = false;
  std::size_t before_ = 0, behind_ = 0, exponent_ = 0, special_ = 0;
};

/// The imaginary part behind its sign: left-aligned digits, with the padding behind the j.
std::string imaginary_text(const RealForm& form, const Real& x) {
  std::string text = form({std::abs(x.value), x.scalar});
  text.erase(0, text.find_first_not_of(' '));
  const auto end = text.find_last_not_of(' ') + 1;
  text.insert(end, 1, 'j');
  return (std::signbit(x.value) && !std::isnan(x.value) ? "-" : "+") + text;
}

std::string plain_text(Scalar scalar, const std::byte* bytes) {
  const Number number = Number::stored(scalar, bytes);
  if (scalar == Scalar::boolean) return number.as_int64() != 0 ? "True" : "False";
  return number.kind() == ScalarKind::signed_integer ? std::to_string(number.as_int64())
                                                     : std::to_string(number.as_uint64());
}

std::vector<std::string> element_texts(const DType& dtype, std::span<const std::byte> bytes,
                                       const TextFormat& format);

/// Prints the elements of an array field in brackets, one pair for each axis.
std::string nested_text(std::span<const std::string> values, std::span<const std::int64_t> shape) {
  if (shape.empty()) return values.front();
  const auto length = static_cast<std::size_t>(shape.front());
  std::string text = "[";
  for (std::size_t k = 0; k < length; ++k) {
    const std::size_t part = values.size() / length;
    text += (k > 0 ? " " : "") + nested_text(values.subspan(k * part, part), shape.subspan(1));
  }
  return text + "]";
}

/// Prints records. Each field is a column with its own form.
std::vector<std::string> record_texts(const DType& dtype, std::span<const std::byte> bytes,
                                      const TextFormat& format) {
  const std::size_t size = dtype.size_bytes(), count = bytes.size() / size;
  std::vector<std::string> texts(count, "(");
  for (const Field& field : dtype.fields()) {
    const std::size_t field_size = field.count() * field.type.size_bytes();
    std::vector<std::byte> column(count * field_size);
    for (std::size_t i = 0; i < count; ++i)
      std::ranges::copy(bytes.subspan(i * size + field.offset, field_size),
                        column.begin() + static_cast<std::ptrdiff_t>(i * field_size));
    const auto values = element_texts(field.type, column, format);
    for (std::size_t i = 0; i < count; ++i) {
      const std::span all(values);
      texts[i] += texts[i].size() > 1 ? ", " : "";
      texts[i] += nested_text(all.subspan(i * field.count(), field.count()), field.shape);
    }
  }
  for (std::string& text : texts) text += ")";
  return texts;
}

/// The text of each element. All texts have the same width.
std::vector<std::string> element_texts(const DType& dtype, std::span<const std::byte> bytes,
                                       const TextFormat& format) {
  if (dtype.kind() == ScalarKind::structure) return record_texts(dtype, bytes, format);
  std::vector<std::string> texts;
  const std::size_t size = dtype.size_bytes(), count = bytes.size() / size;
  const bool is_complex = dtype.kind() == ScalarKind::complex;
  if (dtype.kind() != ScalarKind::floating && !is_complex) {
    std::size_t width = 0;
    for (std::size_t i = 0; i < count; ++i) {
      texts.push_back(plain_text(dtype.scalar(), bytes.data() + i * size));
      width = std::max(width, texts.back().size());
    }
    for (std::string& text : texts) text.insert(0, width - text.size(), ' ');
    return texts;
  }
  std::vector<Real> reals, imaginaries, magnitudes;
  const Scalar part = dtype.real_type().scalar();
  for (std::size_t i = 0; i < count; ++i) {
    const Number number = Number::stored(dtype.scalar(), bytes.data() + i * size);
    reals.push_back({number.as_double(), part});
    if (!is_complex) continue;
    imaginaries.push_back({number.as_complex().imag(), part});
    magnitudes.push_back({std::abs(imaginaries.back().value), part});
  }
  const RealForm real_form(reals, format.precision), imaginary_form(magnitudes, format.precision);
  for (std::size_t i = 0; i < count; ++i) {
    texts.push_back(real_form(reals[i]));
    if (is_complex) texts.back() += imaginary_text(imaginary_form, imaginaries[i]);
  }
  return texts;
}

class Writer {
 public:
  Writer(std::vector<std::string> texts, std::vector<std::int64_t> shape,
         std::vector<bool> shortened, const TextFormat& format)
      : texts_(std::move(texts)),
        shape_(std::move(shape)),
        shortened_(std::move(shortened)),
        format_(format) {}
  std::string write() {
    axis(0);
    return std::move(out_);
  }

 private:
  void axis(std::size_t which) {
    if (which == shape_.size()) {
      out_ += texts_[next_++];
      return;
    }
    const bool is_last = which + 1 == shape_.size();
    out_ += '[';
    std::size_t column = which + 1;
    for (std::int64_t i = 0; i < shape_[which]; ++i) {
      if (is_last) {
        if (shortened_[which] && i == format_.edge_items) put("...", i, which, column);
        put(texts_[next_++], i, which, column);
        continue;
      }
      if (i > 0) new_line(which);
      if (shortened_[which] && i == format_.edge_items) {
        out_ += "...";
        new_line(which);
      }
      axis(which + 1);
    }
    out_ += ']';
  }
  /// Appends an element, in a new line if this line has no room for the element and the closing
  /// brackets.
  void put(const std::string& text, std::int64_t i, std::size_t which, std::size_t& column) {
    if (column > which + 1 || i > 0) {
      // Every axis around the row may close its bracket here.
      if (column + 1 + text.size() + 1 + which > static_cast<std::size_t>(format_.line_width)) {
        while (out_.ends_with(' ')) out_.pop_back();
        out_ += '\n' + std::string(which + 1, ' ');
        column = which + 1;
      } else {
        out_ += ' ';
        ++column;
      }
    }
    out_ += text;
    column += text.size();
  }
  /// Starts a new line. Blocks of more than one axis are separated by empty lines, one for each
  /// axis beyond the first.
  void new_line(std::size_t which) {
    out_.append(shape_.size() - which - 1, '\n');
    out_.append(which + 1, ' ');
  }

  std::vector<std::string> texts_;
  std::vector<std::int64_t> shape_;
  std::vector<bool> shortened_;
  TextFormat format_;
  std::size_t next_ = 0;
  std::string out_;
};

}  // namespace

std::string to_string(const Array& x, const TextFormat& format) {
  Array shown = x;
  std::vector<bool> shortened(static_cast<std::size_t>(x.rank()));
  if (x.size() > format.threshold)
    for (int axis = 0; axis < x.rank(); ++axis) {
      const std::int64_t length = x.shape()[static_cast<std::size_t>(axis)];
      if (length <= 2 * format.edge_items) continue;
      std::vector<Index> first(static_cast<std::size_t>(axis)), last = first;
      Index begin, end;
      begin.stop = format.edge_items;
      end.start = length - format.edge_items;
      first.push_back(begin);
      last.push_back(end);
      const Array edges[] = {shown.at(first), shown.at(last)};
      shown = concatenate(edges, axis);
      shortened[static_cast<std::size_t>(axis)] = true;
    }
  std::vector<std::byte> bytes(static_cast<std::size_t>(shown.size_bytes()));
  shown.get(static_cast<void*>(bytes.data()));
  if (x.size() == 0) return "[]";
  std::vector<std::string> texts = element_texts(x.dtype(), bytes, format);
  if (x.rank() == 0) return texts[0] + (texts[0].ends_with('.') ? "0" : "");
  return Writer(std::move(texts), {shown.shape().begin(), shown.shape().end()},
                std::move(shortened), format)
      .write();
}

std::ostream& operator<<(std::ostream& out, const Array& x) { return out << to_string(x); }

}  // namespace treadle::array
