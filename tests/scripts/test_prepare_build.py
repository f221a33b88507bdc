"""perf/prepare on a made-up machine: the preset, Kokkos and the build."""

import pytest
from machine import CMAKE, GPU, Machine, installed_kokkos, presets


def test_gpu_and_nvcc_take_cuda(ready: Machine):
    prefix = installed_kokkos(ready, "SERIAL;CUDA")
    ready.stub("nvidia-smi", GPU)
    ready.stub("nvcc", "")
    calls = ready.calls_of("perf/prepare", PORTCOST_CUDA_KOKKOS=prefix)
    assert presets(calls) == ["cuda"]
    assert f"-DKokkos_ROOT={prefix}" in calls[0].split()


def test_gpu_without_nvcc_says_so_and_takes_the_host(ready: Machine):
    ready.stub("nvidia-smi", GPU)
    assert "toolkit is missing" in ready.run("perf/prepare").stderr
    assert (ready.repo / "build/openmp").exists() and not (ready.repo / "build/cuda").exists()


def test_nvidia_smi_without_a_gpu(ready: Machine):
    ready.stub("nvidia-smi", 'echo "No devices found"; exit 6\n')
    ready.stub("nvcc", "")
    assert "preset openmp" in ready.run("perf/prepare").stderr


def test_preset_and_kokkos_are_passed_on(ready: Machine):
    kokkos = ready.repo.parent / "kokkos"
    (kokkos / "lib/cmake/KokkosKernels").mkdir(parents=True)
    words = ready.calls_of("perf/prepare", "--preset=openmp-checked", "--kokkos", str(kokkos), "--werror")[0].split()
    assert "openmp-checked" in words
    assert {f"-DKokkos_ROOT={kokkos}", f"-DKokkosKernels_ROOT={kokkos}", "-DPORTCOST_WERROR=ON"} <= set(words)


def test_failed_build_shows_the_end_of_its_log(ready: Machine):
    ready.stub("cmake", CMAKE.format(version="3.25.1").replace('echo "ninja: no work to do."', "echo broken; exit 1"))
    result = ready.run("perf/prepare", status=1)
    assert "broken" in result.stderr and "openmp-build.log" in result.stderr


def stop_cmake(machine: Machine, text: str) -> None:
    """CMake stops with a line for the user, as cmake/PortcostCache.cmake writes it."""
    machine.stub("cmake", CMAKE.format(version="3.25.1").replace(
        "*--build*)", "*--nothing*)").replace("--preset*)", f"""--preset*)
    echo "portcost: a note for the user" >&2; echo "-- not one" >&2
    mkdir -p "$REPO/build/openmp"; echo "{text}" >"$REPO/build/openmp/portcost-stopped.txt"; exit 1 ;;
  *--never*)"""))


def test_what_stops_cmake_is_one_line_and_status_3(ready: Machine):
    stop_cmake(ready, "No installed Kokkos was found; and so on")
    result = ready.run("perf/prepare", "--werror", status=3)
    assert result.stderr.splitlines()[-2:] == [
        "portcost: a note for the user",
        "portcost: No installed Kokkos was found; and so on",
    ]


@pytest.mark.parametrize("word", ["installation", "release", "distribution"])
def test_kokkos_takes_a_source_by_name(ready: Machine, word: str):
    words = ready.calls_of("perf/prepare", "--kokkos", word)[0].split()
    assert f"-DPORTCOST_KOKKOS={word}" in words and not any(word.startswith("-DKokkos_ROOT") for word in words)


def test_a_kokkos_named_before_is_forgotten(ready: Machine):
    ready.run("perf/prepare", "--kokkos", "/a")
    ready.take_calls()
    assert "-U Kokkos_ROOT" in ready.calls_of("perf/prepare")[0]


@pytest.mark.parametrize(("words", "environment", "passed"), [
    ([], {"Kokkos_ROOT": "/a", "KokkosKernels_ROOT": "/b"}, {"-DKokkos_ROOT=/a", "-DKokkosKernels_ROOT=/b"}),
    ([], {"FETCHCONTENT_SOURCE_DIR_KOKKOS": "/k"}, {"-DFETCHCONTENT_SOURCE_DIR_KOKKOS=/k"}),
    (["--no-install", "--kokkos", "release"], {}, {"-DPORTCOST_FETCH=OFF"}),
])
def test_what_cmake_is_given(ready: Machine, words: list[str], environment: dict[str, str], passed: set[str]):
    assert passed <= set(ready.calls_of("perf/prepare", *words, **environment)[0].split())
