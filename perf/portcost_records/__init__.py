"""Reading, picturing and comparing portcost records (perf/report, perf/compare)."""
