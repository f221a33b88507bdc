# shellcheck shell=bash
# shellcheck disable=SC2154  # preset, root and the like are perf/run's
# perf/run --ranks: several processes that a launcher starts together. Sourced by perf/run.

ranks=''                # how many; empty: one process, without a launcher
gpus=''                 # --gpus; empty: not said
launch_words=mpirun     # --launcher
launcher=()             # its words up to the number of processes
share_gpus=0

# The launcher's words, with the option that says how many processes, where it has none.
split_launcher() {
  read -r -a launcher <<<"$launch_words"
  ((${#launcher[@]})) || usage_error "--launcher is empty: name a command, such as mpirun or 'srun -n'"
  if ((${#launcher[@]} == 1)) || [[ ${launcher[-1]} != -* ]]; then
    launcher+=(-n)
  fi
}

# Refuses what cannot be before anything is brought or built.
check_ranks() {
  if [[ -z $ranks ]]; then
    [[ -z $gpus ]] || usage_error "--gpus is of work over processes: say how many, --ranks N"
    ((!share_gpus)) || usage_error "--share-gpus is of work over processes: say how many, --ranks N"
    return 0
  fi
  [[ $ranks =~ ^[1-9][0-9]{0,5}$ ]] || usage_error "--ranks needs a whole number from 1 to 999999, not '$ranks'"
  [[ -z $gpus || $gpus =~ ^(0|[1-9][0-9]{0,5})$ ]] || usage_error "--gpus needs a whole number, not '$gpus'"
  ((!table1)) || usage_error "--table1 is of one process: it does not go with --ranks"
  split_launcher
  choose_gpus
}

# --gpus 0 is the host; with GPUs each process takes one of its own.
choose_gpus() {
  if [[ $gpus == 0 ]]; then
    [[ $preset != *cuda* ]] || usage_error "--gpus 0 measures hosts, and --preset $preset a GPU: leave one of them away"
    preset=${preset:-openmp}
  elif [[ -n $gpus ]]; then
    [[ -z $preset || $preset == *cuda* ]] || usage_error "--gpus $gpus needs the preset cuda, not $preset"
    preset=${preset:-cuda}
    if ((ranks > gpus && !share_gpus)); then
      usage_error "--ranks $ranks with --gpus $gpus: each process takes a GPU of its own, so there are too few; --ranks $gpus" \
        "would do, or --share-gpus for a test whose times mean nothing"
    fi
  fi
}

# True where all processes are started on this computer, as far as the launcher's words and the job say. Of launchers other
# than MPI's own nothing is known.
is_local() {
  local word
  case ${launcher[0]##*/} in
    mpirun | mpirun.* | mpiexec | mpiexec.* | orterun | prterun) ;;
    *) return 1 ;;
  esac
  for word in "${launcher[@]:1}"; do
    case $word in
      -H | -f | -hostfile | --hostfile* | -machinefile | --machinefile* | -host | -hosts | --host | --host=* | --hosts* | \
        -rf | -rankfile | --rankfile* | --map-by=rankfile*) return 1 ;;
    esac
  done
  ! job_has_other_computers
}

# True within a job of several nodes, which mpirun takes from the scheduler's variables.
job_has_other_computers() {
  local words
  if ((${SLURM_JOB_NUM_NODES:-1} > 1)); then return 0; fi
  if [[ -f ${PBS_NODEFILE:-} ]] && (($(sort -u "$PBS_NODEFILE" | grep -c .) > 1)); then return 0; fi
  read -r -a words <<<"${LSB_MCPU_HOSTS:-}" # each host and its slots
  ((${#words[@]} > 2))
}

# Where all processes are on this computer: that it has the GPUs, and --gpus for what it starts.
check_gpus() {
  local here named=()
  [[ -n $ranks && $preset == *cuda* ]] && is_local || return 0
  here=$(visible_names | grep -c . || true)
  if [[ -n $gpus ]] && ((gpus > here)); then
    usage_error "--gpus $gpus, and $here are visible here"
  fi
  if ((ranks > here && !share_gpus)); then
    usage_error "--ranks $ranks, and $here GPUs are visible here: each process takes one of its own; --gpus 0 measures the" \
      "host, --share-gpus is a test whose times mean nothing"
  fi
  if [[ -n $gpus ]]; then
    mapfile -t named < <(visible_names)
    export CUDA_VISIBLE_DEVICES
    CUDA_VISIBLE_DEVICES=$(IFS=,; printf '%s' "${named[*]:0:gpus}")
  fi
}

# A line for each GPU that processes see, by the number or name that CUDA_VISIBLE_DEVICES has for it. (nvidia-smi lists all.)
visible_names() {
  local count number names=()
  if [[ -n ${CUDA_VISIBLE_DEVICES+set} ]]; then
    IFS=, read -r -a names <<<"$CUDA_VISIBLE_DEVICES"
  else
    count=$(nvidia-smi -L 2>/dev/null | grep -c '^GPU' || true)
    for ((number = 0; number < count; ++number)); do names+=("$number"); done
  fi
  ((!${#names[@]})) || printf '%s\n' "${names[@]}"
}

# Has the processes share the cores where all are on this computer, unless the user has said how. An MPI that does not know
# these variables ignores them.
share_cores() {
  local cores
  [[ -n $ranks ]] || return 0
  command -v "${launcher[0]}" >/dev/null || die 3 "the launcher '${launcher[0]}' was not found: perf/prepare --mpi brings mpirun," \
    "and --launcher names another"
  if ((EUID == 0)); then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
  is_local || return 0
  cores=$(nproc)
  if [[ -z ${OMP_NUM_THREADS:-} ]]; then
    export OMP_NUM_THREADS=$((cores > ranks ? cores / ranks : 1))
    say "OMP_NUM_THREADS=$OMP_NUM_THREADS for each of $ranks processes on $cores processors"
  fi
  # Threads of a process are not to share the one core that it would be bound to.
  export OMPI_MCA_hwloc_base_binding_policy=${OMPI_MCA_hwloc_base_binding_policy:-none}
  export PRTE_MCA_hwloc_default_binding_policy=${PRTE_MCA_hwloc_default_binding_policy:-none}
  if ((ranks > cores)); then
    export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    say "$ranks PROCESSES ON $cores PROCESSORS: what they do is right, and their times mean nothing"
  fi
}

# Sets `command` to portcost with these words, by the launcher where it is work over processes.
launched() {
  command=("$root/build/${build:-$preset}/bin/portcost" "$@")
  [[ -n $ranks && ($1 == check || $1 == bench) ]] || return 0
  command=("${launcher[@]}" "$ranks" "${command[0]}" "$1" --ranks "$ranks")
  ((!share_gpus)) || command+=(--share-gpus)
  command+=("${@:2}")
}
