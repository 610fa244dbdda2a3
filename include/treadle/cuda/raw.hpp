// SPDX-License-Identifier: MIT
// The driver's own handle types, named without its header: Treadle's public headers do not need
// cuda.h.
#pragma once

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;
struct CUarray_st;
struct CUlinkState_st;
struct CUlib_st;
struct CUkern_st;
struct CUmipmappedArray_st;
struct CUgraph_st;
struct CUgraphNode_st;
struct CUgraphExec_st;

namespace treadle::cuda {

struct Table;  // treadle/cuda/table.hpp, the only public header that includes cuda.h

using RawContext = CUctx_st*;                    ///< CUcontext
using RawModule = CUmod_st*;                     ///< CUmodule
using RawFunction = CUfunc_st*;                  ///< CUfunction
using RawStream = CUstream_st*;                  ///< CUstream
using RawEvent = CUevent_st*;                    ///< CUevent
using RawArray = CUarray_st*;                    ///< CUarray
using RawMipmappedArray = CUmipmappedArray_st*;  ///< CUmipmappedArray
using RawTexture = unsigned long long;           ///< CUtexObject
using RawSurface = unsigned long long;           ///< CUsurfObject
using RawLink = CUlinkState_st*;                 ///< CUlinkState
using RawLibrary = CUlib_st*;                    ///< CUlibrary
using RawKernel = CUkern_st*;                    ///< CUkernel
using RawDevice = int;                           ///< CUdevice

using RawGraph = CUgraph_st*;          ///< CUgraph
using RawGraphNode = CUgraphNode_st*;  ///< CUgraphNode
using RawGraphExec = CUgraphExec_st*;  ///< CUgraphExec

/// An address in the unified address space of host and devices (CUdeviceptr).
using DevicePointer = unsigned long long;

}  // namespace treadle::cuda
