# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034  # the variables come from other files of perf/setup and perf/prepare, or are for them
# What `perf/portcost locality` needs: islpy and jsonschema, in the project's Python environment, from PyPI (no distribution has
# islpy). Sourced by perf/prepare.

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
