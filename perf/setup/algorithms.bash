# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154  # needed is for those that source this; root, algorithms and preset are from common.bash
# Which algorithms a build folder has and a command needs: the first table is not to wait for those that it does not show.
# Sourced by perf/prepare and perf/portcost.
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
  local stem=${name%%[*?[]*}
  while read -r one; do
    [[ $one != "$name" && ($stem == "$name" || $one != "$stem"*) ]] || echo "$one"
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
