// SPDX-License-Identifier: MIT
// The extension: makes its modules in order.
//
// One rule for the GIL holds in every file of this folder. The GIL is released around calls that
// may wait: for the device (synchronize, blocking copies and fills, free(), the end of a context),
// for a driver that starts (init, a new context), for a compiler, a linker or a disk (compile,
// load, the cache), and for copies from host memory that a driver may stage before it returns. The
// GIL is held around calls that only queue or query: launches, records, fills with a stream,
// queries, allocations. Destructors hold it, too, because the garbage collector runs them; only
// memory of treadle.cuda releases it, because that waits for work. While the GIL is released, no
// Python object is touched, and a buffer that was read from an object is held until the call is
// over.
#include <cstdlib>

#include "calls/function.hpp"
#include "calls/pvt_struct.hpp"
#include "errors.hpp"
#include "foreign_gil.hpp"
#include "gil_door.hpp"
#include "interrupt.hpp"
#include "native/cuda_rooms.hpp"
#include "native/fft.hpp"
#include "native/host_calls.hpp"
#include "native/linalg.hpp"
#include "printed.hpp"
#include "refused_call.hpp"
#include "rooms.hpp"
#include "treadle/process/compiler_scope.hpp"

using namespace treadle::bindings;

namespace {

void bind_cuda(nb::module_& cuda) {
  bind_cuda_device(cuda);
  bind_cuda_context(cuda);
  bind_cuda_stream(cuda);
  bind_cuda_memory(cuda);
  bind_cuda_managed_memory(cuda);
  bind_cuda_pointer_attributes(cuda);
  bind_cuda_virtual_memory(cuda);
  bind_cuda_nvml(cuda);
  bind_cuda_function(cuda);
  bind_cuda_module(cuda);
  bind_cuda_library(cuda);
  bind_cuda_ipc(cuda);
  bind_cuda_linker(cuda);
  bind_cuda_printing(cuda);
  bind_cuda_profiler(cuda);
  bind_cuda_texture(cuda);
  bind_cuda_graphics(cuda);
  bind_cuda_occupancy(cuda);
  bind_cuda_launch_attributes(cuda);
  bind_cuda_graph(cuda);
  bind_cuda_memory_pool(cuda);
  bind_cuda_copy(cuda);
  bind_cuda_copy_batch(cuda);
  bind_cuda_decompress(cuda);
  bind_cuda_green_context(cuda);
  bind_cuda_multicast(cuda);
  bind_cuda_tensor_map(cuda);
  bind_cuda_stream_operations(cuda);
  bind_cuda_context_settings(cuda);
  bind_cuda_peer(cuda);
  bind_cuda_graph_questions(cuda);
  bind_cuda_external(cuda);
  bind_cuda_sparse_array(cuda);
  bind_cuda_diagnostics(cuda);
  bind_cuda_handles(cuda);  // adds to the classes of all others
}

void bind_kernels(nb::module_& kernel) {
  bind_kernel(kernel);
  bind_reduction_kernel(kernel);
  bind_scan_kernel(kernel);
  bind_tiling(kernel);
  bind_algorithm_kernels(kernel);
}

}  // namespace

NB_MODULE(_core, m) {
  // Daemon threads hold objects at exit that are never freed. This is not a mistake of the program,
  // so only the tests ask for leak warnings.
  const char* leaks = std::getenv("TREADLE_TEST_LEAKS");
  nb::set_leak_warnings(leaks != nullptr && *leaks != '\0');
  m.doc() = "Treadle's C++ core.";
  m.attr("__version__") = TREADLE_VERSION;
  nb::module_ rules = m.def_submodule("rules", "What operations on arrays mean.");
  nb::module_ cuda = m.def_submodule("cuda", "treadle.cuda");
  nb::module_ codegen = m.def_submodule("codegen", "treadle.codegen");
  nb::module_ tree = m.def_submodule("tree", "Nodes of programs: what treadle.cgen is made of.");
  nb::module_ compile = m.def_submodule("compile", "treadle.compile");
  nb::module_ library = m.def_submodule("library", "Libraries that are opened at run time.");
  nb::module_ device = m.def_submodule("device", "Devices of every run-time system.");
  nb::module_ kernel = m.def_submodule("kernel", "Programs and kernels for any device.");
  nb::module_ random = m.def_submodule("random", "Random numbers in memory of any device.");
  nb::module_ array = m.def_submodule("array", "Arrays.");
  nb::module_ fft = m.def_submodule("fft", "Fourier transforms of arrays.");
  nb::module_ linalg = m.def_submodule("linalg", "Products of matrices.");
  nb::module_ sparse = m.def_submodule("sparse", "Sparse matrices and solvers.");
  nb::module_ tune = m.def_submodule("tune", "Spaces of configurations and searches.");
  nb::module_ driver = m.def_submodule("driver", "What pycuda._driver is made of.");
  nb::module_ pvt_struct = m.def_submodule("pvt_struct", "pycuda._pvt_struct");

  bind_errors(m, driver);
  bind_base(m);
  bind_warning(m);
  bind_promotion(rules);
  bind_layout(rules);
  bind_codegen(codegen);
  bind_tree(tree);
  bind_compile(compile);
  bind_library(library);
  bind_device(device);
  bind_kernels(kernel);
  bind_random(random);
  bind_array(array);
  bind_linalg(linalg);
  bind_decompositions(linalg);
  bind_generator(random);
  bind_fft(fft);
  bind_sparse(sparse);
  bind_sparse_solvers(sparse);
  bind_tune(tune);
  bind_cuda(cuda);

  nb::module_ opencl = m.def_submodule("opencl", "What pyopencl._cl is made of.");
  bind_opencl(opencl);

  bind_pvt_struct(pvt_struct);
  bind_pycuda_device(driver);
  bind_pycuda_context(driver);
  bind_pycuda_stream(driver);
  bind_pycuda_memory(driver);
  bind_pycuda_host_memory(driver);
  bind_memory_pycuda(driver);
  bind_pycuda_copy(driver);
  bind_pycuda_array(driver);
  bind_pycuda_texture(driver);
  bind_pycuda_graphics(driver);
  bind_pycuda_structured_copy(driver);
  bind_function(driver, Face::pycuda);
  bind_pycuda_module(driver);
  bind_pycuda_ipc(driver);
  bind_pycuda_linker(driver);
  bind_pycuda_profiler(driver);
  bind_pycuda_compile(driver);
  explain_refusals(m);
  start_printing();
  // Runs after all of Python's own exit work, and before exit() destroys the compilers.
  Py_AtExit(treadle::end_compilers);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    end_left_work();
    end_printing();
    end_host_calls();
    ForeignGil::close();
    let_thread_end_python();
  }));
}
