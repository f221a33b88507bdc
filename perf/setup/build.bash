# shellcheck shell=bash
# shellcheck disable=SC2154  # the variables come from perf/setup/common.bash
# Configures and builds a preset, with the Kokkos that was requested. Sourced by perf/prepare.

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
  if [[ $1 != ON ]]; then # the tests are of all algorithms
    only=$(only_with "${needed[@]}")
  fi
  definitions=("-DPORTCOST_TESTS=$1" "-DPORTCOST_ALGORITHMS=$algorithms" "-DPORTCOST_ONLY=$only")
  if ((werror)); then
    definitions+=(-DPORTCOST_WERROR=ON)
  fi
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

forget_other_checkout() {
  local source
  if source=$(other_checkout); then
    say "build/${build:-$preset} was configured for $source: building it anew for this checkout"
    rm -rf "$root/build/${build:-$preset}"
  fi
}

# configure TESTS: CMake looks again each time, so that what was installed or removed since is seen.
configure() {
  local definitions forget=() notes=show_notes name fetch=ON log=$logs/${build:-$preset}-configure.log
  local folder=$root/build/${build:-$preset} stopped=$root/build/${build:-$preset}/portcost-stopped.txt
  forget_other_checkout
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
  if ((drawn)); then
    printf '\r\033[K' >&2
  fi
}
