# Kokkos Kernels is found with Kokkos (cmake/PortcostKokkos.cmake), because their versions must match.
portcost_peer(library_cub.cu STEPS cub LIBRARY CUB)
portcost_peer(library_kokkos_kernels.cpp STEPS kokkos_blas LIBRARY "Kokkos Kernels" NEEDS Kokkos::kokkoskernels)
