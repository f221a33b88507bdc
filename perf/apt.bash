# shellcheck shell=bash
# shellcheck disable=SC2154  # the variables come from perf/common.bash and perf/prepare
# Installing packages with apt. Sourced by perf/prepare, which says in `missing` and `wants_catch2` what is needed.

apt_folder=${PORTCOST_APT_FOLDER:-/etc/apt}           # the tests point these elsewhere
os_release=${PORTCOST_OS_RELEASE:-/etc/os-release}
no_catch2_in_apt=$logs/no-catch2-in-apt               # left here once apt was asked, so that it is asked once

# os FIELD: a value of os-release, such as ID or VERSION_CODENAME.
os() {
  sed -n "s/^$1=\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$os_release" 2>/dev/null || true
}

# Sets `as_root` to what must stand before a command that needs root; false where that cannot be had.
find_root() {
  as_root=()
  ((may_install)) && command -v apt-get >/dev/null || return 1
  if [[ $(id -u) == 0 ]]; then
    return
  fi
  command -v sudo >/dev/null || return 1
  as_root=(sudo)
  sudo -n true 2>/dev/null || [[ -t 0 ]]
}

apt() {
  logged "$logs/apt-$1.log" "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get -o DPkg::Lock::Timeout=120 "$@"
}

# ---- Catch2 3, which Debian 12 has only in its backports -----------------------------------------------------------

# Prints the suite to take Catch2 >= 3 from ('' for the default one); false where apt has none.
catch2_suite() {
  local candidate
  candidate=$(apt-cache policy catch2 | sed -n 's/^ *Candidate: //p')
  if [[ $candidate =~ ^[0-9] ]] && at_least 3 "$candidate"; then
    return 0
  fi
  apt-cache madison catch2 2>/dev/null | awk -F '[|/ ]+' -v suite="$(os VERSION_CODENAME)-backports" '
    { for (i = 1; i <= NF; ++i) if ($i == suite && $3 + 0 >= 3) found = 1 }
    END { if (found) print suite; exit !found }'
}

# backports_source FOLDER: prints the apt source of this Debian's backports, made from the source of its main suite in
# FOLDER (laid out as /etc/apt): same address, same signing. The first line is the file's extension, sources or list.
# False where there is nothing to make it from.
backports_source() {
  local codename files
  codename=$(os VERSION_CODENAME)
  [[ $(os ID) == debian && -n $codename ]] || return 1
  mapfile -t files < <(compgen -G "$1/sources.list.d/*.sources")
  backports_deb822 "$codename" /dev/null "${files[@]}" && return
  mapfile -t files < <(compgen -G "$1/sources.list" || true; compgen -G "$1/sources.list.d/*.list")
  backports_list "$codename" /dev/null "${files[@]}"
}

# From stanzas such as "Types: deb / URIs: ... / Suites: bookworm ... / Components: main / Signed-By: ...".
backports_deb822() {
  local codename=$1
  shift
  awk -v suite="$codename" '
    BEGIN { RS = ""; FS = "\n" }
    {
      split("", value); kept = ""; field = ""
      for (i = 1; i <= NF; ++i) {
        if ($i ~ /^#/) continue
        if ($i !~ /^[ \t]/) {
          field = tolower(substr($i, 1, index($i, ":") - 1))
          value[field] = substr($i, index($i, ":") + 1)
        } else {
          value[field] = value[field] " " $i
        }
        gsub(/\t/, " ", value[field])
        if (field !~ /^(types|suites|components|enabled)$/) kept = kept $i "\n"
      }
      if (tolower(value["enabled"]) !~ /no/ && value["types"] " " ~ / deb / && value["suites"] " " ~ " " suite " " \
          && value["components"] " " ~ / main /) {
        printf "sources\nTypes: deb\nSuites: %s-backports\nComponents: main\n%s", suite, kept
        found = 1
        exit
      }
    }
    END { exit !found }' "$@"
}

# From lines such as "deb [signed-by=...] URI bookworm main".
backports_list() {
  local codename=$1
  shift
  awk -v suite="$codename" '
    $1 == "deb" {
      at = match($0, /^[ \t]*deb[ \t]+\[[^]]*\]/) ? RLENGTH : index($0, "deb") + 2
      n = split(substr($0, at + 1), word, /[ \t]+/)
      main = 0
      for (i = 4; i <= n; ++i) if (word[i] == "main") main = 1
      if (word[3] == suite && main) {
        printf "list\n%s %s %s-backports main\n", substr($0, 1, at), word[2], suite
        found = 1
        exit
      }
    }
    END { exit !found }' "$@"
}

# Adds the backports of this Debian; false where they cannot be told from what apt knows.
add_backports() {
  local text file
  text=$(backports_source "$apt_folder") || return 1
  file=$apt_folder/sources.list.d/portcost-backports.${text%%$'\n'*}
  [[ ! -e $file ]] || return 1
  say "adding $file, for Catch2 3:"
  sed '1d; s/^/    /' <<<"$text" >&2
  sed 1d <<<"$text" | "${as_root[@]}" tee "$file" >/dev/null
  apt update
}

# ---- installing ----------------------------------------------------------------------------------------------------

# Where nothing may be installed: stops with what to ask an administrator for; Catch2 alone is left to CMake.
refuse_to_install() {
  if ((${#missing[@]})); then
    say "missing packages: ${missing[*]}"
    if command -v apt-get >/dev/null; then
      say "ask an administrator to run: apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    else
      say "they have Debian's names; install them by your system's means (libraries may also stand in a folder named in" \
        "CMAKE_PREFIX_PATH), and call this again"
    fi
    exit 3
  fi
  say "Catch2 3 is not installed: CMake fetches it"
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
  say "installing catch2${suite:+ from $suite}"
  apt install -y --no-install-recommends ${suite:+-t "$suite"} catch2
}

# install_missing TESTS: installs what find_missing found, and looks again.
install_missing() {
  local as_root wanted
  if ((wants_catch2)) && { is_ubuntu_2204 || [[ -e $no_catch2_in_apt ]]; }; then
    wants_catch2=0
  fi
  ((${#missing[@]} || wants_catch2)) || return 0
  if ! find_root; then
    refuse_to_install
    return 0
  fi
  wanted=("${missing[@]}")
  ((wants_catch2 == 0)) || wanted+=("catch2 (3 or later)")
  say "missing: ${wanted[*]}; asking apt-get update"
  apt update
  if ((${#missing[@]})); then
    say "installing ${missing[*]}"
    apt install -y --no-install-recommends "${missing[@]}"
  fi
  if ((wants_catch2)); then
    install_catch2
  fi
  find_missing "$1"
  if ((${#missing[@]})); then
    die 1 "still missing after installing: ${missing[*]}"
  fi
}
