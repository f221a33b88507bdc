"""Reading, picturing and comparing portcost records (perf/portcost report, perf/portcost compare)."""
