// SPDX-License-Identifier: MIT
// Every entry point with arguments that no program should pass: null, invented and destroyed
// handles, freed and invented device pointers, negative counts. A call may do as it is told or
// refuse; it never ends the process, and what is no live object is always refused.
// It has over 600 lines because it names every entry point.
//
// From two starting points, everything null and everything usable, one argument at a time is
// replaced by each odd value of its type.
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <array>
#include <climits>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <tuple>
#include <type_traits>

#include "cuda_cpu/runtime/harness.hpp"

namespace treadle::cuda_cpu::test {
namespace {

/// What arguments are made of. Made anew when a call has destroyed it.
struct Objects {
  CUcontext context = nullptr, dead_context = nullptr;
  CUstream stream = nullptr, dead_stream = nullptr;
  CUevent event = nullptr, dead_event = nullptr;
  CUmodule module = nullptr, dead_module = nullptr;
  CUfunction function = nullptr, dead_function = nullptr;
  CUlinkState link = nullptr, dead_link = nullptr;
  CUlibrary library = nullptr, dead_library = nullptr;
  CUkernel library_kernel = nullptr, dead_library_kernel = nullptr;
  CUdeviceptr memory = 0, dead_memory = 0;
  CUarray array = nullptr, dead_array = nullptr;
  CUmipmappedArray mipmap = nullptr, dead_mipmap = nullptr;
  CUgraph graph = nullptr, dead_graph = nullptr;
  CUgraphNode node = nullptr, dead_node = nullptr;
  CUgraphExec exec = nullptr, dead_exec = nullptr;
  CUuserObject user_object = nullptr, dead_user_object = nullptr;

  void make() {
    ASSERT_CU(CU(cuCtxCreate)(&dead_context, nullptr, 0, 0));
    ASSERT_CU(CU(cuCtxDestroy)(dead_context));
    ASSERT_CU(CU(cuCtxCreate)(&context, nullptr, 0, 0));
    ASSERT_CU(CU(cuStreamCreate)(&dead_stream, 0));
    ASSERT_CU(CU(cuStreamDestroy)(dead_stream));
    ASSERT_CU(CU(cuEventCreate)(&dead_event, 0));
    ASSERT_CU(CU(cuEventDestroy)(dead_event));
    ASSERT_CU(CU(cuModuleLoadData)(&dead_module, test_image().data()));
    ASSERT_CU(CU(cuModuleGetFunction)(&dead_function, dead_module, "saxpy"));
    ASSERT_CU(CU(cuModuleUnload)(dead_module));
    ASSERT_CU(CU(cuMemAlloc)(&dead_memory, 1 << 20));
    ASSERT_CU(CU(cuMemFree)(dead_memory));
    ASSERT_CU(CU(cuLinkCreate)(0, nullptr, nullptr, &dead_link));
    ASSERT_CU(CU(cuLinkDestroy)(dead_link));
    ASSERT_CU(CU(cuLinkCreate)(0, nullptr, nullptr, &link));
    ASSERT_CU(load_library(dead_library, dead_library_kernel));
    ASSERT_CU(CU(cuLibraryUnload)(dead_library));
    CUlibrary owner = nullptr;
    if (CU(cuKernelGetLibrary)(&owner, library_kernel) != 0) {
      ASSERT_CU(load_library(library, library_kernel));
    }
    ASSERT_CU(CU(cuStreamCreate)(&stream, 0));
    ASSERT_CU(CU(cuEventCreate)(&event, 0));
    ASSERT_CU(CU(cuModuleLoadData)(&module, test_image().data()));
    ASSERT_CU(CU(cuModuleGetFunction)(&function, module, "saxpy"));
    ASSERT_CU(CU(cuMemAlloc)(&memory, 4096));
    const CUDA_ARRAY3D_DESCRIPTOR plane{16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    ASSERT_CU(CU(cuArray3DCreate)(&dead_array, &plane));
    ASSERT_CU(CU(cuArrayDestroy)(dead_array));
    ASSERT_CU(CU(cuMipmappedArrayCreate)(&dead_mipmap, &plane, 2));
    ASSERT_CU(CU(cuMipmappedArrayDestroy)(dead_mipmap));
    ASSERT_CU(CU(cuArray3DCreate)(&array, &plane));
    ASSERT_CU(CU(cuMipmappedArrayCreate)(&mipmap, &plane, 2));
    make_graphs();
  }
  void make_graphs() {
    ASSERT_CU(CU(cuGraphCreate)(&dead_graph, 0));
    ASSERT_CU(CU(cuGraphAddEmptyNode)(&dead_node, dead_graph, nullptr, 0));
    ASSERT_CU(CU(cuGraphInstantiate)(&dead_exec, dead_graph, 0));
    ASSERT_CU(CU(cuGraphExecDestroy)(dead_exec));
    ASSERT_CU(CU(cuGraphDestroy)(dead_graph));
    ASSERT_CU(CU(cuGraphCreate)(&graph, 0));
    ASSERT_CU(CU(cuGraphAddEmptyNode)(&node, graph, nullptr, 0));
    ASSERT_CU(CU(cuGraphInstantiate)(&exec, graph, 0));
    const CUhostFn ignore = [](void*) {};
    constexpr unsigned flags = CU_USER_OBJECT_NO_DESTRUCTOR_SYNC;
    ASSERT_CU(CU(cuUserObjectCreate)(&dead_user_object, nullptr, ignore, 1, flags));
    ASSERT_CU(CU(cuUserObjectRelease)(dead_user_object, 1));
    ASSERT_CU(CU(cuUserObjectCreate)(&user_object, nullptr, ignore, 1, flags));
  }
  static CUresult load_library(CUlibrary& made, CUkernel& kernel) {
    const CUresult failure =
        CU(cuLibraryLoadData)(&made, test_image().data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    return failure != CUDA_SUCCESS ? failure : CU(cuLibraryGetKernel)(&kernel, made, "saxpy");
  }
  bool alive() const {
    int value = 0;
    CUmodule owner = nullptr;
    void* image = nullptr;
    CUDA_ARRAY_DESCRIPTOR plane{};
    CUarray level = nullptr;
    CUgraphNodeType type{};
    cuuint64_t flags = 0;
    CUlibrary owner_of_kernel = nullptr;
    return CU(cuCtxSetCurrent)(context) == 0 && CU(cuStreamQuery)(stream) == 0 &&
           CU(cuEventQuery)(event) == 0 && CU(cuFuncGetModule)(&owner, function) == 0 &&
           CU(cuLinkComplete)(link, &image, nullptr) != CUDA_ERROR_INVALID_HANDLE &&
           CU(cuPointerGetAttribute)(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, memory) == 0 &&
           CU(cuKernelGetLibrary)(&owner_of_kernel, library_kernel) == 0 &&
           CU(cuArrayGetDescriptor)(&plane, array) == 0 &&
           CU(cuMipmappedArrayGetLevel)(&level, mipmap, 0) == 0 &&
           CU(cuGraphNodeGetType)(node, &type) == 0 && CU(cuGraphExecGetFlags)(exec, &flags) == 0 &&
           CU(cuUserObjectRetain)(user_object, 1) == 0;
  }
  void refresh() {
    if (alive()) return;
    CU(cuCtxDestroy)(context);
    make();
  }
};
Objects objects;

/// Where results go and structures come from: zeros, so that every pointer in it is null.
alignas(64) std::array<std::byte, 1 << 16> scratch;

template <class T>
struct Odd {
  T value;
  bool refused = false;  ///< whatever else the call is given
};
template <class T>
struct Arguments {
  T null, usable;
  std::vector<Odd<T>> odd;
};

template <class Handle>
Arguments<Handle> handle(Handle live, Handle dead) {
  const auto invented = [](std::uint64_t bits) { return reinterpret_cast<Handle>(bits); };
  return {nullptr, live, {{dead, true}, {invented(0xdeadbeef0), true}, {invented(~0ull), true}}};
}

/// Also for enumerations that have no such value: a C program passes what it likes.
template <class T>
T number(int value) {
  T result;
  const long long wide = value;
  std::memcpy(&result, &wide, sizeof result);
  return result;
}

template <class T>
Arguments<T> arguments() {
  if constexpr (std::is_same_v<T, CUcontext>)
    return handle(objects.context, objects.dead_context);
  else if constexpr (std::is_same_v<T, CUstream>)
    return handle(objects.stream, objects.dead_stream);
  else if constexpr (std::is_same_v<T, CUevent>)
    return handle(objects.event, objects.dead_event);
  else if constexpr (std::is_same_v<T, CUmodule>)
    return handle(objects.module, objects.dead_module);
  else if constexpr (std::is_same_v<T, CUfunction>)
    return handle(objects.function, objects.dead_function);
  else if constexpr (std::is_same_v<T, CUlinkState>)
    return handle(objects.link, objects.dead_link);
  else if constexpr (std::is_same_v<T, CUlibrary>)
    return handle(objects.library, objects.dead_library);
  else if constexpr (std::is_same_v<T, CUkernel>)
    return handle(objects.library_kernel, objects.dead_library_kernel);
  else if constexpr (std::is_same_v<T, CUipcMemHandle> || std::is_same_v<T, CUipcEventHandle>)
    return {T{}, T{}, {}};
  else if constexpr (std::is_same_v<T, CUarray>)
    return handle(objects.array, objects.dead_array);
  else if constexpr (std::is_same_v<T, CUmipmappedArray>)
    return handle(objects.mipmap, objects.dead_mipmap);
  else if constexpr (std::is_same_v<T, CUgraph>)
    return handle(objects.graph, objects.dead_graph);
  else if constexpr (std::is_same_v<T, CUgraphNode>)
    return handle(objects.node, objects.dead_node);
  else if constexpr (std::is_same_v<T, CUgraphExec>)
    return handle(objects.exec, objects.dead_exec);
  else if constexpr (std::is_same_v<T, CUuserObject>)
    return handle(objects.user_object, objects.dead_user_object);
  else if constexpr (std::is_same_v<T, const char*>)
    return {nullptr, "saxpy", {{""}, {"/no/such/file"}}};
  else if constexpr (std::is_same_v<T, CUdeviceptr>)
    return {
        0, objects.memory, {{objects.dead_memory}, {0xdead0000}, {objects.memory + 4095}, {~0ull}}};
  else if constexpr (std::is_same_v<T, CUmemLocation>)
    return {{}, {CU_MEM_LOCATION_TYPE_DEVICE, {0}}, {{{number<CUmemLocationType>(-1), {-1}}}}};
  else if constexpr (std::is_pointer_v<T> && std::is_function_v<std::remove_pointer_t<T>>)
    return {nullptr, nullptr, {}};
  else if constexpr (std::is_pointer_v<T>)
    return {nullptr, reinterpret_cast<T>(scratch.data()), {}};
  else if constexpr (std::is_same_v<T, std::size_t>)
    return {0, 1, {{SIZE_MAX}, {SIZE_MAX / 2}, {1u << 20}}};
  else
    return {T{}, number<T>(1), {{number<T>(-1)}, {number<T>(INT_MAX)}}};
}

template <class Signature>
class Sweep;
template <class... Parameters>
class Sweep<CUresult(Parameters...)> {
 public:
  static void run(const char* name) { Sweep(name).all(std::index_sequence_for<Parameters...>()); }

 private:
  explicit Sweep(const char* name)
      : name_(name), function_(entry_point_as<CUresult(Parameters...)>(name)) {}

  template <std::size_t... index>
  void all(std::index_sequence<index...>) {
    for (const bool usable : {false, true}) {
      call(usable, [](auto&) {});
      (vary<index>(usable), ...);
    }
  }

  template <std::size_t index>
  void vary(bool usable) {
    using T = std::tuple_element_t<index, std::tuple<Parameters...>>;
    const std::size_t count = arguments<T>().odd.size();
    for (std::size_t which = 0; which <= count; ++which) {
      bool refused = false;
      const CUresult result = call(usable, [&](auto& all) {
        const Arguments<T> now = arguments<T>();
        std::get<index>(all) = which < count ? now.odd[which].value
                               : usable      ? now.null
                                             : now.usable;
        refused = which < count && now.odd[which].refused;
      });
      if (!refused) continue;
      EXPECT_NE(result, CUDA_SUCCESS) << name_ << ": argument " << index << ", odd value " << which;
    }
  }

  template <class Change>
  CUresult call([[maybe_unused]] bool usable, Change&& change) {
    objects.refresh();
    scratch.fill(std::byte{});
    std::tuple<Parameters...> all{usable ? arguments<Parameters>().usable
                                         : arguments<Parameters>().null...};
    change(all);
    const CUresult result = std::apply(*function_, all);
    const char* text = nullptr;
    EXPECT_CU(CUDA_SUCCESS, CU(cuGetErrorName)(result, &text)) << name_ << " = " << result;
    return result;
  }

  const char* name_;
  CUresult (*function_)(Parameters...);
};

struct EntryPoint {
  const char* name;
  void (*sweep)(const char* name);
};
#define TREADLE_SWEEP(function) \
  EntryPoint { TREADLE_TEXT(function), &Sweep<decltype(function)>::run }
#define TREADLE_SWEEP_OLDER(name, ...) \
  EntryPoint { name, &Sweep<CUresult(__VA_ARGS__)>::run }

const EntryPoint entry_points[] = {
    TREADLE_SWEEP(cuArray3DCreate),
    TREADLE_SWEEP(cuArray3DGetDescriptor),
    TREADLE_SWEEP(cuArrayCreate),
    TREADLE_SWEEP(cuArrayDestroy),
    TREADLE_SWEEP(cuArrayGetDescriptor),
    TREADLE_SWEEP(cuCtxCreate),
    TREADLE_SWEEP(cuCtxDestroy),
    TREADLE_SWEEP(cuCtxDisablePeerAccess),
    TREADLE_SWEEP(cuCtxEnablePeerAccess),
    TREADLE_SWEEP(cuCtxGetApiVersion),
    TREADLE_SWEEP(cuCtxGetCacheConfig),
    TREADLE_SWEEP(cuCtxGetCurrent),
    TREADLE_SWEEP(cuCtxGetDevice),
    TREADLE_SWEEP(cuCtxGetDevice_v2),
    TREADLE_SWEEP(cuCtxGetFlags),
    TREADLE_SWEEP(cuCtxGetId),
    TREADLE_SWEEP(cuCtxGetLimit),
    TREADLE_SWEEP(cuCtxGetStreamPriorityRange),
    TREADLE_SWEEP(cuCtxPopCurrent),
    TREADLE_SWEEP(cuCtxPushCurrent),
    TREADLE_SWEEP(cuCtxResetPersistingL2Cache),
    TREADLE_SWEEP(cuCtxSetCacheConfig),
    TREADLE_SWEEP(cuCtxSetCurrent),
    TREADLE_SWEEP(cuCtxSetFlags),
    TREADLE_SWEEP(cuCtxSetLimit),
    TREADLE_SWEEP(cuCtxSynchronize),
    TREADLE_SWEEP(cuCtxSynchronize_v2),
    TREADLE_SWEEP(cuDeviceCanAccessPeer),
    TREADLE_SWEEP(cuDeviceGet),
    TREADLE_SWEEP(cuDeviceGetAttribute),
    TREADLE_SWEEP(cuDeviceGetGraphMemAttribute),
    TREADLE_SWEEP(cuDeviceSetGraphMemAttribute),
    TREADLE_SWEEP(cuDeviceGraphMemTrim),
    TREADLE_SWEEP(cuDeviceGetTexture1DLinearMaxWidth),
    TREADLE_SWEEP(cuDeviceGetByPCIBusId),
    TREADLE_SWEEP(cuDeviceGetCount),
    TREADLE_SWEEP(cuDeviceGetExecAffinitySupport),
    TREADLE_SWEEP(cuDeviceGetName),
    TREADLE_SWEEP(cuDeviceGetP2PAttribute),
    TREADLE_SWEEP(cuDeviceGetPCIBusId),
    TREADLE_SWEEP(cuDeviceGetUuid),
    TREADLE_SWEEP(cuDevicePrimaryCtxGetState),
    TREADLE_SWEEP(cuDevicePrimaryCtxRelease),
    TREADLE_SWEEP(cuDevicePrimaryCtxReset),
    TREADLE_SWEEP(cuDevicePrimaryCtxRetain),
    TREADLE_SWEEP(cuDevicePrimaryCtxSetFlags),
    TREADLE_SWEEP(cuDeviceTotalMem),
    TREADLE_SWEEP(cuDriverGetVersion),
    TREADLE_SWEEP(cuEventCreate),
    TREADLE_SWEEP(cuEventDestroy),
    TREADLE_SWEEP(cuEventElapsedTime),
    TREADLE_SWEEP(cuEventQuery),
    TREADLE_SWEEP(cuEventRecord),
    TREADLE_SWEEP(cuEventRecordWithFlags),
    TREADLE_SWEEP(cuEventSynchronize),
    TREADLE_SWEEP(cuFuncGetAttribute),
    TREADLE_SWEEP(cuFuncGetModule),
    TREADLE_SWEEP(cuFuncGetName),
    TREADLE_SWEEP(cuFuncGetParamInfo),
    TREADLE_SWEEP(cuFuncIsLoaded),
    TREADLE_SWEEP(cuFuncLoad),
    TREADLE_SWEEP(cuFuncSetAttribute),
    TREADLE_SWEEP(cuFuncSetCacheConfig),
    TREADLE_SWEEP(cuGetErrorName),
    TREADLE_SWEEP(cuGetErrorString),
    TREADLE_SWEEP(cuGraphAddChildGraphNode),
    TREADLE_SWEEP(cuGraphAddDependencies),
    TREADLE_SWEEP(cuGraphAddEmptyNode),
    TREADLE_SWEEP(cuGraphAddEventRecordNode),
    TREADLE_SWEEP(cuGraphAddEventWaitNode),
    TREADLE_SWEEP(cuGraphAddHostNode),
    TREADLE_SWEEP(cuGraphAddKernelNode),
    TREADLE_SWEEP(cuGraphAddMemAllocNode),
    TREADLE_SWEEP(cuGraphAddMemFreeNode),
    TREADLE_SWEEP(cuGraphAddMemcpyNode),
    TREADLE_SWEEP(cuGraphAddMemsetNode),
    TREADLE_SWEEP(cuGraphAddNode),
    TREADLE_SWEEP(cuGraphChildGraphNodeGetGraph),
    TREADLE_SWEEP(cuGraphClone),
    TREADLE_SWEEP(cuGraphConditionalHandleCreate),
    TREADLE_SWEEP(cuGraphCreate),
    TREADLE_SWEEP(cuGraphDebugDotPrint),
    TREADLE_SWEEP(cuGraphDestroy),
    TREADLE_SWEEP(cuGraphDestroyNode),
    TREADLE_SWEEP(cuGraphEventRecordNodeGetEvent),
    TREADLE_SWEEP(cuGraphEventRecordNodeSetEvent),
    TREADLE_SWEEP(cuGraphEventWaitNodeGetEvent),
    TREADLE_SWEEP(cuGraphEventWaitNodeSetEvent),
    TREADLE_SWEEP(cuGraphExecChildGraphNodeSetParams),
    TREADLE_SWEEP(cuGraphExecDestroy),
    TREADLE_SWEEP(cuGraphExecEventRecordNodeSetEvent),
    TREADLE_SWEEP(cuGraphExecEventWaitNodeSetEvent),
    TREADLE_SWEEP(cuGraphExecGetFlags),
    TREADLE_SWEEP(cuGraphExecHostNodeSetParams),
    TREADLE_SWEEP(cuGraphExecKernelNodeSetParams),
    TREADLE_SWEEP(cuGraphExecMemcpyNodeSetParams),
    TREADLE_SWEEP(cuGraphExecMemsetNodeSetParams),
    TREADLE_SWEEP(cuGraphExecNodeSetParams),
    TREADLE_SWEEP(cuGraphExecUpdate),
    TREADLE_SWEEP(cuGraphGetEdges),
    TREADLE_SWEEP(cuGraphGetNodes),
    TREADLE_SWEEP(cuGraphGetRootNodes),
    TREADLE_SWEEP(cuGraphHostNodeGetParams),
    TREADLE_SWEEP(cuGraphHostNodeSetParams),
    TREADLE_SWEEP(cuGraphInstantiate),
    TREADLE_SWEEP(cuGraphInstantiateWithParams),
    TREADLE_SWEEP(cuGraphKernelNodeCopyAttributes),
    TREADLE_SWEEP(cuGraphKernelNodeGetAttribute),
    TREADLE_SWEEP(cuGraphKernelNodeGetParams),
    TREADLE_SWEEP(cuGraphKernelNodeSetAttribute),
    TREADLE_SWEEP(cuGraphKernelNodeSetParams),
    TREADLE_SWEEP(cuGraphLaunch),
    TREADLE_SWEEP(cuGraphMemAllocNodeGetParams),
    TREADLE_SWEEP(cuGraphMemFreeNodeGetParams),
    TREADLE_SWEEP(cuGraphMemcpyNodeGetParams),
    TREADLE_SWEEP(cuGraphMemcpyNodeSetParams),
    TREADLE_SWEEP(cuGraphMemsetNodeGetParams),
    TREADLE_SWEEP(cuGraphMemsetNodeSetParams),
    TREADLE_SWEEP(cuGraphNodeFindInClone),
    TREADLE_SWEEP(cuGraphNodeGetDependencies),
    TREADLE_SWEEP(cuGraphNodeGetDependentNodes),
    TREADLE_SWEEP(cuGraphNodeGetEnabled),
    TREADLE_SWEEP(cuGraphNodeGetType),
    TREADLE_SWEEP(cuGraphNodeSetEnabled),
    TREADLE_SWEEP(cuGraphNodeSetParams),
    TREADLE_SWEEP(cuGraphReleaseUserObject),
    TREADLE_SWEEP(cuGraphRemoveDependencies),
    TREADLE_SWEEP(cuGraphRetainUserObject),
    TREADLE_SWEEP(cuGraphUpload),
    TREADLE_SWEEP(cuInit),
    TREADLE_SWEEP(cuKernelGetAttribute),
    TREADLE_SWEEP(cuKernelGetFunction),
    TREADLE_SWEEP(cuKernelGetLibrary),
    TREADLE_SWEEP(cuKernelGetName),
    TREADLE_SWEEP(cuKernelGetParamInfo),
    TREADLE_SWEEP(cuKernelSetAttribute),
    TREADLE_SWEEP(cuKernelSetCacheConfig),
    TREADLE_SWEEP(cuLaunchCooperativeKernel),
    TREADLE_SWEEP(cuLaunchHostFunc),
    TREADLE_SWEEP(cuLaunchKernel),
    TREADLE_SWEEP(cuLaunchKernelEx),
    TREADLE_SWEEP(cuIpcCloseMemHandle),
    TREADLE_SWEEP(cuIpcGetEventHandle),
    TREADLE_SWEEP(cuIpcGetMemHandle),
    TREADLE_SWEEP(cuIpcOpenEventHandle),
    TREADLE_SWEEP(cuIpcOpenMemHandle),
    TREADLE_SWEEP(cuLibraryEnumerateKernels),
    TREADLE_SWEEP(cuLibraryGetGlobal),
    TREADLE_SWEEP(cuLibraryGetKernel),
    TREADLE_SWEEP(cuLibraryGetKernelCount),
    TREADLE_SWEEP(cuLibraryGetManaged),
    TREADLE_SWEEP(cuLibraryGetModule),
    TREADLE_SWEEP(cuLibraryGetUnifiedFunction),
    TREADLE_SWEEP(cuLibraryLoadData),
    TREADLE_SWEEP(cuLibraryLoadFromFile),
    TREADLE_SWEEP(cuLibraryUnload),
    TREADLE_SWEEP(cuLinkAddData),
    TREADLE_SWEEP(cuLinkAddFile),
    TREADLE_SWEEP(cuLinkComplete),
    TREADLE_SWEEP(cuLinkCreate),
    TREADLE_SWEEP(cuLinkDestroy),
    TREADLE_SWEEP(cuMemAddressFree),
    TREADLE_SWEEP(cuMemAddressReserve),
    TREADLE_SWEEP(cuMemAdvise),
    TREADLE_SWEEP(cuMemAllocAsync),
    TREADLE_SWEEP(cuMemAllocHost),
    TREADLE_SWEEP(cuMemAllocManaged),
    TREADLE_SWEEP(cuMemAllocPitch),
    TREADLE_SWEEP(cuMemCreate),
    TREADLE_SWEEP(cuMemDiscardAndPrefetchBatchAsync),
    TREADLE_SWEEP(cuMemDiscardBatchAsync),
    TREADLE_SWEEP(cuMemExportToShareableHandle),
    TREADLE_SWEEP(cuMemAlloc),
    TREADLE_SWEEP(cuMemFreeAsync),
    TREADLE_SWEEP(cuMemFreeHost),
    TREADLE_SWEEP(cuMemFree),
    TREADLE_SWEEP(cuMemGetAddressRange),
    TREADLE_SWEEP(cuMemGetAllocationGranularity),
    TREADLE_SWEEP(cuMemGetAllocationPropertiesFromHandle),
    TREADLE_SWEEP(cuMemGetAccess),
    TREADLE_SWEEP(cuMemGetInfo),
    TREADLE_SWEEP(cuMemHostAlloc),
    TREADLE_SWEEP(cuMemHostGetDevicePointer),
    TREADLE_SWEEP(cuMemHostGetFlags),
    TREADLE_SWEEP(cuMemHostRegister),
    TREADLE_SWEEP(cuMemHostUnregister),
    TREADLE_SWEEP(cuMemImportFromShareableHandle),
    TREADLE_SWEEP(cuMemMap),
    TREADLE_SWEEP(cuMemPrefetchAsync),
    TREADLE_SWEEP(cuMemPrefetchBatchAsync),
    TREADLE_SWEEP(cuMemRangeGetAttribute),
    TREADLE_SWEEP(cuMemRangeGetAttributes),
    TREADLE_SWEEP(cuMemRelease),
    TREADLE_SWEEP(cuMemRetainAllocationHandle),
    TREADLE_SWEEP(cuMemSetAccess),
    TREADLE_SWEEP(cuMemUnmap),
    TREADLE_SWEEP(cuMemcpy),
    TREADLE_SWEEP(cuMemcpy2DAsync),
    TREADLE_SWEEP(cuMemcpy2DUnaligned),
    TREADLE_SWEEP(cuMemcpy2D),
    TREADLE_SWEEP(cuMemcpy3DAsync),
    TREADLE_SWEEP(cuMemcpy3DPeer),
    TREADLE_SWEEP(cuMemcpy3DPeerAsync),
    TREADLE_SWEEP(cuMemcpy3D),
    TREADLE_SWEEP(cuMemcpyAsync),
    TREADLE_SWEEP(cuMemcpyBatchAsync),
    TREADLE_SWEEP(cuMemcpy3DBatchAsync),
    TREADLE_SWEEP(cuMemcpyAtoA),
    TREADLE_SWEEP(cuMemcpyAtoD),
    TREADLE_SWEEP(cuMemcpyAtoHAsync),
    TREADLE_SWEEP(cuMemcpyAtoH),
    TREADLE_SWEEP(cuMemcpyDtoA),
    TREADLE_SWEEP(cuMemcpyDtoDAsync),
    TREADLE_SWEEP(cuMemcpyDtoD),
    TREADLE_SWEEP(cuMemcpyDtoHAsync),
    TREADLE_SWEEP(cuMemcpyDtoH),
    TREADLE_SWEEP(cuMemcpyHtoAAsync),
    TREADLE_SWEEP(cuMemcpyHtoA),
    TREADLE_SWEEP(cuMemcpyHtoDAsync),
    TREADLE_SWEEP(cuMemcpyHtoD),
    TREADLE_SWEEP(cuMemcpyPeer),
    TREADLE_SWEEP(cuMemcpyPeerAsync),
    TREADLE_SWEEP(cuMemsetD16Async),
    TREADLE_SWEEP(cuMemsetD16),
    TREADLE_SWEEP(cuMemsetD2D16Async),
    TREADLE_SWEEP(cuMemsetD2D16),
    TREADLE_SWEEP(cuMemsetD2D32Async),
    TREADLE_SWEEP(cuMemsetD2D32),
    TREADLE_SWEEP(cuMemsetD2D8Async),
    TREADLE_SWEEP(cuMemsetD2D8),
    TREADLE_SWEEP(cuMemsetD32Async),
    TREADLE_SWEEP(cuMemsetD32),
    TREADLE_SWEEP(cuMemsetD8Async),
    TREADLE_SWEEP(cuMemsetD8),
    TREADLE_SWEEP(cuMipmappedArrayCreate),
    TREADLE_SWEEP(cuMipmappedArrayDestroy),
    TREADLE_SWEEP(cuMipmappedArrayGetLevel),
    TREADLE_SWEEP(cuModuleEnumerateFunctions),
    TREADLE_SWEEP(cuModuleGetFunction),
    TREADLE_SWEEP(cuModuleGetFunctionCount),
    TREADLE_SWEEP(cuModuleGetGlobal),
    TREADLE_SWEEP(cuModuleGetLoadingMode),
    TREADLE_SWEEP(cuModuleLoad),
    TREADLE_SWEEP(cuModuleLoadData),
    TREADLE_SWEEP(cuModuleLoadDataEx),
    TREADLE_SWEEP(cuModuleLoadFatBinary),
    TREADLE_SWEEP(cuModuleUnload),
    TREADLE_SWEEP(cuOccupancyAvailableDynamicSMemPerBlock),
    TREADLE_SWEEP(cuOccupancyMaxActiveBlocksPerMultiprocessor),
    TREADLE_SWEEP(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags),
    TREADLE_SWEEP(cuOccupancyMaxPotentialBlockSize),
    TREADLE_SWEEP(cuOccupancyMaxPotentialBlockSizeWithFlags),
    TREADLE_SWEEP(cuPointerGetAttribute),
    TREADLE_SWEEP(cuPointerGetAttributes),
    TREADLE_SWEEP(cuPointerSetAttribute),
    TREADLE_SWEEP(cuStreamAddCallback),
    TREADLE_SWEEP(cuStreamAttachMemAsync),
    TREADLE_SWEEP(cuStreamBeginCapture),
    TREADLE_SWEEP(cuStreamBeginCaptureToGraph),
    TREADLE_SWEEP(cuStreamCreate),
    TREADLE_SWEEP(cuStreamCreateWithPriority),
    TREADLE_SWEEP(cuStreamDestroy),
    TREADLE_SWEEP(cuStreamEndCapture),
    TREADLE_SWEEP(cuStreamGetCaptureInfo),
    TREADLE_SWEEP(cuStreamGetCtx),
    TREADLE_SWEEP(cuStreamGetCtx_v2),
    TREADLE_SWEEP(cuStreamGetDevice),
    TREADLE_SWEEP(cuStreamGetFlags),
    TREADLE_SWEEP(cuStreamGetId),
    TREADLE_SWEEP(cuStreamGetPriority),
    TREADLE_SWEEP(cuStreamIsCapturing),
    TREADLE_SWEEP(cuStreamQuery),
    TREADLE_SWEEP(cuStreamSynchronize),
    TREADLE_SWEEP(cuStreamUpdateCaptureDependencies),
    TREADLE_SWEEP(cuStreamWaitEvent),
    TREADLE_SWEEP(cuDeviceGetDefaultMemPool),
    TREADLE_SWEEP(cuDeviceGetMemPool),
    TREADLE_SWEEP(cuDeviceSetMemPool),
    TREADLE_SWEEP(cuGraphAddBatchMemOpNode),
    TREADLE_SWEEP(cuGraphBatchMemOpNodeGetParams),
    TREADLE_SWEEP(cuGraphBatchMemOpNodeSetParams),
    TREADLE_SWEEP(cuGraphExecBatchMemOpNodeSetParams),
    TREADLE_SWEEP(cuMemAllocFromPoolAsync),
    TREADLE_SWEEP(cuMemPoolCreate),
    TREADLE_SWEEP(cuMemPoolDestroy),
    TREADLE_SWEEP(cuMemPoolGetAccess),
    TREADLE_SWEEP(cuMemPoolGetAttribute),
    TREADLE_SWEEP(cuMemPoolSetAccess),
    TREADLE_SWEEP(cuMemPoolSetAttribute),
    TREADLE_SWEEP(cuMemPoolTrimTo),
    TREADLE_SWEEP(cuStreamBatchMemOp),
    TREADLE_SWEEP(cuStreamCopyAttributes),
    TREADLE_SWEEP(cuStreamGetAttribute),
    TREADLE_SWEEP(cuStreamSetAttribute),
    // They would wait for a word that nobody writes: stream_operations_test.cpp gives them odd
    // ones.
    EntryPoint{"cuStreamWaitValue32_v2", [](const char*) {}},
    EntryPoint{"cuStreamWaitValue64_v2", [](const char*) {}},
    TREADLE_SWEEP(cuStreamWriteValue32),
    TREADLE_SWEEP(cuStreamWriteValue64),
    TREADLE_SWEEP(cuSurfObjectCreate),
    TREADLE_SWEEP(cuSurfObjectDestroy),
    TREADLE_SWEEP(cuSurfObjectGetResourceDesc),
    TREADLE_SWEEP(cuTexObjectCreate),
    TREADLE_SWEEP(cuTexObjectDestroy),
    TREADLE_SWEEP(cuTexObjectGetResourceDesc),
    TREADLE_SWEEP(cuTexObjectGetResourceViewDesc),
    TREADLE_SWEEP(cuTexObjectGetTextureDesc),
    TREADLE_SWEEP(cuThreadExchangeStreamCaptureMode),
    TREADLE_SWEEP(cuUserObjectCreate),
    TREADLE_SWEEP(cuUserObjectRelease),
    TREADLE_SWEEP(cuUserObjectRetain),
    TREADLE_SWEEP_OLDER("cuCtxCreate_v2", CUcontext*, unsigned, CUdevice),
    TREADLE_SWEEP_OLDER("cuCtxCreate_v3", CUcontext*, CUexecAffinityParam*, int, unsigned,
                        CUdevice),
    TREADLE_SWEEP_OLDER("cuDeviceGetUuid", CUuuid*, CUdevice),
    TREADLE_SWEEP_OLDER("cuEventElapsedTime", float*, CUevent, CUevent),
    TREADLE_SWEEP_OLDER("cuGetProcAddress", const char*, void**, int, cuuint64_t),
    TREADLE_SWEEP_OLDER("cuGetProcAddress_v2", const char*, void**, int, cuuint64_t,
                        CUdriverProcAddressQueryResult*),
    TREADLE_SWEEP_OLDER("cuMemAdvise", CUdeviceptr, std::size_t, CUmem_advise, CUdevice),
    TREADLE_SWEEP_OLDER("cuMemPrefetchAsync", CUdeviceptr, std::size_t, CUdevice, CUstream),
    TREADLE_SWEEP_OLDER("cuCtxGetSharedMemConfig", CUsharedconfig*),
    TREADLE_SWEEP_OLDER("cuCtxSetSharedMemConfig", CUsharedconfig),
    TREADLE_SWEEP_OLDER("cuFuncSetSharedMemConfig", CUfunction, CUsharedconfig),
    TREADLE_SWEEP_OLDER("cuProfilerInitialize", const char*, const char*, int),
    TREADLE_SWEEP_OLDER("cuProfilerStart"),
    TREADLE_SWEEP_OLDER("cuProfilerStop"),
};

/// cu* in the library's table of dynamic symbols.
std::set<std::string> exported() {
  Dl_info info{};
  EXPECT_NE(dladdr(entry_point("cuInit"), &info), 0);
  std::ifstream file(info.dli_fname, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  std::vector<Elf64_Shdr> sections(header.e_shnum);
  std::memcpy(sections.data(), bytes.data() + header.e_shoff, sections.size() * sizeof sections[0]);
  std::set<std::string> names;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM) continue;
    const char* text = bytes.data() + sections[section.sh_link].sh_offset;
    for (std::size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, bytes.data() + section.sh_offset + at, sizeof symbol);
      const std::string name = text + symbol.st_name;
      if (symbol.st_shndx != SHN_UNDEF && name.starts_with("cu")) names.insert(name);
    }
  }
  return names;
}

TEST(EntryPointsTest, the_table_below_names_every_one) {
  std::set<std::string> listed;
  for (const EntryPoint& each : entry_points) listed.insert(each.name);
  EXPECT_EQ(listed, exported());
}

class EntryPointSweep : public ::testing::TestWithParam<EntryPoint> {
 protected:
  static void SetUpTestSuite() {
    ASSERT_CU(CU(cuInit)(0));
    objects.make();
  }
  static void TearDownTestSuite() {
    objects.refresh();
    EXPECT_CU(CUDA_SUCCESS, CU(cuCtxDestroy)(objects.context));
    std::remove("saxpy");  // cuGraphDebugDotPrint was given that name
  }
};

TEST_P(EntryPointSweep, survives_odd_arguments) { GetParam().sweep(GetParam().name); }

INSTANTIATE_TEST_SUITE_P(All, EntryPointSweep, ::testing::ValuesIn(entry_points),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace treadle::cuda_cpu::test
