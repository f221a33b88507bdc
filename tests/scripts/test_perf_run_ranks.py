"""perf/run --ranks on a made-up machine: what it starts, and what it refuses before anything is built."""

import pytest
from machine import GPU, Machine, presets, starting

MPIRUN = r"""
hosts=
case $1 in --hostfile | -H | -x) hosts="$1 $2 "; shift 2 ;; esac
echo "${0##*/} $hosts$1 $2 threads=$OMP_NUM_THREADS over=${OMPI_MCA_rmaps_base_oversubscribe:-0} gpus=$CUDA_VISIBLE_DEVICES" >>"$CALLS"
shift 2
"$@"
"""


@pytest.fixture
def parallel(ready: Machine) -> Machine:
    """With MPI, four processors, and an algorithm with work over processes."""
    ready.stub("mpicxx", "")
    for launcher in ("mpirun", "srun"):
        ready.stub(launcher, MPIRUN)
    ready.stub("nproc", "echo 4\n")
    ready.stub("nvcc", 'echo "release 13.0, V13.0.88"\n')
    (ready.repo / "variants/jacobi").mkdir(exist_ok=True)
    (ready.repo / "variants/jacobi/ranks.cpp").touch()
    return ready


def refused(machine: Machine, *words: str, status: int = 2, **environment: str) -> str:
    """The last line; nothing is built."""
    result = machine.run("perf/run", *words, status=status, **environment)
    assert presets(machine.take_calls()) == []
    return result.stderr.splitlines()[-1]


def test_a_launcher_starts_check_and_bench(parallel: Machine):
    out = str(parallel.repo / "out")
    result = parallel.run("perf/run", "--ranks", "2", "--filter", "jacobi/*", "--size", "rows=64", "--size", "rows=128", "--out", out)
    check, bench = starting(parallel.take_calls(), "portcost check", "portcost bench")
    assert check == "portcost check --ranks 2 jacobi/*"
    assert bench.startswith("portcost bench --ranks 2 jacobi/* --campaign default --size rows=64 --size rows=128 --out ")
    assert "times mean nothing" not in result.stderr


def test_processes_share_the_cores(parallel: Machine):
    assert starting(parallel.calls_of("perf/run", "--ranks", "2"), "mpirun")[0] == "mpirun -n 2 threads=2 over=0 gpus="
    calls = parallel.calls_of("perf/run", "--ranks", "2", OMP_NUM_THREADS="3")
    assert starting(calls, "mpirun")[0] == "mpirun -n 2 threads=3 over=0 gpus="
    many = parallel.run("perf/run", "--ranks", "8")
    assert starting(parallel.take_calls(), "mpirun")[0] == "mpirun -n 8 threads=1 over=1 gpus="
    assert "8 PROCESSES ON 4 PROCESSORS" in many.stderr and "times mean nothing" in many.stderr


def test_another_launcher_and_its_words(parallel: Machine):
    words = ("--ranks", "8", "--launcher")
    assert starting(parallel.calls_of("perf/run", *words, "srun -n"), "srun") == ["srun -n 8 threads= over=0 gpus="] * 2
    calls = parallel.calls_of("perf/run", *words, "mpirun -x A=1 -n")
    assert starting(calls, "mpirun")[0] == "mpirun -x A=1 -n 8 threads=1 over=1 gpus="
    assert "the launcher 'aprun' was not found" in refused(parallel, *words, "aprun -n", status=3)


def test_mpi_is_brought(bare: Machine):
    calls = bare.calls_of("perf/run", "--ranks", "2", "--filter", "jacobi")
    assert any("openmpi-bin" in line for line in starting(calls, "apt-get"))


def test_each_process_takes_a_gpu(parallel: Machine):
    assert "--ranks 4 with --gpus 2: each process takes a GPU of its own" in refused(parallel, "--ranks", "4", "--gpus", "2")
    parallel.stub("nvidia-smi", GPU)
    assert "--ranks 2, and 1 GPUs are visible here" in refused(parallel, "--preset", "cuda", "--ranks", "2")
    parallel.run("perf/run", "--preset", "cuda", "--ranks", "2", "--share-gpus")
    assert starting(parallel.take_calls(), "portcost bench")[0].startswith("portcost bench --ranks 2 --share-gpus ")
    parallel.run("perf/run", "--ranks", "2", "--gpus", "0")


def with_gpus(machine: Machine, count: int) -> None:
    machine.stub("nvidia-smi", "".join(f'echo "GPU {i}: NVIDIA H200 (UUID: GPU-{i})"\n' for i in range(count)))


@pytest.mark.parametrize(("launcher", "job"), [
    ("mpirun --hostfile hosts -n", {}),
    ("mpirun -H a,b -n", {}),
    ("srun -n", {}),
    ("jobrun -n", {}),
    ("mpirun -n", {"SLURM_JOB_ID": "1", "SLURM_JOB_NUM_NODES": "2"}),
    ("mpirun -n", {"PBS_JOBID": "1", "PBS_NODEFILE": "nodes"}),
    ("mpirun -n", {"LSB_JOBID": "1", "LSB_MCPU_HOSTS": "a 4 b 4"}),
])
def test_gpus_and_cores_of_other_computers_are_not_counted_here(parallel: Machine, launcher: str, job: dict[str, str]):
    with_gpus(parallel, 4)
    parallel.stub("jobrun", MPIRUN)
    nodes = parallel.repo.parent / "nodes"
    nodes.write_text("a\na\nb\nb\n")
    job = {name: str(nodes) if value == "nodes" else value for name, value in job.items()}
    result = parallel.run("perf/run", "--preset", "cuda", "--ranks", "8", "--gpus", "8", "--launcher", launcher, **job)
    assert "PROCESSORS" not in result.stderr
    name = launcher.split()[0]
    assert starting(parallel.take_calls(), name) == [f"{launcher} 8 threads= over=0 gpus="] * 2


def test_a_job_of_one_node_is_this_computer(parallel: Machine):
    with_gpus(parallel, 4)
    nodes = parallel.repo.parent / "nodes"
    nodes.write_text("a\na\n")
    for job in ({"SLURM_JOB_ID": "1", "SLURM_JOB_NUM_NODES": "1"}, {"PBS_JOBID": "1", "PBS_NODEFILE": str(nodes)},
                {"LSB_JOBID": "1", "LSB_MCPU_HOSTS": "a 8"}):
        assert "--ranks 8, and 4 GPUs are visible here" in refused(parallel, "--preset", "cuda", "--ranks", "8", **job)


def test_another_computer_needs_no_gpu_here(parallel: Machine):
    words = ("--preset", "cuda", "--ranks", "2", "--launcher")
    assert "none is visible here" in refused(parallel, *words, "mpirun -n", status=3)
    parallel.run("perf/run", *words, "srun -n")


def test_processes_see_as_many_gpus_as_were_asked_for(parallel: Machine):
    with_gpus(parallel, 8)
    words = ("perf/run", "--preset", "cuda", "--ranks", "4", "--gpus", "2", "--share-gpus")

    def shown(*words: str, **environment: str) -> str:
        return starting(parallel.calls_of(*words, **environment), "mpirun")[0].split("gpus=")[1]

    assert shown(*words) == "0,1"
    assert shown(*words, CUDA_VISIBLE_DEVICES="3,GPU-5,7") == "3,GPU-5"
    assert shown("perf/run", "--preset", "cuda", "--ranks", "2") == ""
    few = refused(parallel, "--preset", "cuda", "--ranks", "2", CUDA_VISIBLE_DEVICES="3")
    assert "--ranks 2, and 1 GPUs are visible here" in few


@pytest.mark.parametrize(("words", "said"), [
    (("--ranks", "0"), "--ranks needs a whole number from 1 to 999999, not '0'"),
    (("--ranks", "two"), "--ranks needs a whole number from 1 to 999999, not 'two'"),
    (("--gpus", "1"), "--gpus is of work over processes"),
    (("--share-gpus",), "--share-gpus is of work over processes"),
    (("--ranks", "2", "--gpus", "x"), "--gpus needs a whole number, not 'x'"),
    (("--ranks", "2", "--gpus", "0", "--preset", "cuda"), "--gpus 0 measures hosts"),
    (("--ranks", "2", "--gpus", "2", "--preset", "openmp"), "--gpus 2 needs the preset cuda"),
    (("--ranks", "2", "--launcher", " "), "--launcher is empty"),
])
def test_mistakes(parallel: Machine, words: tuple[str, ...], said: str):
    assert said in refused(parallel, *words)


def test_a_run_that_was_stopped_goes_on_by_as_many(parallel: Machine):
    folder = parallel.leave_stopped('{"kind":"header","ranks":{"count":3},"build":{"kokkos_backend":"OpenMP"}}')
    result = parallel.run("perf/run", "--resume", folder)
    calls = parallel.take_calls()
    assert starting(calls, "mpirun") == ["mpirun -n 3 threads=1 over=0 gpus="], result.stderr
    assert starting(calls, "portcost bench") == [f"portcost bench --ranks 3 --resume {folder}/record.jsonl"]


def test_a_launcher_that_is_stopped_has_not_measured(parallel: Machine):
    parallel.stub("mpirun", MPIRUN.replace('"$@"', '[ "$2" = check ] || exit 1'))
    assert starting(parallel.calls_of("perf/run", "--ranks", "2", status=3), "report") == []
