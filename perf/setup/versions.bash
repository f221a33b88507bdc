# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # folder, measured, preset and the like are perf/run's
# perf/run --kokkos A --kokkos B: several versions of Kokkos, measured in turn on one machine. Sourced by perf/run.
#
# Each version has a build folder of its own, build/PRESET-kokkos-NAME. A round (--repeat) is a process of each version, which
# another version begins each time, so that what the machine does over time is no version's. The folder of results then holds
# NAME-1-of-3.jsonl and so on, each version's records combined, NAME.jsonl, and record.jsonl: all versions in one record.

rounds=3                 # without --repeat
kokkos_words=()          # the values of --kokkos
versions=()              # names, in the order given
version=''               # the one that is built and run now
declare -A where_of=()   # of each version its prefix, or `release` or `distribution`
declare -A left_out=()   # of those that were not configured, built or run: why

# Sets `kokkos`, or `versions` where --kokkos is given several times, and `repeat`.
choose_versions() {
  local word
  if ((${#kokkos_words[@]} > 1)); then
    [[ -z $ranks ]] || usage_error "several --kokkos are measured by one process at a time: they do not go with --ranks"
    ((!table1)) || usage_error "several --kokkos have a page of their own: they do not go with --table1"
    for word in "${kokkos_words[@]}"; do add_version "$word"; done
    repeat=${repeat:-$rounds}
  elif ((${#kokkos_words[@]})); then
    kokkos=${kokkos_words[0]}
  fi
  repeat=${repeat:-1}
  if ((${#versions[@]})); then
    kokkos=${where_of[${versions[0]}]} kokkos_kernels='' # each has the Kokkos Kernels of its own prefix
    unset Kokkos_ROOT KokkosKernels_ROOT
  fi
}

# add_version [NAME=]PREFIX, or release or distribution in the prefix's place
add_version() {
  local name='' where=$1 other
  if [[ $where =~ ^([A-Za-z0-9][A-Za-z0-9._+-]*)=(.+)$ ]]; then
    name=${BASH_REMATCH[1]} where=${BASH_REMATCH[2]}
  fi
  case $where in
    release) ;;
    distribution) ! measures_gpu || usage_error "--kokkos distribution serves hosts, and the GPU is measured: take --preset openmp" ;;
    *)
      where=$(cd "$where" 2>/dev/null && pwd -P) || usage_error "--kokkos $1: there is no such folder"
      other=$(kokkos_version "$where") ||
        usage_error "--kokkos $1: no Kokkos is installed there (no lib*/cmake/Kokkos/KokkosConfigVersion.cmake)"
      if measures_gpu; then
        kokkos_has_cuda "$where" || die 3 "--kokkos $1: that Kokkos was built without CUDA, and the GPU is measured: name one with" \
          "CUDA, or take --preset openmp"
      elif kokkos_has_cuda "$where"; then
        die 3 "--kokkos $1: that Kokkos was built with CUDA, and the host is measured: name one without, or take --preset cuda"
      fi
      name=${name:-$other}
      ;;
  esac
  name=${name:-$where}
  [[ $name != record ]] || usage_error "--kokkos $1: record.jsonl is of all versions: give it another name"
  for other in "${versions[@]}"; do
    [[ ${where_of[$other]} != "$where" ]] || usage_error "--kokkos $where is given twice"
    [[ $other != "$name" ]] || usage_error "two --kokkos are called $name: name them, as in --kokkos a=$where"
  done
  versions+=("$name")
  where_of[$name]=$where
}

# kokkos_version PREFIX: prints the version of the Kokkos that is installed there.
kokkos_version() {
  local file
  for file in "$1"/lib*/cmake/Kokkos/KokkosConfigVersion.cmake "$1"/lib/*/cmake/Kokkos/KokkosConfigVersion.cmake; do
    if [[ -f $file ]]; then
      sed -n '/^ *set(PACKAGE_VERSION "/{s/.*"\([^"]*\)".*/\1/p;q}' "$file"
      return
    fi
  done
  return 1
}

# What is configured, built and run from now on.
take_version() {
  version=$1 kokkos=${where_of[$1]} build=$preset-kokkos-$1
}

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
      why=$(cat "$root/build/$build/portcost-stopped.txt" 2>/dev/null) || why=''
      leave_out "is not configured: ${why:-see $logs/$build-configure.log}"
    elif ! (build_targets portcost_command); then
      why=$(grep -m 1 -E '(^|[^a-z])(fatal )?error[: ]' "$log") || why=''
      leave_out "does not build: ${why:+$why }($log)"
    fi
    # What the compiler said of kernels that are not built again this time stays.
    ! grep -qs 'ptxas info' "$log" || grep 'ptxas info\|bytes stack frame' "$log" >>"$root/build/$build/ptxas.txt"
  done
}

# What perf/run does where `portcost WORD...` ended with this status: a stop ends it, anything else leaves the version out.
version_failed() {
  local status=$1
  shift
  case $status in
    129 | 130 | 143) die "$status" "not finished; go on with: perf/run --resume $folder" ;;
  esac
  leave_out "ended with status $status in: portcost $*"
}

# Of the first process of a version the sizes and the steps are those of the first version that was measured, where it has the
# same variants.
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
      if [[ -z ${left_out[$version]:-} ]]; then
        say "Kokkos $version, round $round of $repeat"
        measure_round "$round"
      fi
    done
  done
}

# The lines of ptxas -v as rows of a record: what each kernel has of registers, and bytes of spills stored and loaded.
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

# Each version's records combined, unless they are already and perhaps have counters since; and one record of all versions, in
# which a row `version` precedes what belongs to it.
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
      run_portcost derive "${records[@]}" --force --out "$record"
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
  if [[ -n $resume ]]; then
    say "going on with $folder"
  else
    choose_measurements
    make_folder
    write_campaign
    for name in "${versions[@]}"; do
      take_version "$name"
      if [[ -z ${left_out[$name]:-} ]]; then
        say "checking that the variants agree with Kokkos $name"
        run_portcost check "${checked[@]}"
      fi
    done
  fi
  measure_versions
  combine_versions
  ((!${#left_out[@]})) || unequal=1
  "$root/perf/portcost" versions "$folder/record.jsonl" --out "$folder" || die 1 "the versions have no page"
  say "record: $folder/record.jsonl; of one version: $folder/NAME.jsonl"
  say "report: $folder/versions.html and $folder/versions.md"
}
