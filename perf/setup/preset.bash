# shellcheck shell=bash
# shellcheck disable=SC2154  # the variables come from perf/setup/common.bash
# Which preset is taken: what this machine has of GPU, CUDA toolkit and scheduler. Sourced by perf/prepare and perf/portcost.

has_gpu() {
  # All is read: with pipefail a writer that finds its reader gone would be a failure.
  command -v nvidia-smi >/dev/null && (($(nvidia-smi -L 2>/dev/null | grep -c '^GPU ') > 0))
}

# On the login node of a cluster others work, too, and the processor may be another than the compute nodes'.
is_login_node() {
  local scheduler
  [[ -z ${SLURM_JOB_ID:-}${PBS_JOBID:-}${LSB_JOBID:-}${FLUX_JOB_ID:-} ]] || return 1
  for scheduler in sbatch qsub bsub flux; do
    ! command -v "$scheduler" >/dev/null || return 0
  done
  return 1
}

# True where nvcc is found; puts it on PATH if it was only in the toolkit's folder.
find_nvcc() {
  local toolkit=${CUDA_HOME:-${CUDA_PATH:-/usr/local/cuda}}
  command -v nvcc >/dev/null && return
  [[ -x $toolkit/bin/nvcc ]] && PATH=$PATH:$toolkit/bin
}

choose_preset() {
  if [[ -n $preset ]]; then
    if [[ $preset == *cuda* ]] && ! find_nvcc; then
      die 3 "the preset $preset needs the CUDA toolkit: put nvcc on PATH or name the toolkit's folder in CUDA_HOME"
    fi
    return 0
  fi
  preset=openmp
  if ! has_gpu; then
    say "no NVIDIA GPU is visible: taking the host (preset openmp)"
  elif find_nvcc; then
    preset=cuda
    say "a GPU and nvcc are here (preset cuda)"
  else
    say "A GPU IS HERE, BUT NO nvcc: the CUDA toolkit is missing, so only the host is measured (preset openmp)."
    say "For the GPU install the toolkit (https://developer.nvidia.com/cuda-downloads), put nvcc on PATH or set" \
      "CUDA_HOME, and run this again."
  fi
}
