# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # needed is for those that source this; other variables come from perf/setup/common.bash
# Chooses a preset, and the algorithms in it; configures and builds it, with the Kokkos that was requested. Sourced by
# perf/prepare and perf/portcost.

# ---- the preset: what this machine has of GPU, CUDA toolkit and scheduler ----

has_gpu() {
  # All is read: with pipefail a writer that finds its reader gone would be a failure.
  command -v nvidia-smi >/dev/null && (($(nvidia-smi -L 2>/dev/null | grep -c '^GPU ') > 0))
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
  preset=$host_preset
  if ! has_gpu; then
    say "no NVIDIA GPU is visible: taking the host (preset $preset)"
  elif find_nvcc; then
    preset=cuda
    say "a GPU and nvcc are here (preset cuda)"
  else
    say "A GPU IS HERE, BUT NO nvcc: the CUDA toolkit is missing, so only the host is taken (preset $preset)."
    say "For the GPU install the toolkit (https://developer.nvidia.com/cuda-downloads), put nvcc on PATH or set" \
      "CUDA_HOME, and run this again."
  fi
}

# ---- the algorithms: the first table is not to wait for those that it does not show ----
#
# A word is the name of an algorithm, `default` (those of the default campaign) or `all`.

needed=(all) # words

# The folders of all algorithms, those of --algorithms included.
algorithm_folders() {
  local folder own
  IFS=';' read -r -a own <<<"$algorithms"
  for folder in "$root"/variants/*/ "${own[@]}"; do
    [[ $folder == */variants/shared/ ]] || echo "${folder%/}"
  done
}

# The names of all algorithms.
known_algorithms() { algorithm_folders | sed 's:.*/::'; }

# algorithms_with FILE: those of the catalogue whose folder has it.
algorithms_with() {
  local file folder
  for file in "$root"/variants/*/"$1"; do
    folder=${file%/*}
    [[ ! -f $file ]] || echo "${folder##*/}"
  done
}

# Those of the default campaign, by what each says of itself.
default_algorithms() {
  local folder
  while read -r folder; do
    grep -qs '^ *\.in_default_campaign = false' "$folder/algorithm.cpp" || echo "${folder##*/}"
  done < <(algorithm_folders)
}

# fitting_algorithms FILTER: the names that it may mean. A '*' stands for '/' too, so that only what precedes it must fit.
fitting_algorithms() {
  local name=${1%%/*} one
  while read -r one; do
    [[ $one != "$name" && ($name != *[*?[]* || $one != "${name%%[*?[]*}"*) ]] || echo "$one"
  done < <(known_algorithms)
}

# only_with WORD...: the value of PORTCOST_ONLY for a build folder that has these besides what it has already: '' is all. What
# lies outside the repository is built wherever it is named, so that it asks for nothing of the catalogue.
only_with() {
  local word only='' built=''
  [[ " $* " != *' all '* ]] || return 0
  if [[ -f $root/build/${build:-$preset}/CMakeCache.txt ]]; then
    only=$(cached PORTCOST_ONLY)
    built=$(cached PORTCOST_BUILT)
    [[ -n $only ]] || return 0
  fi
  for word in "$@"; do
    [[ $word == default || -d $root/variants/$word ]] || word=none
    [[ ";$only;$built;" == *";$word;"* ]] || only=${only:+"$only;"}$word
  done
  printf '%s\n' "$only"
}

# ---- Kokkos, configuring, building ----

# cmake_files PREFIX PATTERN: what an installation has for CMake.
cmake_files() { compgen -G "$1/lib*/cmake/$2" || compgen -G "$1/lib/*/cmake/$2"; }

# kokkos_has_cuda PREFIX: an installation of Kokkos whose devices include CUDA.
kokkos_has_cuda() {
  local files
  mapfile -t files < <(cmake_files "$1" 'Kokkos/KokkosConfig*.cmake')
  grep -qiE '^ *set\(Kokkos_DEVICES [^)]*CUDA' /dev/null "${files[@]}"
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

# Where Kokkos may come from; what is not defined now is forgotten from an earlier configuration.
kokkos_definitions=(Kokkos_ROOT KokkosKernels_ROOT FETCHCONTENT_SOURCE_DIR_KOKKOS FETCHCONTENT_SOURCE_DIR_KOKKOSKERNELS)

# Sets `definitions` from the options. $1: ON or OFF, whether the tests are part of the build.
gather_definitions() {
  local prefix='' origin=auto name only=''
  [[ $1 == ON ]] || only=$(only_with "${needed[@]}") # the tests are of all algorithms
  definitions=("-DPORTCOST_TESTS=$1" "-DPORTCOST_ALGORITHMS=$algorithms" "-DPORTCOST_ONLY=$only")
  ((!werror)) || definitions+=(-DPORTCOST_WERROR=ON)
  if [[ -n $build && $preset == *cuda* ]]; then
    definitions+=(-DPORTCOST_RESOURCE_USAGE=ON)
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
    elif cmake_files "$prefix" KokkosKernels >/dev/null; then
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
  sed -n "s/^$1:[A-Z]*=//p" "$root/build/${build:-$preset}/CMakeCache.txt"
}

# True if the build folder was configured with these definitions already.
is_configured() {
  local definition name folder=$root/build/${build:-$preset}
  [[ -f $folder/build.ninja && -f $folder/CMakeCache.txt && -f $folder/.portcost-configured ]] || return 1
  for definition in "${definitions[@]}"; do
    name=${definition%%=*}
    [[ $(cached "${name#-D}") == "${definition#*=}" ]] || return 1
  done
  for name in "${kokkos_definitions[@]}"; do
    [[ ${definitions[*]} == *"-D$name="* || -z $(cached "$name") ]] || return 1
  done
}

# Passes on the lines that are meant for the user: "portcost: ...".
show_notes() { grep --line-buffered '^portcost: ' >&2 || true; }

# Prints the checkout that a build folder was configured for, where that is another: the folder was copied or renamed with its
# checkout, and its files name those of there.
other_checkout() {
  local source
  [[ -f $root/build/${build:-$preset}/CMakeCache.txt ]] || return 1
  source=$(cached CMAKE_HOME_DIRECTORY)
  [[ -n $source && $source != "$root" ]] && printf '%s\n' "$source"
}

# configure TESTS: CMake looks again each time, so that what was installed or removed since is seen.
configure() {
  local source definitions forget=() notes=show_notes name fetch=ON log=$logs/${build:-$preset}-configure.log
  local folder=$root/build/${build:-$preset} stopped=$root/build/${build:-$preset}/portcost-stopped.txt
  if source=$(other_checkout); then
    say "build/${build:-$preset} was configured for $source: building it anew for this checkout"
    rm -rf "$folder"
  fi
  gather_definitions "$1"
  if is_configured; then
    notes='cat' # they were shown
  else
    say "configuring build/${build:-$preset}: ${definitions[*]}"
  fi
  for name in "${kokkos_definitions[@]}"; do
    [[ ${definitions[*]} == *"-D$name="* ]] || forget+=(-U "$name")
  done
  ((may_install)) || fetch=OFF
  mkdir -p "$logs"
  rm -f "$stopped" "$folder/.portcost-configured"
  # What is for the user comes on the error stream alone: mixed with the other, its lines would be torn.
  if ! { cmake -S "$root" --preset "$preset" ${build:+-B "$folder"} "${forget[@]}" "${definitions[@]}" "-DPORTCOST_FETCH=$fetch" 2>&1 >&3 |
    tee "$log.errors" | "$notes" >/dev/null; } 3>"$log"; then
    cat "$log.errors" >>"$log"
    [[ ! -s $stopped ]] || die 3 "$(<"$stopped")"
    show_failure "$log" "cmake --preset $preset ${definitions[*]}"
  fi
  touch "$folder/.portcost-configured"
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
  local log=$logs/${build:-$preset}-build.log start=$SECONDS jobs
  jobs=$(job_count)
  say "building $* in build/${build:-$preset} ($jobs jobs)"
  mkdir -p "$logs"
  if ! cmake --build "$root/build/${build:-$preset}" --parallel "$jobs" --target "$@" 2>&1 | tee "$log" | show_progress; then
    show_failure "$log" "the build of $* in build/${build:-$preset}"
  fi
  if grep -qE '^\[[0-9]+/[0-9]+\] (Building|Linking)' "$log"; then # reading the commit is no building
    say "built in $((SECONDS - start)) s"
  fi
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
  ((!drawn)) || printf '\r\033[K' >&2
}
