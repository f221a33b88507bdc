# shellcheck shell=bash
# shellcheck disable=SC2034  # the variables are for the files that source this one, too
# Which system this is, and apt sources made from those that it has: Debian's backports, and source packages. Sourced by
# perf/prepare and perf/setup/kokkos_source.

apt_folder=${PORTCOST_APT_FOLDER:-/etc/apt}           # the tests point these elsewhere
os_release=${PORTCOST_OS_RELEASE:-/etc/os-release}

# os FIELD: a value of os-release, such as ID or VERSION_CODENAME.
os() {
  sed -n "s/^$1=\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$os_release" 2>/dev/null || true
}

# The suite that this system's packages come from, such as bookworm; for a derivative of Ubuntu that of Ubuntu. Debian unstable
# has the codename of testing, so that its sources tell.
suite_of_system() {
  local suite
  suite=$(os UBUNTU_CODENAME)
  if [[ $(os PRETTY_NAME) == */sid ]]; then
    suite=$(grep -rhsoE '^[^#]*[ \t](sid|unstable)([ \t]|$)' "$apt_folder"/sources.list{,.d} | grep -oE 'sid|unstable' | head -n 1 || true)
  fi
  printf '%s\n' "${suite:-$(os VERSION_CODENAME)}"
}

# source_like FOLDER TYPE SUITE COMPONENT: prints an apt source of this type, suite and component, made from the source in
# FOLDER (laid out as /etc/apt) that the system takes COMPONENT of its own suite from: same address, same signing. The
# first line is the file's extension, sources or list. False where there is nothing to make it from.
source_like() {
  local own files
  own=$(suite_of_system)
  [[ -n $own ]] || return 1
  mapfile -t files < <(compgen -G "$1/sources.list.d/*.sources")
  source_like_deb822 "$own" "${@:2}" /dev/null "${files[@]}" && return
  mapfile -t files < <(compgen -G "$1/sources.list" || true; compgen -G "$1/sources.list.d/*.list")
  source_like_list "$own" "${@:2}" /dev/null "${files[@]}"
}

# From stanzas such as "Types: deb / URIs: ... / Suites: bookworm ... / Components: main / Signed-By: ...".
source_like_deb822() {
  local own=$1 type=$2 suite=$3 component=$4
  shift 4
  awk -v own="$own" -v type="$type" -v suite="$suite" -v component="$component" '
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
      if (tolower(value["enabled"]) !~ /no/ && value["types"] " " ~ / deb / && value["suites"] " " ~ " " own " " \
          && value["components"] " " ~ " " component " ") {
        printf "sources\nTypes: %s\nSuites: %s\nComponents: %s\n%s", type, suite, component, kept
        found = 1
        exit
      }
    }
    END { exit !found }' "$@"
}

# From lines such as "deb [signed-by=...] URI bookworm main".
source_like_list() {
  local own=$1 type=$2 suite=$3 component=$4
  shift 4
  awk -v own="$own" -v type="$type" -v suite="$suite" -v component="$component" '
    $1 == "deb" {
      at = match($0, /^[ \t]*deb[ \t]+\[[^]]*\]/) ? RLENGTH : index($0, "deb") + 2
      n = split(substr($0, at + 1), word, /[ \t]+/)
      has = 0
      for (i = 4; i <= n; ++i) if (word[i] == component) has = 1
      if (word[3] == own && has) {
        options = substr($0, 1, at)
        sub(/^[ \t]*deb/, type, options)
        printf "list\n%s %s %s %s\n", options, word[2], suite, component
        found = 1
        exit
      }
    }
    END { exit !found }' "$@"
}

# backports_source FOLDER: the source of this Debian's backports, as source_like prints it.
backports_source() {
  [[ $(os ID) == debian ]] && source_like "$1" deb "$(os VERSION_CODENAME)-backports" main
}
