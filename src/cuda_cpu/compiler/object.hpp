// SPDX-License-Identifier: MIT
// Relocatable code: a source compiled with -rdc=true becomes an object, LLVM's bitcode of what the
// front end made of it behind an ObjectHeader, with what the options ask of the back end. Linking
// puts such objects into one module and runs the passes on the whole: functions of other objects
// are inlined as a source's own are, so that a kernel pays nothing for being written in several
// texts.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cuda_cpu/compiler/backend.hpp"

namespace treadle::cuda_cpu {

/// Notes the arguments of the compile, as join_arguments() has them, in `module`, and writes both.
std::vector<char> write_object(llvm::Module& module, const std::string& arguments);

struct Object {
  std::string name;             ///< for messages
  std::span<const char> bytes;  ///< as write_object() gave them
};
/// One module image of all of them. Where their options differ the careful ones count: fast math
/// only if all ask for it, no optimisation if one was compiled with -G, every check of any. Throws
/// BackendError: an object that is none, a name that two define, one that none does.
std::vector<char> link_objects(std::span<const Object> objects);

}  // namespace treadle::cuda_cpu
