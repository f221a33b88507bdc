# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # folder, measured, preset and the like are perf/run's
# perf/run --kokkos A --kokkos B: versions of Kokkos, measured in turn on one machine. Sourced by perf/run.
#
# Each has a build folder of its own, build/PRESET-kokkos-NAME. A round (--repeat) is a process of each version, and another
# version begins each round, so that a drift of the machine is no version's. The folder of results then holds NAME-1-of-3.jsonl
# and so on, each version's records combined, NAME.jsonl, and record.jsonl: all versions in one record.

kokkos_words=()         # the values of --kokkos
versions=()             # names, in the order given
version=''              # the one that is built and run now
declare -A where_of=()  # of each its prefix, or `release` or `distribution`
declare -A left_out=()  # of those that were not configured, built or run: why

# Sets `kokkos`, or `versions` where --kokkos is given several times, and `repeat`.
choose_versions() {
  local word
  if ((${#kokkos_words[@]} < 2)); then
    kokkos=${kokkos_words[0]:-$kokkos} repeat=${repeat:-1}
    return 0
  fi
  [[ -z $ranks ]] || usage_error "several --kokkos are measured by one process at a time: they do not go with --ranks"
  ((!table1)) || usage_error "several --kokkos have a page of their own: they do not go with --table1"
  for word in "${kokkos_words[@]}"; do add_version "$word"; done
  repeat=${repeat:-3} kokkos=${where_of[${versions[0]}]}
  kokkos_kernels='' # each takes those of its own prefix
  unset Kokkos_ROOT KokkosKernels_ROOT
}

# add_version [NAME=]WHERE
add_version() {
  local name='' where=$1 other
  if [[ $where =~ ^([A-Za-z0-9][A-Za-z0-9._+-]*)=(.+)$ ]]; then
    name=${BASH_REMATCH[1]} where=${BASH_REMATCH[2]}
  fi
  if [[ $where == distribution ]]; then
    ! measures_gpu || usage_error "--kokkos distribution serves hosts, and the GPU is measured: take --preset openmp"
  elif [[ $where != release ]]; then
    where=$(cd "$where" 2>/dev/null && pwd -P) || usage_error "--kokkos $1: there is no such folder"
    other=$(kokkos_version "$where")
    [[ -n $other ]] || usage_error "--kokkos $1: no Kokkos is installed there (no lib*/cmake/Kokkos/KokkosConfigVersion.cmake)"
    name=${name:-$other}
    if measures_gpu && ! kokkos_has_cuda "$where"; then
      die 3 "--kokkos $1: that Kokkos was built without CUDA, and the GPU is measured: name another, or take --preset openmp"
    elif ! measures_gpu && kokkos_has_cuda "$where"; then
      die 3 "--kokkos $1: that Kokkos was built with CUDA, and the host is measured: name another, or take --preset cuda"
    fi
  fi
  name=${name:-$where}
  [[ $name != record ]] || usage_error "--kokkos $1: record.jsonl is of all versions: give it another name"
  for other in "${versions[@]}"; do
    [[ ${where_of[$other]} != "$where" ]] || usage_error "--kokkos $where is given twice"
    [[ $other != "$name" ]] || usage_error "two --kokkos are called $name: name them, as in --kokkos a=$where"
  done
  versions+=("$name")
  where_of[$name]=$where
}

# kokkos_version PREFIX: of the Kokkos that is installed there; nothing where there is none.
kokkos_version() {
  local files
  mapfile -t files < <(cmake_files "$1" Kokkos/KokkosConfigVersion.cmake)
  sed -n 's/^ *set(PACKAGE_VERSION "\(.*\)".*/\1/p' /dev/null "${files[@]}" | head -n 1
}

# What is configured, built and run from now on.
take_version() { version=$1 kokkos=${where_of[$1]} build=$preset-kokkos-$1; }

# leave_out WHY
leave_out() {
  left_out[$version]=$1
  say "Kokkos $version is left out: it $1"
}

build_versions() {
  local name log why
  for name in "${versions[@]}"; do
    take_version "$name"
    say "Kokkos $name (${where_of[$name]})"
    log=$logs/$build-build.log
    if ! (configure OFF); then
      why=$(cat "$root/build/$build/portcost-stopped.txt" 2>/dev/null) || why="see $logs/$build-configure.log"
      leave_out "is not configured: $why"
    elif ! (build_targets portcost_command); then
      why=$(grep -m 1 -E '(^|[^a-z])(fatal )?error[: ]' "$log") || why=''
      leave_out "does not build: ${why:+$why }($log)"
    fi
    # Kept, for what is built already says nothing the next time.
    ! grep -qs 'ptxas info' "$log" || grep 'ptxas info\|bytes stack frame' "$log" >>"$root/build/$build/ptxas.txt"
  done
}

# What perf/run does where `portcost WORD...` ended with this status: a stop ends it, anything else leaves the version out.
version_failed() {
  case $1 in
    129 | 130 | 143) die "$1" "not finished; go on with: perf/run --resume $folder" ;;
    *) leave_out "ended with status $1 in: portcost ${*:2}" ;;
  esac
}

# A version's first process takes the sizes and steps of the first process of all, where both have the same variants.
measure_round() {
  local round=$1 own
  own=$(process_record "$folder" 1)
  record=$(process_record "$folder" "$round")
  if ((round > 1)); then
    run_process "$round" --like "$own"
  elif [[ -z $first ]]; then
    run_process 1
  else
    run_process 1 --like "$first"
    if [[ ${left_out[$version]:-} == 'ended with status 2 '* ]]; then
      unset "left_out[$version]"
      say "Kokkos $version has other variants than ${first##*/}: measuring it by itself"
      run_process 1
    fi
  fi
  [[ -n $first || ! -f $own ]] || first=$own
}

measure_versions() {
  local round place first='' count=${#versions[@]}
  for ((round = 1; round <= repeat; ++round)); do
    for ((place = 0; place < count; ++place)); do
      take_version "${versions[(round - 1 + place) % count]}"
      [[ -n ${left_out[$version]:-} ]] || measure_round "$round"
    done
  done
}

# The lines of ptxas -v as rows of a record: the registers of each kernel, and the bytes of spills that it stores and loads.
kernel_rows() {
  awk -v quote="'" '
    /Compiling entry function/ { split($0, part, quote); name = part[2] }
    /Function properties for/ { own = index($0, name) }
    /bytes stack frame/ && own { spills = $5 + $9 }
    match($0, /Used [0-9]+ registers/) && name != "" {
      printf "{\"kind\":\"kernel\",\"name\":\"%s\",\"registers\":%d,\"spills\":%d}\n", name, substr($0, RSTART + 5), spills
      name = "" }' "$1"
}

# As it stands in a text of JSON.
json_text() { printf '%s' "$1" | tr '\001-\037' '[ *]' | sed 's/[\\"]/\\&/g'; }

# Combines each version's records, unless they are combined already and perhaps have counters since; and writes one record of
# all versions, in which a row `version` precedes what belongs to it.
combine_versions() {
  local name number records all=$folder/record.jsonl
  : >"$all.part"
  for name in "${versions[@]}"; do
    take_version "$name"
    records=()
    for ((number = 1; number <= repeat; ++number)); do
      record=$(process_record "$folder" "$number")
      [[ ! -f $record ]] || records+=("$record")
    done
    record=$folder/$name.jsonl
    if ((${#records[@]})) && [[ ! $record -nt ${records[-1]} ]]; then
      rm -f "$record"
      ((${#records[@]} == 1)) || run_portcost derive "${records[@]}" --force --out "$record"
      if [[ ! -f $record ]]; then
        cat "${records[-1]}" >"$record"
        if ((${#records[@]} > 1)); then # under another load they have other numbers of allocations; --resume tries again
          touch -r "${records[0]}" "$record"
          leave_out "has one process of ${#records[@]}: portcost derive did not combine them"
        fi
      fi
    elif grep -qs -e '"agrees":false' -e '"kind":"failure"' "$record"; then
      unequal=1
    fi
    {
      printf '{"kind":"version","name":"%s","where":"%s","left_out":"%s"}\n' "$name" "$(json_text "${where_of[$name]}")" \
        "$(json_text "${left_out[$name]:-}")"
      [[ ! -f $root/build/$build/ptxas.txt ]] || kernel_rows "$root/build/$build/ptxas.txt"
      [[ ! -f $record ]] || cat "$record"
    } >>"$all.part"
  done
  mv "$all.part" "$all"
}

run_versions() {
  local name
  build_versions
  if [[ -z $resume ]]; then
    choose_measurements
    make_folder
    write_campaign
    for name in "${versions[@]}"; do
      take_version "$name"
      [[ -n ${left_out[$name]:-} ]] || run_portcost check "${checked[@]}"
    done
  fi
  measure_versions
  combine_versions
  ((!${#left_out[@]})) || unequal=1
  "$root/perf/portcost" versions "$folder/record.jsonl" --out "$folder" || die 1 "there is no page of the versions"
  say "record: $folder/record.jsonl, and of each version by its name; report: $folder/versions.html and $folder/versions.md"
}
