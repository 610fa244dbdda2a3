// SPDX-License-Identifier: MIT
// How the headers of random numbers define their functions, for NVRTC and for the CPU device alike.
#pragma once

#define __TREADLE_RANDOM static __inline__ __device__

// CUDA 13 warns of double4, whose alignment is to change. Four random doubles are passed by value: it does not matter.
#ifndef __TREADLE_CPU__
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1444
#endif
typedef double4 __treadle_double4;
#ifndef __TREADLE_CPU__
#pragma nv_diagnostic pop
#endif
