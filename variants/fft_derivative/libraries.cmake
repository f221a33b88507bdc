include(${CMAKE_CURRENT_SOURCE_DIR}/shared/fft.cmake)
portcost_peer(library_kokkos_fft.cpp STEPS kokkos_fft LIBRARY kokkos-fft NEEDS KokkosFFT::fft WITHOUT "${no_kokkos_fft}")
