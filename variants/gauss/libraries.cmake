find_package(CUDAToolkit QUIET)
portcost_peer(library_cusolver.cu STEPS cusolver LIBRARY cuSOLVER NEEDS CUDA::cusolver)

# OpenBLAS alone: the peer tells it how many threads to take. ThreadSanitizer does not know how its threads wait.
set(without "OpenBLAS was not found when this was built (Debian: libopenblas-dev)")
if(PORTCOST_TSAN)
  set(without "ThreadSanitizer does not know how the threads of OpenBLAS wait")
else()
  set(BLA_VENDOR OpenBLAS)
  find_package(LAPACK QUIET)
  unset(BLA_VENDOR)
endif()
portcost_peer(library_lapack.cpp STEPS lapack LIBRARY OpenBLAS NEEDS LAPACK::LAPACK WITHOUT "${without}")
