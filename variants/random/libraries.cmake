find_package(CUDAToolkit QUIET)
portcost_peer(library_curand.cu STEPS curand_xorwow curand_philox curand_mrg32k3a LIBRARY cuRAND NEEDS CUDA::curand)
