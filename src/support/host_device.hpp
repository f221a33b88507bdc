// SPDX-License-Identifier: Apache-2.0
// Marks a function that host and device code may call, one that must be inlined, and a loop that a
// device compiler must unroll. Our own, so that the CUDA baseline never sees a Kokkos header.
#pragma once

#ifdef __CUDACC__
#define PORTCOST_HOST_DEVICE __host__ __device__
#define PORTCOST_FORCEINLINE __host__ __device__ __forceinline__
#define PORTCOST_UNROLL _Pragma("unroll")
#else
#define PORTCOST_HOST_DEVICE
#define PORTCOST_FORCEINLINE inline __attribute__((always_inline))
#define PORTCOST_UNROLL
#endif
