// SPDX-License-Identifier: MIT
#include "calls/pvt_struct.hpp"

#include <nanobind/stl/string.h>

#include <cstring>
#include <memory>
#include <unordered_map>

#include "errors.hpp"

namespace treadle::bindings {
namespace {

nb::handle error_class;

constexpr std::size_t cache_limit = 100;
std::unordered_map<std::string, std::shared_ptr<const Format>>& cache() {
  static auto* formats = new std::unordered_map<std::string, std::shared_ptr<const Format>>;
  return *formats;  // guarded by the GIL
}

std::string format_text(nb::handle format) {
  if (PyUnicode_Check(format.ptr())) return nb::cast<std::string>(format);
  if (PyBytes_Check(format.ptr()))
    return {PyBytes_AS_STRING(format.ptr()),
            static_cast<std::size_t>(PyBytes_GET_SIZE(format.ptr()))};
  raise_python(PyExc_TypeError, "a format is a str or bytes object");
}

std::shared_ptr<const Format> compiled(nb::handle format) {
  std::string text = format_text(format);
  if (const auto found = cache().find(text); found != cache().end()) return found->second;
  auto made = std::make_shared<const Format>(parse_format(text));
  if (cache().size() >= cache_limit) cache().clear();
  cache().emplace(std::move(text), made);
  return made;
}

void pack_into_memory(const Format& format, nb::args values, std::size_t first, char* to) {
  const std::size_t given = values.size() - first;
  if (given != format.items.size())
    raise_struct_error("pack requires exactly " + std::to_string(format.items.size()) +
                       " arguments, not " + std::to_string(given));
  std::memset(to, 0, format.size);
  for (std::size_t i = 0; i < given; ++i)
    pack_value(format.items[i], nb::handle(values[first + i]).ptr(), to + format.items[i].offset);
}

nb::object pack(const Format& format, nb::args values, std::size_t first) {
  nb::object made =
      nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(format.size)));
  if (!made.is_valid()) throw nb::python_error();
  pack_into_memory(format, values, first, PyBytes_AS_STRING(made.ptr()));
  return made;
}

// A view of some bytes of a buffer. A negative offset counts from the buffer's end.
class Window {
 public:
  Window(nb::handle buffer, Py_ssize_t offset, std::size_t size, int flags, const char* call) {
    if (PyObject_GetBuffer(buffer.ptr(), &view_, flags) != 0) throw nb::python_error();
    if (offset < 0) offset += view_.len;
    if (offset < 0 || view_.len - offset < static_cast<Py_ssize_t>(size)) {
      const Py_ssize_t length = view_.len;
      PyBuffer_Release(&view_);
      raise_struct_error(std::string(call) + " needs " + std::to_string(size) +
                         " bytes at offset " + std::to_string(offset) + " of a buffer of " +
                         std::to_string(length));
    }
    data_ = static_cast<char*>(view_.buf) + offset;
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window() { PyBuffer_Release(&view_); }
  char* data() const { return data_; }
  Py_ssize_t length() const { return view_.len; }

 private:
  Py_buffer view_{};
  char* data_ = nullptr;
};

nb::tuple unpack_memory(const Format& format, const char* from) {
  nb::list values;
  for (const FormatItem& item : format.items) values.append(unpack_value(item, from + item.offset));
  return nb::tuple(values);
}

nb::tuple unpack(const Format& format, nb::handle buffer) {
  const Window window(buffer, 0, 0, PyBUF_SIMPLE, "unpack");
  if (window.length() != static_cast<Py_ssize_t>(format.size))
    raise_struct_error("unpack requires a buffer of exactly " + std::to_string(format.size) +
                       " bytes, not " + std::to_string(window.length()));
  return unpack_memory(format, window.data());
}

nb::tuple unpack_from(const Format& format, nb::handle buffer, Py_ssize_t offset) {
  const Window window(buffer, offset, format.size, PyBUF_SIMPLE, "unpack_from");
  return unpack_memory(format, window.data());
}

void pack_into(const Format& format, nb::handle buffer, Py_ssize_t offset, nb::args values,
               std::size_t first) {
  const Window window(buffer, offset, format.size, PyBUF_WRITABLE, "pack_into");
  pack_into_memory(format, values, first, window.data());
}

struct Struct {
  std::string text;
  std::shared_ptr<const Format> format;
};

// pack_into(buffer, offset, *values): the first arguments arrive together with the values.
void pack_into_arguments(const Format& format, nb::args arguments, std::size_t first) {
  if (arguments.size() < first + 2) raise_struct_error("pack_into requires a buffer and an offset");
  pack_into(format, arguments[first], nb::cast<Py_ssize_t>(arguments[first + 1]), arguments,
            first + 2);
}

nb::handle format_argument(nb::args arguments, const char* call) {
  if (arguments.size() == 0)
    raise_python(PyExc_TypeError, std::string(call) + " requires a format as its first argument");
  return arguments[0];
}

}  // namespace

Format parse_format(std::string_view text) {
  Format format;
  if (!text.empty() && text.front() == '@') text.remove_prefix(1);
  for (std::size_t i = 0; i < text.size();) {
    if (std::strchr(" \t\n\r\v\f", text[i]) != nullptr) {
      ++i;
      continue;
    }
    std::size_t count = 1;
    if (text[i] >= '0' && text[i] <= '9') {
      for (count = 0; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i) {
        count = 10 * count + static_cast<std::size_t>(text[i] - '0');
        if (count > (std::size_t{1} << 40)) raise_struct_error("overflow in item count");
      }
      if (i == text.size()) raise_struct_error("repeat count given without format specifier");
    }
    const char code = text[i++];
    const std::size_t size = code_size(code);
    if (size == 0 && code != 's' && code != 'p') raise_struct_error("bad char in struct format");
    const std::size_t alignment = code_alignment(code);
    format.size = (format.size + alignment - 1) / alignment * alignment;
    if (code == 'x') {
      format.size += count;
    } else if (code == 's' || code == 'p') {
      format.items.push_back({code, count, format.size});
      format.size += count;
    } else {
      if (count > (std::size_t{1} << 20)) raise_struct_error("too many values in struct format");
      for (; count > 0; --count, format.size += size)
        format.items.push_back({code, size, format.size});
    }
  }
  return format;
}

void raise_struct_error(const std::string& text) { raise_python(error_class.ptr(), text); }

void bind_pvt_struct(nb::module_& m) {
  // Programs also catch the error of Python's own struct module.
  const nb::object python_error = nb::module_::import_("struct").attr("error");
  PyObject* made = PyErr_NewExceptionWithDoc(
      "struct.error", "A value or a buffer does not fit its format.", python_error.ptr(), nullptr);
  if (made == nullptr) throw nb::python_error();
  error_class = made;
  m.attr("error") = error_class;

  m.def(
      "pack", [](nb::args a) { return pack(*compiled(format_argument(a, "pack")), a, 1); },
      nb::sig("def pack(fmt: str | bytes, *values) -> bytes"),
      "The values as bytes of the format. Raises error for a wrong number or kind.");
  m.def(
      "pack_into",
      [](nb::args a) { pack_into_arguments(*compiled(format_argument(a, "pack_into")), a, 1); },
      nb::sig("def pack_into(fmt: str | bytes, buffer, offset: int, *values) -> None"),
      "The same, written into a buffer from `offset` on; negative counts from its end.");
  m.def(
      "unpack",
      [](nb::object format, nb::object buffer) { return unpack(*compiled(format), buffer); },
      nb::arg("fmt"), nb::arg("buffer"), "The values in a buffer of exactly calcsize() bytes.");
  m.def(
      "unpack_from",
      [](nb::object format, nb::object buffer, Py_ssize_t offset) {
        return unpack_from(*compiled(format), buffer, offset);
      },
      nb::arg("fmt"), nb::arg("buffer"), nb::arg("offset") = 0,
      "The values in a buffer from `offset` on; negative counts from its end.");
  m.def(
      "calcsize", [](nb::object format) { return compiled(format)->size; }, nb::arg("fmt"),
      "Bytes that the format takes.");
  m.def("_clearcache", [] { cache().clear(); });

  nb::class_<Struct>(m, "Struct", "A format, compiled once.")
      .def(
          "__init__",
          [](Struct* self, nb::object format) {
            new (self) Struct{format_text(format), compiled(format)};
          },
          nb::arg("format"))
      .def_prop_ro("format",
                   [](const Struct& s) { return nb::bytes(s.text.data(), s.text.size()); })
      .def_prop_ro("size", [](const Struct& s) { return s.format->size; })
      .def(
          "pack", [](const Struct& s, nb::args values) { return pack(*s.format, values, 0); },
          "As pack(), of this format.")
      .def(
          "pack_into", [](const Struct& s, nb::args a) { pack_into_arguments(*s.format, a, 0); },
          nb::sig("def pack_into(self, buffer, offset: int, *values) -> None"),
          "As pack_into(), of this format.")
      .def(
          "unpack", [](const Struct& s, nb::object buffer) { return unpack(*s.format, buffer); },
          nb::arg("buffer"), "As unpack(), of this format.")
      .def(
          "unpack_from",
          [](const Struct& s, nb::object buffer, Py_ssize_t offset) {
            return unpack_from(*s.format, buffer, offset);
          },
          nb::arg("buffer"), nb::arg("offset") = 0, "As unpack_from(), of this format.");
}

}  // namespace treadle::bindings
