portcost_peer(library_cub.cu STEPS cub LIBRARY CUB)
