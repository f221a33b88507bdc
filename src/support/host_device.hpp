// SPDX-License-Identifier: Apache-2.0
// Marks a function that host and device code may call. Our own, so that the CUDA baseline never
// sees a Kokkos header.
#pragma once

#ifdef __CUDACC__
#define PORTCOST_HOST_DEVICE __host__ __device__
#else
#define PORTCOST_HOST_DEVICE
#endif
