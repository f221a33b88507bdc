# shellcheck shell=bash
# shellcheck disable=SC2034  # the variables are for the files that source this one
# Shared by perf/prepare, perf/run, tests/run and .ci/run: messages, options, choosing and building a preset.
# Sourced, never run. The caller sets command_name and defines usage().

set -euo pipefail
shopt -s inherit_errexit

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
logs=$root/build/logs
# What is brought once for this machine, whichever build folder uses it. Exported for CMake.
export PORTCOST_CACHE=${PORTCOST_CACHE:-${XDG_CACHE_HOME:-${HOME:-$root/build}/.cache}/portcost}
cache=$PORTCOST_CACHE
supported_cmake=3.25

preset=''                                   # --preset, else chosen by choose_preset
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

# The presets that may be configured, the user's own included.
known_presets() {
  local files=("$root/CMakePresets.json")
  [[ ! -f $root/CMakeUserPresets.json ]] || files+=("$root/CMakeUserPresets.json")
  sed -n '/"hidden": *true/d; s/.*"name": *"\([^"]*\)".*/\1/p' "${files[@]}" | sort -u
}

check_preset() {
  local known
  mapfile -t known < <(known_presets)
  [[ " ${known[*]} " == *" $preset "* ]] || usage_error "unknown preset '$preset'; known: ${known[*]}"
}

# A folder of an algorithm of the user's own.
add_algorithm() {
  local folder name
  folder=$(cd "$1" 2>/dev/null && pwd -P) || usage_error "--algorithms $1: no such folder"
  name=${folder##*/}
  [[ $name =~ ^[a-z][a-z0-9_]*$ ]] ||
    usage_error "--algorithms $1: the folder '$name' names the algorithm: small letters, digits and _ only"
  [[ ! -d $root/variants/$name ]] || usage_error "--algorithms $1: the catalogue has an algorithm '$name' already"
  [[ $folder != *\;* ]] || usage_error "--algorithms $1: a ';' in its path parts folders for CMake"
  [[ -f $folder/problem.hpp ]] || usage_error "--algorithms $1: no problem.hpp there (README.md, \"How to add an algorithm\")"
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
  if [[ $1 == -* ]]; then
    usage_error "unknown option $1"
  fi
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
  if ! "$@" >"$log" 2>&1; then
    show_failure "$log" "$*"
  fi
}

show_failure() {
  tail -n 40 "$1" >&2
  die 1 "failed: $2 (the whole log: $1)"
}

# Passes on "[3/20] ..." lines of a build: rewriting one line on a terminal, else one line now and then.
show_progress() {
  local line shown=$SECONDS drawn=0
  while IFS= read -r line; do
    [[ $line =~ ^\[[0-9]+/[0-9]+\] ]] || continue
    if [[ -t 2 ]]; then
      printf '\r\033[K%.100s' "$line" >&2
      drawn=1
    elif ((SECONDS - shown >= 30)); then
      shown=$SECONDS
      say "$line"
    fi
  done
  if ((drawn)); then
    printf '\r\033[K' >&2
  fi
}

# ---- the preset ----------------------------------------------------------------------------------------------------

has_gpu() {
  command -v nvidia-smi >/dev/null && nvidia-smi -L 2>/dev/null | grep -q '^GPU '
}

# On the login node of a cluster others work, too, and the processor may be another than the compute nodes'.
is_login_node() {
  local scheduler
  [[ -z ${SLURM_JOB_ID:-}${PBS_JOBID:-}${LSB_JOBID:-}${FLUX_JOB_ID:-} ]] || return 1
  for scheduler in sbatch qsub bsub flux; do
    ! command -v "$scheduler" >/dev/null || return 0
  done
  return 1
}

# True where nvcc is found; puts it on PATH if it was only in the toolkit's folder.
find_nvcc() {
  local toolkit=${CUDA_HOME:-${CUDA_PATH:-/usr/local/cuda}}
  command -v nvcc >/dev/null && return
  [[ -x $toolkit/bin/nvcc ]] && PATH=$PATH:$toolkit/bin
}

choose_preset() {
  if [[ -n $preset ]]; then
    if [[ $preset == *cuda* ]] && ! find_nvcc; then
      die 3 "the preset $preset needs the CUDA toolkit: put nvcc on PATH or name the toolkit's folder in CUDA_HOME"
    fi
    return 0
  fi
  preset=openmp
  if ! has_gpu; then
    say "no NVIDIA GPU is visible: taking the host (preset openmp)"
  elif find_nvcc; then
    preset=cuda
    say "a GPU and nvcc are here (preset cuda)"
  else
    say "A GPU IS HERE, BUT NO nvcc: the CUDA toolkit is missing, so only the host is measured (preset openmp)."
    say "For the GPU install the toolkit (https://developer.nvidia.com/cuda-downloads), put nvcc on PATH or set" \
      "CUDA_HOME, and run this again."
  fi
}

# kokkos_has_cuda PREFIX: an installation of Kokkos whose devices include CUDA.
kokkos_has_cuda() {
  local file
  for file in "$1"/lib*/cmake/Kokkos/KokkosConfig*.cmake "$1"/lib/*/cmake/Kokkos/KokkosConfig*.cmake; do
    if [[ -f $file ]] && grep -qE '^ *set\(Kokkos_DEVICES [^)]*CUDA' "$file"; then
      return 0
    fi
  done
  return 1
}

# Prints the first CUDA Kokkos: the one named, else one of the usual places.
find_cuda_kokkos() {
  local prefix
  for prefix in "${PORTCOST_CUDA_KOKKOS:-}" "$kokkos" /opt/kokkos-cuda /opt/kokkos /usr/local/kokkos-cuda; do
    if [[ -n $prefix ]] && kokkos_has_cuda "$prefix"; then
      printf '%s\n' "$prefix"
      return 0
    fi
  done
  return 1
}

# ---- configure and build -------------------------------------------------------------------------------------------

has_kokkos_kernels() {
  compgen -G "$1/lib*/cmake/KokkosKernels" >/dev/null || compgen -G "$1/lib/*/cmake/KokkosKernels" >/dev/null
}

# Where Kokkos may come from; what is not defined now is forgotten from an earlier configuration.
kokkos_definitions=(Kokkos_ROOT KokkosKernels_ROOT FETCHCONTENT_SOURCE_DIR_KOKKOS FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS)

# Sets `definitions` from the options. $1: ON or OFF, whether the tests are part of the build.
gather_definitions() {
  local prefix='' origin=auto name
  definitions=("-DPORTCOST_TESTS=$1" "-DPORTCOST_ALGORITHMS=$algorithms")
  if ((werror)); then
    definitions+=(-DPORTCOST_WERROR=ON)
  fi
  case $kokkos in
    installation | release | distribution) origin=$kokkos ;;
    *) prefix=$kokkos ;;
  esac
  definitions+=("-DPORTCOST_KOKKOS=$origin")
  if [[ -z $prefix && $origin == auto && $preset == *cuda* ]]; then
    prefix=$(find_cuda_kokkos || true)
  fi
  if [[ -n $prefix ]]; then
    definitions+=("-DKokkos_ROOT=$prefix")
    if [[ -n $kokkos_kernels ]]; then
      definitions+=("-DKokkosKernels_ROOT=$kokkos_kernels")
    elif has_kokkos_kernels "$prefix"; then
      definitions+=("-DKokkosKernels_ROOT=$prefix")
    fi
  elif [[ -n $kokkos_kernels && $origin == auto ]]; then
    definitions+=("-DKokkosKernels_ROOT=$kokkos_kernels")
  fi
  for name in FETCHCONTENT_SOURCE_DIR_KOKKOS FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS; do
    if [[ -n ${!name:-} && $origin == auto ]]; then
      definitions+=("-D$name=${!name}")
    fi
  done
}

# cached NAME: its value in the build folder's CMake cache.
cached() {
  sed -n "s/^$1:[A-Z]*=//p" "$root/build/$preset/CMakeCache.txt"
}

# True if the build folder was configured with these definitions already; ninja sees to changed CMake files.
is_configured() {
  local definition name folder=$root/build/$preset
  [[ -f $folder/build.ninja && -f $folder/CMakeCache.txt && -f $folder/.portcost-configured ]] || return 1
  [[ ! $root/CMakePresets.json -nt $folder/.portcost-configured ]] || return 1
  for definition in "${definitions[@]}"; do
    name=${definition%%=*}
    [[ $(cached "${name#-D}") == "${definition#*=}" ]] || return 1
  done
  for name in "${kokkos_definitions[@]}"; do
    [[ ${definitions[*]} == *"-D$name="* || -z $(cached "$name") ]] || return 1
  done
}

# Passes on the lines that are meant for the user: "portcost: ...".
show_notes() {
  local line
  while IFS= read -r line; do
    [[ $line != 'portcost: '* ]] || printf '%s\n' "$line" >&2
  done
}

# configure TESTS
configure() {
  local definitions forget=() name fetch=ON log=$logs/$preset-configure.log stopped=$root/build/$preset/portcost-stopped.txt
  gather_definitions "$1"
  if is_configured; then
    return
  fi
  for name in "${kokkos_definitions[@]}"; do
    [[ ${definitions[*]} == *"-D$name="* ]] || forget+=(-U "$name")
  done
  ((may_install)) || fetch=OFF
  say "configuring build/$preset: ${definitions[*]}"
  mkdir -p "$logs"
  rm -f "$stopped" "$root/build/$preset/.portcost-configured"
  # What is for the user comes on the error stream alone: mixed with the other, its lines would be torn.
  if ! { cmake -S "$root" --preset "$preset" "${forget[@]}" "${definitions[@]}" "-DPORTCOST_FETCH=$fetch" 2>&1 >&3 |
    tee "$log.errors" | show_notes; } 3>"$log"; then
    cat "$log.errors" >>"$log"
    [[ ! -s $stopped ]] || die 3 "$(<"$stopped")"
    show_failure "$log" "cmake --preset $preset ${definitions[*]}"
  fi
  touch "$root/build/$preset/.portcost-configured"
}

# All cores, but about 2 GiB of memory for each compiler.
job_count() {
  local cores kib limit jobs
  cores=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
  kib=$(awk '/^MemAvailable:/ {print $2}' /proc/meminfo)
  if [[ -r /sys/fs/cgroup/memory.max ]]; then
    limit=$(</sys/fs/cgroup/memory.max)
    if [[ $limit != max ]] && ((limit / 1024 < kib)); then
      kib=$((limit / 1024))
    fi
  fi
  jobs=$((kib / 2097152))
  ((jobs <= cores)) || jobs=$cores
  ((jobs >= 1)) || jobs=1
  printf '%s\n' "$jobs"
}

# build_targets TARGET...
build_targets() {
  local log=$logs/$preset-build.log start=$SECONDS jobs
  jobs=$(job_count)
  say "building $* in build/$preset ($jobs jobs)"
  mkdir -p "$logs"
  if ! cmake --build "$root/build/$preset" --parallel "$jobs" --target "$@" 2>&1 | tee "$log" | show_progress; then
    show_failure "$log" "the build of $* in build/$preset"
  fi
  if grep -qE '^\[[0-9]+/[0-9]+\] (Building|Linking)' "$log"; then # reading the commit is no building
    say "built in $((SECONDS - start)) s"
  fi
}
