// SPDX-License-Identifier: MIT
// Families of treadle.cuda that only the module itself binds. They are not in rooms.hpp, because
// every binding includes rooms.hpp.
#pragma once

#include <nanobind/nanobind.h>

namespace treadle::bindings {

namespace nb = nanobind;

void bind_cuda_context_settings(nb::module_& m);
void bind_cuda_copy(nb::module_& m);
void bind_cuda_decompress(nb::module_& m);
void bind_cuda_diagnostics(nb::module_& m);
void bind_cuda_external(nb::module_& m);
void bind_cuda_graph_questions(nb::module_& m);
void bind_cuda_peer(nb::module_& m);
void bind_cuda_sparse_array(nb::module_& m);

}  // namespace treadle::bindings
