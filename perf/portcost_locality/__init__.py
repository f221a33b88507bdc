"""The command portcost locality: from a loop nest, what a choice of block sizes moves."""
