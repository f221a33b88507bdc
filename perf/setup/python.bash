# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034  # the variables come from other files of perf/setup and perf/prepare, or are for them
# The project's own Python environment, .venv, where the system's Python lacks what is needed. Sourced by perf/prepare.

venv=$root/.venv
PATH=${PATH//"$venv/bin:"/}   # whether the environment is needed is asked of the system's own tools
system_python=${PORTCOST_SYSTEM_PYTHON:-/usr/bin/python3}   # the one that the distribution's packages are for
python_packages=(python3-matplotlib python3-pytest python3-pytest-xdist) # what the distribution calls the Python modules

# has_modules FILE [PYTHON]: the Python (python3 on PATH) has all that a requirements file names, in the versions it wants.
has_modules() {
  local python=${2:-python3}
  [[ -f $1 ]] || return 0
  command -v "$python" >/dev/null && "$python" - "$1" <<'PYTHON'
import importlib.metadata, os, re, sys

def met(path):
    for line in open(path, encoding="utf-8"):
        line = line.split("#")[0].strip()
        if line.startswith("-r"):
            if not met(os.path.join(os.path.dirname(path), line[2:].strip())):
                return False
        elif line:
            name, wanted = re.fullmatch(r"([\w.-]+)\s*(?:>=\s*([\d.]+))?.*", line).groups()
            try:
                found = importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                return False
            number = lambda text: [int(part) for part in re.findall(r"\d+", text)[:3]]
            if wanted and number(found) < number(wanted):
                return False
    return True

sys.exit(not met(sys.argv[1]))
PYTHON
}

# python_requirements [FOLDER...]: of perf/setup and tests, or of these.
python_requirements() {
  (($#)) || set -- perf/setup tests
  (cd "$root" && grep -hv '^-' "${@/%//requirements.txt}" | paste -sd ' ')
}

# What .venv was made for: another Python or other requirements cause a new one.
python_stamp() {
  { python3 --version; echo "$wants_pip_cmake"; cat "$root"/{perf/setup,tests}/requirements.txt; } | sha256sum
}

has_python_environment() {
  [[ -f $venv/portcost-stamp && $(<"$venv/portcost-stamp") == "$(python_stamp)" ]]
}

# venv_of PYTHON: an environment that takes its modules from this Python's system.
venv_of() {
  logged "$logs/venv.log" "$1" -m venv --clear --system-site-packages --without-pip "$venv"
}

# From PyPI; false where that is not reached.
venv_of_pypi() {
  local packages=(-r "$root/tests/requirements.txt")
  python3 -c 'import venv, ensurepip' 2>/dev/null || return 1
  if ((wants_pip_cmake)); then
    packages+=("cmake>=$supported_cmake,<5")
  fi
  say "making the Python environment .venv with $(python_requirements) ${packages[*]:2}"
  logged "$logs/venv.log" python3 -m venv --clear "$venv"
  "$venv/bin/python3" -m pip install --disable-pip-version-check --timeout 15 --retries 1 "${packages[@]}" \
    >"$logs/pip.log" 2>&1
}

# From the distribution's packages; false where they cannot be installed or are too old.
venv_of_packages() {
  local as_root
  ((wants_pip_cmake == 0)) && find_root || return 1
  say "PyPI was not reached: taking the modules from the distribution (PIP_INDEX_URL names a mirror of PyPI)"
  update_packages
  install_packages "${python_packages[@]}"
  has_modules "$root/tests/requirements.txt" "$system_python" && venv_of "$system_python"
}

# The project's environment has pip where it is from PyPI.
has_pip() {
  [[ -x $venv/bin/python3 ]] && "$venv/bin/python3" -m pip --version >/dev/null 2>&1
}

# pip_install FILE: what a requirements file names, into the project's environment; false where PyPI is not reached.
pip_install() {
  mkdir -p "$logs"
  say "installing $(sed 's/#.*//; /^-r/d; /^ *$/d' "$1" | paste -sd ' ') into .venv"
  "$venv/bin/python3" -m pip install --disable-pip-version-check --timeout 15 --retries 1 -r "$1" \
    >"$logs/pip-$(basename "$1" .txt).log" 2>&1
}

# bring_modules FILE: by pip where they are missing; false where they cannot be had so.
bring_modules() {
  has_modules "$1" || { has_pip && pip_install "$1"; }
}

# Makes .venv where it is wanted, a second time only if the requirements or the Python changed, and puts it first on PATH.
make_venv() {
  ((wants_venv)) || return 0
  if ! has_python_environment; then
    mkdir -p "$logs"
    if ((wants_pip_cmake == 0)) && has_modules "$root/tests/requirements.txt" "$system_python"; then
      venv_of "$system_python"
    elif ! venv_of_pypi && ! venv_of_packages; then
      rm -rf "$venv"
      die 3 "the Python modules $(python_requirements) cannot be had: PyPI was not reached, nor the packages" \
        "${python_packages[*]} installed; install them, or name a mirror of PyPI in PIP_INDEX_URL (log: $logs/pip.log)"
    fi
    python_stamp >"$venv/portcost-stamp"
  fi
  PATH=$venv/bin:$PATH
}

# ---- what `perf/portcost locality` needs: islpy and jsonschema, from PyPI (no distribution has islpy) ----

locality_requirements=$root/perf/setup/locality_requirements.txt

# The project's environment with pip in it: as it is, with pip added, or made over the modules of python3 on PATH.
venv_with_pip() {
  if has_pip; then return; fi
  python3 -c 'import venv, ensurepip' 2>/dev/null || return 1
  mkdir -p "$logs"
  if [[ -x $venv/bin/python3 ]]; then
    "$venv/bin/python3" -m ensurepip >"$logs/venv.log" 2>&1
  else
    say "making the Python environment .venv"
    python3 -m venv --system-site-packages "$venv" >"$logs/venv.log" 2>&1
  fi
}

# Puts the environment first on PATH where the modules are in it alone; false where they cannot be had.
bring_locality() {
  local file
  if has_modules "$locality_requirements"; then return; fi
  if ! has_modules "$locality_requirements" "$venv/bin/python3"; then
    ((may_install)) && venv_with_pip || return 1
    for file in "$root/tests/requirements.txt" "$locality_requirements"; do
      has_modules "$file" "$venv/bin/python3" || pip_install "$file" || return 1
    done
  fi
  PATH=$venv/bin:$PATH
}

# perf/prepare --locality: brings this, and builds nothing.
prepare_locality() {
  local as_root lacking=()
  command -v python3 >/dev/null || lacking+=(python3)
  has_pip || python3 -c 'import venv, ensurepip' 2>/dev/null || lacking+=(python3-venv)
  if ((${#lacking[@]})) && ! has_modules "$locality_requirements"; then
    find_root || die 3 "missing packages: ${lacking[*]}; they cannot be installed here (that takes apt-get, and root or sudo)"
    update_packages
    install_packages "${lacking[@]}"
  fi
  if ! bring_locality; then
    ((may_install)) || die 3 "the Python modules islpy and jsonschema are missing, and nothing is installed (--no-install)"
    die 3 "the Python modules islpy and jsonschema cannot be had: PyPI was not reached; name a mirror of it in PIP_INDEX_URL" \
      "(logs: $logs/venv.log, $logs/pip-*.log)"
  fi
  say "perf/portcost locality has what it needs"
}
