# shellcheck shell=bash
# shellcheck disable=SC2154  # filter, root and the like are perf/run's
# perf/run --table1: what it measures stands in paper_table.json of the algorithm whose ladder was published with a table.
# Sourced by perf/run.

paper_file=paper_table.json

# paper_field ALGORITHM NAME: a text of the file.
paper_field() {
  sed -n 's/^ *"'"$2"'": *"\(.*\)",\{0,1\}$/\1/p' "$root/variants/$1/$paper_file"
}

# Sets paper to the algorithm that has a table.
choose_paper() {
  [[ -z $filter ]] || usage_error "--table1 names what it measures: leave --filter away"
  paper=$(algorithms_with "$paper_file")
}

# The words that measure it, one a line.
paper_words() {
  local name
  echo "$paper"
  for name in size type regime sync; do
    printf -- '--%s\n%s\n' "$name" "$(paper_field "$paper" "$name")"
  done
}

# is_paper HEADER: true where a record with this first line was begun to measure the table.
is_paper() {
  local name
  name=$(algorithms_with "$paper_file")
  [[ $1 == *"\"arguments\":[\"$name\","*"\"$(paper_field "$name" size)\""*"\"--sync\",\"$(paper_field "$name" sync)\""* ]]
}
