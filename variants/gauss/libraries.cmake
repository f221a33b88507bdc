find_package(CUDAToolkit QUIET)
portcost_peer(library_cusolver.cu STEPS cusolver LIBRARY cuSOLVER NEEDS CUDA::cusolver)
