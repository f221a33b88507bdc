# shellcheck shell=bash
# shellcheck disable=SC2154  # folder, measured, preset and the like are perf/run's
# perf/run --repeat: several processes, one after the other, whose records are combined. Sourced by perf/run.
#
# A folder of results then holds process-1-of-3.jsonl (with its .csv) and so on, the combined record.jsonl, and
# campaign.txt: what perf/run --resume needs to go on, whichever process was stopped.

campaign_file=campaign.txt

# process_record FOLDER NUMBER
process_record() { printf '%s/%s-%d-of-%d.jsonl' "$1" "${version:-process}" "$2" "$repeat"; }

# Keeps the words of the measurement, one a line.
write_campaign() {
  local name
  {
    printf 'repeat %d\npreset %s\ntable1 %d\nranks %s\n' "$repeat" "$preset" "$table1" "$ranks"
    printf 'word %s\n' "${measured[@]}"
    for name in "${versions[@]}"; do printf 'kokkos %s=%s\n' "$name" "${where_of[$name]}"; done
  } >"$folder/$campaign_file"
}

# Sets repeat, preset, table1, measured, record and the words of --kokkos from the folder that is to be resumed.
read_campaign() {
  local key value begun=()
  measured=()
  repeat=''
  while read -r key value; do
    case $key in
      repeat) repeat=$value ;;
      preset) preset=${preset:-$value} ;;
      table1) table1=$value ;;
      ranks) ranks=$value ;;
      word) measured+=("$value") ;;
      kokkos) begun+=("$value") ;;
    esac
  done <"$folder/$campaign_file"
  [[ $repeat =~ ^[0-9]+$ && ${#measured[@]} -gt 0 ]] ||
    usage_error "--resume $resume: $folder/$campaign_file is damaged: measure again"
  record=$folder/record.jsonl
  if ((${#begun[@]})); then
    ((!${#kokkos_words[@]})) || usage_error "--resume goes on with the versions of Kokkos that it was begun with: leave --kokkos away"
    kokkos_words=("${begun[@]}")
  fi
}

# Runs the processes that are missing, finishes the one that was stopped, and combines all. The first chooses which steps
# the noise floor and best against best are measured of.
run_processes() {
  local number records=() like=()
  for ((number = 1; number <= repeat; ++number)); do
    record=$(process_record "$folder" "$number")
    records+=("$record")
    run_process "$number" "${like[@]}"
    like=(--like "${records[0]}")
  done
  record=$folder/record.jsonl
  if [[ ! -f $record ]]; then
    say "combining $repeat processes"
    run_portcost derive "${records[@]}" --force --out "$record"
  elif grep -q -e '"agrees":false' -e '"kind":"failure"' "$record"; then
    # shellcheck disable=SC2034  # perf/run's
    unequal=1
  fi
}

# run_process NUMBER [--like RECORD]
run_process() {
  local number=$1
  shift
  if [[ -f $record ]]; then
    say "process $number of $repeat is measured already"
  elif grep -qs '^{"kind":"result"' "$record.part"; then
    say "going on with process $number of $repeat"
    run_portcost bench "$@" --resume "$record"
  else
    # Of a process that was stopped before its first row nothing is lost.
    say "measuring: process $number of $repeat"
    run_portcost bench "${measured[@]}" --seed "$number" "$@" --out "$record"
  fi
}
