# shellcheck shell=bash
# shellcheck disable=SC2154  # filter, root and the like are perf/run's
# perf/run --table1: what it measures stands in variants/*/paper_table.json, a table that was published of an algorithm's
# ladder. Sourced by perf/run.

paper_file=paper_table.json

# paper_field ALGORITHM NAME: a text of the file.
paper_field() {
  sed -n 's/^ *"'"$2"'": *"\(.*\)",\{0,1\}$/\1/p' "$root/variants/$1/$paper_file"
}

# Sets paper to the algorithm whose table is measured: the only one that has a table, or the one that --filter names.
choose_paper() {
  local known
  mapfile -t known < <(algorithms_with "$paper_file")
  ((${#known[@]})) || usage_error "--table1: no algorithm has a published table: there is no variants/*/$paper_file"
  paper=$filter
  if [[ -z $filter ]] && ((${#known[@]} == 1)); then
    paper=${known[0]}
  elif [[ -z $filter ]]; then
    usage_error "--table1: several algorithms have a published table; name one with --filter: ${known[*]}"
  elif [[ " ${known[*]} " != *" $filter "* ]]; then
    usage_error "--table1 names what it measures: --filter may only name the algorithm of a published table: ${known[*]}"
  fi
}

# The words that measure it, one a line.
paper_words() {
  local name
  echo "$paper"
  for name in size type regime sync; do
    printf -- '--%s\n%s\n' "$name" "$(paper_field "$paper" "$name")"
  done
}

# is_paper HEADER: true where a record with this first line was begun to measure a table.
is_paper() {
  local name size sync
  while read -r name; do
    size=$(paper_field "$name" size) sync=$(paper_field "$name" sync)
    [[ $1 != *"\"arguments\":[\"$name\","*"\"$size\""*"\"--sync\",\"$sync\""* ]] || return 0
  done < <(algorithms_with "$paper_file")
  return 1
}
