# shellcheck shell=bash
# shellcheck disable=SC2034  # the variables are for the files that source this one
# Shared by perf/prepare, perf/run, tests/run and .ci/run: messages, options, logs. Sourced, never run. The caller sets
# command_name and defines usage().

set -euo pipefail
shopt -s inherit_errexit

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
logs=$root/build/logs
# What is brought once for this machine, whichever build folder uses it. Exported for CMake.
export PORTCOST_CACHE=${PORTCOST_CACHE:-${XDG_CACHE_HOME:-${HOME:-$root/build}/.cache}/portcost}
cache=$PORTCOST_CACHE
supported_cmake=3.25

preset=''                                   # --preset, else chosen by choose_preset
host_preset=openmp                          # what choose_preset takes on hosts
build=''                                    # the folder in build/ where it is not named like the preset
kokkos=${Kokkos_ROOT:-}                     # --kokkos: a prefix, or installation, release or distribution
kokkos_kernels=${KokkosKernels_ROOT:-}
may_install=1                               # --no-install
werror=0                                    # --werror
algorithms=''                               # --algorithms: folders outside the repository, with ; between them

say() { printf 'portcost: %s\n' "$*" >&2; }

# die STATUS MESSAGE
die() {
  local status=$1
  shift
  say "$*"
  exit "$status"
}

usage_error() {
  printf '%s: %s (see %s --help)\n' "${command_name:?}" "$*" "$command_name" >&2
  exit 2
}

# ---- options -------------------------------------------------------------------------------------------------------

# Sets `arguments` to the words given, with --name=value split in two.
split_equals() {
  local word
  arguments=()
  for word in "$@"; do
    if [[ $word == --*=* ]]; then
      arguments+=("${word%%=*}" "${word#*=}")
    else
      arguments+=("$word")
    fi
  done
}

need_value() {
  [[ $# -gt 1 && -n $2 ]] || usage_error "option $1 needs a value"
}

# The presets that may be configured include the user's own.
check_preset() {
  local known files=("$root/CMakePresets.json")
  [[ ! -f $root/CMakeUserPresets.json ]] || files+=("$root/CMakeUserPresets.json")
  mapfile -t known < <(sed -n '/"hidden": *true/d; s/.*"name": *"\([^"]*\)".*/\1/p' "${files[@]}" | sort -u)
  [[ " ${known[*]} " == *" $preset "* ]] || usage_error "unknown preset '$preset'; known: ${known[*]}"
}

# check_own_algorithm OPTION FOLDER: an algorithm of the user's own can have this folder, which names it.
check_own_algorithm() {
  local name=${2##*/}
  [[ $name =~ ^[a-z][a-z0-9_]*$ ]] ||
    usage_error "$1: the folder '$name' names the algorithm: small letters, digits and _ only"
  [[ ! -d $root/variants/$name ]] || usage_error "$1: the catalogue has an algorithm '$name' already"
  [[ $2 != *\;* ]] || usage_error "$1: a ';' in its path parts folders for CMake"
}

add_algorithm() {
  local folder
  folder=$(cd "$1" 2>/dev/null && pwd -P) || usage_error "--algorithms $1: no such folder"
  check_own_algorithm "--algorithms $1" "$folder"
  [[ -f $folder/problem.hpp ]] || usage_error "--algorithms $1: no problem.hpp there (variants/README.md, \"How to add an algorithm\")"
  algorithms=${algorithms:+"$algorithms;"}$folder
}

# Takes an option that every command has; sets `consumed` to the number of words used. False if it is none of them.
common_option() {
  consumed=1
  case $1 in
    --preset) need_value "$@"; preset=$2; check_preset; consumed=2 ;;
    --kokkos) need_value "$@"; kokkos=$2; consumed=2 ;;
    --no-install) may_install=0 ;;
    --algorithms) need_value "$@"; add_algorithm "$2"; consumed=2 ;;
    -h | --help) usage; exit 0 ;;
    *) return 1 ;;
  esac
}

unknown_argument() {
  [[ $1 != -* ]] || usage_error "unknown option $1"
  usage_error "unexpected argument '$1'"
}

# at_least WANTED FOUND: compares dotted versions.
at_least() {
  [[ -n $2 && $(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1) == "$1" ]]
}

# ---- logs ----------------------------------------------------------------------------------------------------------

# logged LOG COMMAND...: runs quietly; on failure shows the end of the log and where the whole of it is.
logged() {
  local log=$1
  shift
  mkdir -p "${log%/*}"
  "$@" >"$log" 2>&1 || show_failure "$log" "$*"
}

show_failure() {
  tail -n 40 "$1" >&2
  die 1 "failed: $2 (the whole log: $1)"
}
