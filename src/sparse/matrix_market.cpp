// SPDX-License-Identifier: MIT
#include "treadle/sparse/matrix_market.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <complex>
#include <fstream>
#include <istream>
#include <limits>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "sparse/entries.hpp"
#include "treadle/base/error.hpp"

namespace treadle::sparse {
namespace {

enum class Field : std::uint8_t { real, integer, complex, pattern };
enum class Symmetry : std::uint8_t { general, symmetric, skew, hermitian };

/// Lines of a text, and their numbers.
class Lines {
 public:
  explicit Lines(std::istream& text) : text_(text) {}
  /// The next line that is no comment and not empty; throws at the end.
  const std::string& next() {
    while (std::getline(text_, line_)) {
      ++number_;
      if (number_ == 1 ||
          (!line_.starts_with('%') && line_.find_first_not_of(" \t\r") != std::string::npos))
        return line_;
    }
    ++number_;
    line_.clear();
    refuse("the end of the text");
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw InvalidArgument("line " + std::to_string(number_) + " of a Matrix Market text: " + what +
                              (line_.empty() ? "" : ": " + line_.substr(0, 60)),
                          "pass a matrix of coordinates, with as many lines as it says");
  }

 private:
  std::istream& text_;
  std::string line_;
  std::int64_t number_ = 0;
};

struct Header {
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
};

Header header_of(Lines& lines) {
  std::string line = lines.next();
  std::ranges::transform(line, line.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::istringstream words(line);
  std::string mark, object, format, field, symmetry;
  words >> mark >> object >> format >> field >> symmetry;
  if (mark != "%%matrixmarket" || object != "matrix" || format != "coordinate")
    lines.refuse("no header of a matrix of coordinates");
  constexpr std::string_view fields[] = {"real", "integer", "complex", "pattern"};
  constexpr std::string_view symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
  const auto place = [&](std::span<const std::string_view> names, const std::string& name) {
    const auto found = std::ranges::find(names, name == "double" ? "real" : name);
    if (found == names.end()) lines.refuse("an unknown word in the header");
    return static_cast<std::uint8_t>(found - names.begin());
  };
  return {static_cast<Field>(place(fields, field)),
          static_cast<Symmetry>(place(symmetries, symmetry))};
}

/// Numbers of a line, one after the other.
class Words {
 public:
  Words(const Lines& lines, std::string_view line) : lines_(lines), line_(line) {}
  template <class T>
  T next() {
    const std::size_t start = line_.find_first_not_of(" \t\r");
    line_.remove_prefix(start == std::string_view::npos ? line_.size() : start);
    if (line_.starts_with('+')) line_.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(line_.data(), line_.data() + line_.size(), value);
    if (error != std::errc()) lines_.refuse("a number is missing");
    line_.remove_prefix(static_cast<std::size_t>(end - line_.data()));
    return value;
  }

 private:
  const Lines& lines_;
  std::string_view line_;
};

template <class T>
T element_of(Words& words, Field field) {
  if (field == Field::pattern) return T(1);
  if constexpr (std::is_same_v<T, std::complex<double>>) {
    const double real = words.next<double>();
    return {real, words.next<double>()};
  } else {
    return words.next<T>();
  }
}
template <class T>
T mirrored(T value, Symmetry symmetry) {
  if (symmetry == Symmetry::skew) return -value;
  if constexpr (std::is_same_v<T, std::complex<double>>)
    if (symmetry == Symmetry::hermitian) return std::conj(value);
  return value;
}

template <class T>
CooMatrix read_entries(Lines& lines, const Header& header, const array::Placement& placement) {
  Words sizes(lines, lines.next());
  const auto rows = sizes.next<std::int64_t>(), columns = sizes.next<std::int64_t>(),
             count = sizes.next<std::int64_t>();
  if (rows < 0 || columns < 0 || count < 0) lines.refuse("a size below 0");
  std::vector<T> data;
  std::vector<std::int64_t> places, others;
  for (std::int64_t k = 0; k < count; ++k) {
    Words words(lines, lines.next());
    const auto row = words.next<std::int64_t>() - 1, column = words.next<std::int64_t>() - 1;
    const T value = element_of<T>(words, header.field);
    data.push_back(value);
    places.push_back(row);
    others.push_back(column);
    if (header.symmetry == Symmetry::general || row == column) continue;
    data.push_back(mirrored(value, header.symmetry));
    places.push_back(column);
    others.push_back(row);
  }
  const Scalar dtype = column_dtype({0, std::max(rows, columns)});
  return {Array::from(data, placement),
          in_dtype(Array::from(places, placement), dtype),
          in_dtype(Array::from(others, placement), dtype),
          {rows, columns}};
}

template <class T>
void write_entries(std::ostream& text, const char* field, const Entries& all,
                   const MatrixSize& size) {
  const std::vector<T> data = all.data.as<T>();
  const auto rows = all.rows.as<std::int64_t>(), columns = all.columns.as<std::int64_t>();
  text << "%%MatrixMarket matrix coordinate " << field << " general\n"
       << size.rows << ' ' << size.columns << ' ' << data.size() << '\n';
  text.precision(std::numeric_limits<double>::max_digits10);
  for (std::size_t k = 0; k < data.size(); ++k) {
    text << rows[k] + 1 << ' ' << columns[k] + 1 << ' ';
    if constexpr (std::is_same_v<T, std::complex<double>>)
      text << data[k].real() << ' ' << data[k].imag() << '\n';
    else
      text << data[k] << '\n';
  }
}

}  // namespace

CooMatrix read_matrix_market(std::istream& text, const array::Placement& placement) {
  Lines lines(text);
  const Header header = header_of(lines);
  switch (header.field) {
    case Field::integer:
      return read_entries<std::int64_t>(lines, header, placement);
    case Field::complex:
      return read_entries<std::complex<double>>(lines, header, placement);
    default:
      return read_entries<double>(lines, header, placement);
  }
}

CooMatrix read_matrix_market(const std::filesystem::path& file, const array::Placement& placement) {
  std::ifstream text(file);
  if (!text)
    throw InvalidArgument("the file " + file.string() + " cannot be read",
                          "look whether it is there and may be read");
  return read_matrix_market(text, placement);
}

void write_matrix_market(const std::filesystem::path& file, const SparseMatrix& a) {
  std::ostringstream lines;  // a matrix that cannot be written leaves an older file as it is
  write_matrix_market(lines, a);
  std::ofstream text(file);
  if (!(text << lines.view()).flush())
    throw InvalidArgument("the file " + file.string() + " cannot be written",
                          "look whether its folder is there, and whether it has room");
}

void write_matrix_market(std::ostream& text, const SparseMatrix& a) {
  const ScalarKind kind = a.dtype().kind();
  if (kind == ScalarKind::structure)
    throw DTypeError("a Matrix Market text of " + a.dtype().name(), "cast to float32");
  Entries all = entries_of(a.to_csr());
  const auto write = [&]<class T>(const char* field) {
    all.data = in_dtype(all.data, dtype_of<T>());
    write_entries<T>(text, field, all, a.size());
  };
  if (kind == ScalarKind::complex)
    write.template operator()<std::complex<double>>("complex");
  else if (kind == ScalarKind::floating)
    write.template operator()<double>("real");
  else
    write.template operator()<std::int64_t>("integer");
}

}  // namespace treadle::sparse
