# Kokkos Kernels is found with Kokkos (cmake/PortcostKokkos.cmake), because their versions must match.
find_package(CUDAToolkit QUIET)
portcost_peer(library_cublas.cu STEPS cublas LIBRARY cuBLAS NEEDS CUDA::cublas)
portcost_peer(library_kokkos_kernels.cpp STEPS kokkos_kernels_serial kokkos_kernels_team LIBRARY "Kokkos Kernels"
              NEEDS Kokkos::kokkoskernels)
