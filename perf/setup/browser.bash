# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034  # the variables come from other files of perf/setup and perf/prepare, or are for them
# What only tests of continuous integration need: the browser that opens the report's page (Debian's Chromium with its driver,
# and the Python module selenium), and the parser that counts lines of code. Sourced by .ci/run. Where they cannot be had, those tests are skipped and say why.

browser_packages=(chromium chromium-driver)

has_browser() {
  command -v chromium >/dev/null && command -v chromedriver >/dev/null
}

# As far as this machine lets it; never fails. The Python environment must have been made.
bring_browser() {
  local as_root
  if ! has_browser; then
    if ! find_root; then
      say "no Chromium, and packages cannot be installed here: the test of the report's page will be skipped"
      return 0
    fi
    update_packages
    say "installing ${browser_packages[*]}"
    if ! run_apt install -y --no-install-recommends "${browser_packages[@]}"; then
      say "the packages ${browser_packages[*]} cannot be installed (log: $logs/apt-install.log): the test of the report's page" \
        "will be skipped"
      return 0
    fi
  fi
  bring_modules "$root/tests/browser_requirements.txt" || bring_selenium ||
    say "the Python module selenium cannot be had: the test of the report's page will be skipped"
}

# The parser is on PyPI alone.
bring_parser() {
  bring_modules "$root/tests/source_requirements.txt" ||
    say "the Python module tree-sitter-cuda cannot be had: the tests of perf/portcost count-lines will be skipped"
}

# From the distribution, where the project's environment is its.
bring_selenium() {
  ! has_pip && find_root || return 1
  say "installing python3-selenium"
  run_apt install -y --no-install-recommends python3-selenium && has_modules "$root/tests/browser_requirements.txt"
}
