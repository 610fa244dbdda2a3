// SPDX-License-Identifier: MIT
// Which OpenCL device the environment asks for.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>

#include "treadle/base/error.hpp"
#include "treadle/device/opencl.hpp"
#include "treadle/opencl/device.hpp"
#include "treadle/opencl/platform.hpp"
#include "treadle/process/device_request.hpp"

namespace treadle::device {
namespace {

std::string lowered(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

enum class Match { first, last };
/// Which of the objects an answer means: its number, or a part of its name.
template <class Objects>
std::size_t index_of(const Objects& objects, const std::string& answer, Match match) {
  if (answer.empty() && !objects.empty()) return 0;
  const bool is_number = answer.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && answer.size() < 6)
    if (const std::size_t index = std::stoul("0" + answer); index < objects.size()) return index;
  std::optional<std::size_t> found;
  std::string names;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::string name = objects[i].name();
    names += (i == 0 ? "\"" : ", \"") + name + "\"";
    if (lowered(name).find(lowered(answer)) == std::string::npos) continue;
    if (!found || match == Match::last) found = i;
  }
  if (found) return *found;
  throw InvalidArgument("PYOPENCL_CTX: nothing is called \"" + answer + "\"; there is " +
                            (names.empty() ? "nothing" : names),
                        "give <platform>:<device>, each a number or a part of a name");
}

}  // namespace

std::optional<std::string> requested_opencl_id() {
  const auto request = requested_opencl();
  if (!request) return std::nullopt;
  const auto platforms = opencl::Loader::system().platforms();
  const std::size_t p = index_of(platforms, request->platform, Match::last);
  const std::size_t d = index_of(platforms[p].devices(), request->device, Match::first);
  return "opencl:" + std::to_string(p) + ":" + std::to_string(d);
}

}  // namespace treadle::device
