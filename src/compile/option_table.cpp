// SPDX-License-Identifier: MIT
#include "compile/options.hpp"

namespace treadle::compile {
namespace {

using enum Treatment;
using enum Form;
using enum Meaning;

constexpr std::string_view host_only = "it concerns host code, and there is none";
constexpr std::string_view nothing_linked = "cuda::Linker takes what is linked";
constexpr std::string_view gpu_only = "it concerns NVIDIA code only";
constexpr std::string_view cpu_only = "it names passes of the CPU device's compiler";
constexpr std::string_view use_output = "Options::output (target= in Python) chooses what is made";

constexpr OptionRule rules[] = {
    // Preprocessor
    {"-D --define-macro", glued, plain, translated, translated, "--define-macro=", ""},
    {"-U --undefine-macro", glued, plain, translated, translated, "--undefine-macro=", ""},
    {"-I --include-path", glued, include_dir, translated, translated, "--include-path=", ""},
    {"-isystem --system-include", value, system_include_dir, translated, translated,
     "--include-path=", "searched after every -I"},
    {"-include --pre-include", value, pre_include, translated, translated, "--pre-include=", ""},
    // Language
    {"-std --std", value, standard, translated, translated,
     "--std=", "c++11, c++14, c++17 or c++20; gnu++17 counts as c++17"},
    {"-x --x", value, Meaning::plain, accepted, accepted, "", "the source is CUDA C++"},
    {"-default-device --device-as-default-execution-space", flag, plain, translated, ignored,
     "--device-as-default-execution-space", gpu_only},
    {"-expt-relaxed-constexpr --expt-relaxed-constexpr", flag, plain, translated, accepted,
     "--device-as-default-execution-space", ""},
    {"-expt-extended-lambda --expt-extended-lambda -extended-lambda --extended-lambda", flag, plain,
     accepted, accepted, "", "lambdas in kernels may say __device__ without it"},
    {"-restrict --restrict", flag, plain, translated, ignored, "--restrict", gpu_only},
    {"-device-int128 --device-int128", flag, plain, translated, accepted, "--device-int128", ""},
    // What the code is for
    {"-arch --gpu-architecture", value, architecture, translated, accepted,
     "--gpu-architecture=", "overrides the device's own architecture"},
    {"-code --gpu-code", value, code, translated, accepted,
     "--gpu-architecture=", "the first sm_ in its list"},
    {"-gencode --generate-code", value, generate_code, translated, accepted,
     "--gpu-architecture=", "of several, the one for the device; code for others is not made"},
    {"-m --machine", glued, machine, accepted, accepted, "", "64 only"},
    {"-m64", flag, plain, accepted, accepted, "", ""},
    {"-m32", flag, plain, refused, refused, "", "there is no 32-bit device code; leave it out"},
    // Arithmetic
    {"-use_fast_math --use_fast_math", flag, plain, translated, translated, "--use_fast_math", ""},
    {"-ftz --ftz", value, plain, translated, translated, "--ftz=", ""},
    {"-prec-div --prec-div", value, plain, translated, translated, "--prec-div=", ""},
    {"-prec-sqrt --prec-sqrt", value, plain, translated, translated, "--prec-sqrt=", ""},
    {"-fmad --fmad", value, plain, translated, translated, "--fmad=", ""},
    // Code generation
    {"-maxrregcount --maxrregcount", value, plain, translated, ignored,
     "--maxrregcount=", gpu_only},
    {"-Xptxas --ptxas-options", value, list, translated, ignored, "--ptxas-options=", gpu_only},
    {"-dopt --dopt", value, plain, translated, ignored, "--dopt=", gpu_only},
    {"-Ofc --Ofast-compile", value, plain, translated, ignored, "--Ofast-compile=", gpu_only},
    {"-extra-device-vectorization --extra-device-vectorization", flag, plain, translated, accepted,
     "--extra-device-vectorization", ""},
    {"-ewp --extensible-whole-program", flag, plain, translated, ignored,
     "--extensible-whole-program", gpu_only},
    {"-e --entries", value, plain, accepted, accepted, "", "code for every kernel is made"},
    {"-rdc --relocatable-device-code", value, plain, translated, translated,
     "--relocatable-device-code=", "with true, code for a cuda::Linker"},
    {"-dc --device-c", flag, plain, translated, translated, "--relocatable-device-code=true",
     "the same as -rdc=true"},
    {"-O --optimize", glued, plain, accepted, accepted, "",
     "host code's level; device code is always optimised (GPU: -Xptxas -O1)"},
    {"-dlto --dlink-time-opt -lto", flag, plain, refused, refused, "",
     "no link follows; leave it out"},
    // Debugging
    {"-G --device-debug", flag, embeds_paths, translated, translated, "--device-debug", ""},
    {"-lineinfo --generate-line-info", flag, embeds_paths, translated, translated,
     "--generate-line-info", ""},
    {"--treadle-disable", value, plain, ignored, translated, "--treadle-disable=", cpu_only},
    {"--treadle-check", value, plain, ignored, translated,
     "--treadle-check=", "it names checks of the CPU device"},
    {"--treadle-coverage", flag, embeds_paths, ignored, translated, "--treadle-coverage",
     "it counts on the CPU device"},
    {"--treadle-print-after", value, plain, ignored, translated,
     "--treadle-print-after=", cpu_only},
    {"-g --debug", flag, plain, accepted, accepted, "", host_only},
    {"-pg --profile", flag, plain, ignored, ignored, "", host_only},
    // Messages
    {"-w --disable-warnings", flag, plain, translated, translated, "--disable-warnings", ""},
    {"-diag-suppress --diag-suppress", value, plain, translated, ignored,
     "--diag-suppress=", "message numbers are NVRTC's"},
    {"-diag-error --diag-error", value, plain, translated, ignored,
     "--diag-error=", "message numbers are NVRTC's"},
    {"-diag-warn --diag-warn", value, plain, translated, ignored,
     "--diag-warn=", "message numbers are NVRTC's"},
    {"-err-no --display-error-number", flag, plain, translated, accepted, "--display-error-number",
     ""},
    {"-no-err-no --no-display-error-number", flag, plain, translated, accepted,
     "--no-display-error-number", ""},
    {"-Werror --Werror", value, plain, ignored, ignored, "", "warnings stay warnings"},
    {"-Wno-deprecated-gpu-targets --Wno-deprecated-gpu-targets", flag, plain, accepted, accepted,
     "", ""},
    {"-Wno-deprecated-declarations --Wno-deprecated-declarations", flag, plain, accepted, accepted,
     "", ""},
    {"-Wreorder --Wreorder", flag, plain, accepted, accepted, "", host_only},
    {"-res-usage --resource-usage", flag, plain, translated, ignored, "--ptxas-options=--verbose",
     gpu_only},
    {"-v --verbose", flag, plain, ignored, ignored, "",
     "no process is started; TREADLE_DUMP shows what is compiled"},
    // The host compiler, the linker, the driver program
    {"-ccbin --compiler-bindir", value, plain, ignored, ignored, "",
     "no host compiler is used; Toolchain::nvcc would"},
    {"-Xcompiler --compiler-options", value, plain, ignored, ignored, "", host_only},
    {"-Xcudafe", value, plain, ignored, ignored, "", host_only},
    {"-Xlinker --linker-options", value, plain, ignored, ignored, "", nothing_linked},
    {"-Xnvlink --nvlink-options", value, plain, ignored, ignored, "", nothing_linked},
    {"-L --library-path", glued, plain, ignored, ignored, "", nothing_linked},
    {"-l --library", glued, plain, ignored, ignored, "", nothing_linked},
    {"-cudart --cudart", value, plain, accepted, accepted, "", nothing_linked},
    {"-default-stream --default-stream", value, plain, ignored, ignored, "", host_only},
    {"-t --threads", glued, plain, accepted, accepted, "", "there is one target"},
    {"-split-compile --split-compile", value, plain, translated, accepted, "--split-compile=", ""},
    {"-no-source-include --no-source-include", flag, plain, accepted, accepted, "",
     "the current folder is never searched"},
    {"-forward-unknown-to-host-compiler --forward-unknown-to-host-compiler", flag, plain, ignored,
     ignored, "", host_only},
    {"-keep --keep", flag, plain, ignored, ignored, "",
     "Options::keep (keep=True in Python) does it"},
    {"-keep-dir --keep-dir", value, plain, ignored, ignored, "",
     "Options::keep (keep=True in Python) does it"},
    {"-c --compile", flag, output, refused, refused, "", use_output},
    {"-cubin --cubin", flag, output, refused, refused, "", use_output},
    {"-ptx --ptx", flag, output, refused, refused, "", use_output},
    {"-fatbin --fatbin", flag, output, refused, refused, "", use_output},
    {"-optix-ir --optix-ir", flag, output, refused, refused, "", use_output},
    {"-ltoir --ltoir", flag, output, refused, refused, "", use_output},
    {"-o --output-file", value, output, refused, refused, "", use_output},
    {"-E --preprocess", flag, output, refused, refused, "", use_output},
    {"-M --generate-dependencies", flag, output, refused, refused, "", use_output},
    {"-MD --generate-dependencies-with-compile", flag, output, refused, refused, "", use_output},
    {"-dryrun --dryrun", flag, output, refused, refused, "", "nothing would be made"},
    {"-run --run", flag, output, refused, refused, "", "load the result and launch its kernels"},
    {"-optf --options-file", value, output, refused, refused, "", "give the options themselves"},
    {"-pch --pch", flag, output, refused, refused, "",
     "a precompiled header is read behind the cache's back; leave it out"},
    {"-use-pch --use-pch", value, output, refused, refused, "",
     "a precompiled header is read behind the cache's back; leave it out"},
    {"-create-pch --create-pch", value, output, refused, refused, "",
     "a precompiled header is read behind the cache's back; leave it out"},
    {"-time --time", value, output, refused, refused, "", "CompileResult::seconds has the time"},
};

}  // namespace

std::span<const OptionRule> option_rules() { return rules; }

}  // namespace treadle::compile
