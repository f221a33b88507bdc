# shellcheck shell=bash
# shellcheck disable=SC2154  # the variables come from perf/setup/common.bash and perf/prepare
# Installs packages by apt. Sourced by perf/prepare, which says in `missing`, `wished`, `wants_catch2` and `wants_venv` what is needed.

no_catch2_in_apt=$logs/no-catch2-in-apt               # left here once apt was asked, so that it is asked once

# Sets `as_root` to what must stand before a command that needs root; false where that cannot be had.
find_root() {
  as_root=()
  ((may_install)) && command -v apt-get >/dev/null || return 1
  [[ $(id -u) != 0 ]] || return 0
  command -v sudo >/dev/null || return 1
  as_root=(sudo)
  sudo -n true 2>/dev/null || [[ -t 0 ]]
}

run_apt() {
  mkdir -p "$logs"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -o DPkg::Lock::Timeout=120 \
    -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20 "$@" >"$logs/apt-$1.log" 2>&1
}

# A source that cannot be read does not stop apt-get update, nor us: what it lacks is found when it is installed.
update_packages() {
  run_apt update || say "apt-get update failed; going on with the lists that are here (log: $logs/apt-update.log)"
}

install_packages() {
  local log=$logs/apt-install.log
  say "installing $*"
  run_apt install -y --no-install-recommends "$@" && return
  if grep -qE '^E: (Unable to (locate|fetch)|Package .* has no installation candidate|Failed to fetch)' "$log"; then
    die 3 "the package archive was not reached or lacks a package: $(sed -n 's/^E: //p' "$log" | head -n 1) (log: $log)"
  fi
  show_failure "$log" "apt-get install $*"
}

# ---- Catch2 3, which Debian 12 has only in its backports -----------------------------------------------------------

# Prints the suite to take Catch2 >= 3 from ('' for the default one); false where apt has none.
catch2_suite() {
  local candidate
  candidate=$(apt-cache policy catch2 | sed -n 's/^ *Candidate: //p')
  [[ $candidate =~ ^[0-9] ]] && at_least 3 "$candidate" && return
  apt-cache madison catch2 2>/dev/null | awk -F '[|/ ]+' -v suite="$(os VERSION_CODENAME)-backports" '
    { for (i = 1; i <= NF; ++i) if ($i == suite && $3 + 0 >= 3) found = 1 }
    END { if (found) print suite; exit !found }'
}

# Adds the backports of this Debian; false where they cannot be distinguished from what apt knows.
add_backports() {
  local text file
  text=$(backports_source "$apt_folder") || return 1
  file=$apt_folder/sources.list.d/portcost-backports.${text%%$'\n'*}
  [[ ! -e $file ]] || return 1
  say "adding $file, for Catch2 3:"
  sed '1d; s/^/    /' <<<"$text" >&2
  sed 1d <<<"$text" | "${as_root[@]}" tee "$file" >/dev/null
  update_packages
}

# ---- installing ----------------------------------------------------------------------------------------------------

# list_needed REASON: says what is missing and how to get it, and ends with status 3; returns where nothing is missing.
list_needed() {
  local lines=()
  ((wants_catch2 == 0)) || missing+=("catch2")
  if ((${#missing[@]})); then
    lines+=("missing packages: ${missing[*]}")
    if command -v apt-get >/dev/null; then
      lines+=("ask an administrator to run: apt-get update && apt-get install -y --no-install-recommends ${wished[*]} ${missing[*]}")
      ((wants_catch2 == 0)) || lines+=("(Catch2 3; in Debian 12 from its backports: -t bookworm-backports)")
    else
      lines+=("they have Debian's names (in Fedora: gcc-c++ cmake ninja-build git cli11-devel json-devel fmt-devel" \
        "catch-devel python3 kokkos-devel); install them by your system's means, libraries maybe in a folder named in" \
        "CMAKE_PREFIX_PATH, and call this again")
      lines=("${lines[0]}" "${lines[*]:1}")
    fi
  fi
  if ((wants_venv)) && ! has_python_environment; then
    lines+=("missing Python modules: $(python_requirements perf/setup ${wants_tests:+tests}) (from PyPI, or packages such as ${python_packages[0]})")
  fi
  ((${#lines[@]})) || return 0
  if ! sees_kokkos; then
    lines+=("Kokkos was not seen, either: its release (github.com) or, for the host, its distribution's source package" \
      "trilinos (166 MB) would be fetched into $cache; --kokkos names an installation")
    lines=("${lines[@]:0:${#lines[@]}-2}" "${lines[*]: -2}")
  fi
  say "$1"
  for line in "${lines[@]}"; do say "$line"; done
  exit 3
}

install_catch2() {
  local suite
  if ! suite=$(catch2_suite); then
    if ! add_backports || ! suite=$(catch2_suite); then
      say "apt has no Catch2 3 here: CMake fetches it"
      touch "$no_catch2_in_apt"
      return 0
    fi
  fi
  install_packages ${suite:+-t "$suite"} catch2
}

# install_missing TESTS: installs what find_missing found, and looks again.
install_missing() {
  local as_root wanted
  ((may_install)) || list_needed "nothing is installed (--no-install)"
  if ((wants_catch2)) && { is_ubuntu_2204 || [[ -e $no_catch2_in_apt ]]; }; then
    wants_catch2=0
  fi
  ((${#missing[@]} || wants_catch2)) || return 0
  if ! find_root; then
    if ((wants_catch2)); then
      wants_catch2=0
      say "Catch2 3 is not installed: CMake fetches it"
    fi
    wants_venv=0 # may come from PyPI
    list_needed "packages cannot be installed here: that takes apt-get, and root or sudo"
    find_missing "$1"
    return 0
  fi
  wanted=("${missing[@]}" "${wished[@]}")
  ((wants_catch2 == 0)) || wanted+=("catch2 (3 or later)")
  say "missing: ${wanted[*]}; asking apt-get update"
  update_packages
  if ((${#missing[@]})); then
    install_packages "${wished[@]}" "${missing[@]}"
  fi
  if ((wants_catch2)); then
    install_catch2
  fi
  # shellcheck disable=SC2034  # perf/prepare's
  installed=(CLI11 nlohmann_json fmt FFTW MPI Catch2)
  find_missing "$1"
  if ((${#missing[@]})); then
    die 1 "still missing after installing: ${missing[*]}"
  fi
}
