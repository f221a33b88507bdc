# shellcheck shell=bash
# perf/run --new-algorithm: copies the template of an algorithm into a folder of the user's own. Sourced by perf/run.

template=${root:?}/perf/setup/template/axpy

# What names no namespace: C++'s keywords, and what std, Kokkos and the instrument take.
reserved_words=' alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
 consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit export extern false
 float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected
 public register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template
 this throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq
 std src variants tests perf detail linux unix '

# new_algorithm DIR: makes the algorithm named like the folder, and says what to type next.
new_algorithm() {
  local folder name file shown
  folder=$(readlink -m "$1")
  name=${folder##*/}
  check_own_algorithm "--new-algorithm $1" "$folder"
  [[ ${reserved_words//$'\n'/} != *" $name "* && $name != *__* ]] ||
    usage_error "--new-algorithm $1: '$name' would be a C++ namespace, and is taken in C++ or here: take another name"
  [[ $folder != "$root/variants/"* ]] ||
    usage_error "--new-algorithm $1: take a folder outside variants, whose folders CMake lists by name"
  [[ ! -e $folder || -d $folder ]] || usage_error "--new-algorithm $1: a file is there"
  [[ -z $(shopt -s nullglob dotglob && echo "$folder"/*) ]] || usage_error "--new-algorithm $1: that folder is not empty"
  mkdir -p "$folder" || die 1 "cannot make $folder"
  for file in "$template"/*; do
    sed "s/\\baxpy\\b/$name/g" "$file" >"$folder/${file##*/}" || die 1 "cannot write to $folder"
  done
  printf -v shown %q "$folder"
  printf 'made %s, a working algorithm:\n' "$folder"
  for file in "$folder"/*; do printf '  %s\n' "${file##*/}"; done
  printf 'Its arithmetic is rule() in problem.hpp. Check, measure and report it; then all tests, random sizes among them:\n'
  printf "  %q --algorithms %s --filter '%s/*'\n  %q --algorithms %s\n" \
    "$0" "$shown" "$name" "${0%perf/run}tests/run" "$shown"
}
