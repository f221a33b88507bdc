"""What a record holds, as typed values. Reading and checking live in reading.py."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

T, K = TypeVar("T"), TypeVar("K", bound=Hashable)


def grouped(found: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Lists of the items with the same key; keys and items keep the order of `found`."""
    groups: dict[K, list[T]] = {}
    for one in found:
        groups.setdefault(key(one), []).append(one)
    return groups


class RecordError(Exception):
    """A record cannot be used; the text names the file, the line and the remedy."""

    status = 2


class OutputError(RecordError):
    """The machine did not take what was to be written."""

    status = 3


class ExplainError(RecordError):
    """One line for the user, and the exit status: 2 for a mistake in the input or the command, 3 for what is missing."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Interval:
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Spread:
    """Order statistics of one side's times, in seconds for one run."""

    min: float
    q1: float
    median: float
    q3: float


@dataclass(frozen=True)
class Side:
    variant: str
    model: str
    step: str
    device: Spread | None
    wall: Spread | None
    limit_fraction: float | None
    batch: int
    limit_fraction_interval: tuple[float, float] | None = None
    """The 95 % interval of limit_fraction."""
    way: str = ""
    """Of a Kokkos variant how it is written: "tuned", "book" or "usual"; empty for any other."""
    dials: str = ""
    """Documented settings that are not as by default: "tile=64x4"."""
    portable: bool = False
    """Written in Kokkos: a Kokkos variant, or a peer that says so. Such code never counts as native."""
    ranks_s: tuple[float, float] | None = None
    """Of several processes together the median seconds of the fastest and of the slowest."""

    @property
    def row_name(self) -> str:
        """The step as its row is named: with the way of writing, where that is a suffix of the variant's model."""
        return self.step + self.variant.split("/")[-1].removeprefix(self.model)

    @property
    def is_peer(self) -> bool:
        return self.model == "library"


@dataclass(frozen=True)
class Floor:
    name: str
    value: float
    unit: str
    floor_s: float

    @property
    def work(self) -> float:
        """What the limit counts in one run: bytes or operations."""
        return self.value * self.floor_s


@dataclass(frozen=True)
class MachineLimit:
    name: str
    value: float
    unit: str
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class KnownDefect:
    """A defect of a library that portcost lists for a peer at this size."""

    what: str
    reason: str
    reproducer: str
    seen: bool
    """False: the answer is right, and the list may be out of date."""

    @property
    def text(self) -> str:
        if not self.seen:
            return f"listed defect not seen: remove it? ({self.what})"
        return f"known defect: {self.what}. Reason: {self.reason}. Reproducer: {self.reproducer}"


class OfProblem:
    size_text: str
    parameters_text: str | None

    @property
    def problem_text(self) -> str:
        return ",".join(filter(None, (self.size_text, self.parameters_text)))


@dataclass(frozen=True)
class Failure(OfProblem):
    """A variant that crashed, hung or gave up at one problem, and was left out from then on."""

    variant: str
    size_text: str
    parameters_text: str
    type: str
    regime: str
    what: str
    """Such as "crashed: SIGSEGV"."""
    when: str
    """Such as "in its first run"."""
    process: int | None = None

    @property
    def text(self) -> str:
        process = "" if self.process is None else f"process {self.process + 1}: "
        return f"{process}{self.variant}, {self.problem_text}, {self.type}, {self.regime}: {self.what}, {self.when}"


@dataclass(frozen=True)
class Result(OfProblem):
    """One measured row: a pair, a best against best, a solo variant, or a null (A against A)."""

    id: int
    role: str
    algorithm: str
    step: str
    size: dict[str, int]
    size_text: str
    parameters_text: str
    type: str
    regime: str
    sides: tuple[Side, ...]
    agrees: bool
    agreement: str
    disagreement: str
    ratio: Interval | None
    wall_ratio: Interval | None
    noise: tuple[float, float] | None
    verdict: str
    floor: Floor | None
    blocks: int
    dropped: int
    stop: str
    unit: str = ""
    """What counts as one independent observation: "allocation", "process" or "block" (a pair of blocks)."""
    units: int = 0
    processes: int = 1
    undecided: str = ""
    """Why there is no verdict."""
    disturbed: str = ""
    launch_gaps: str = ""
    """Which sides' device times hold gaps between launches."""
    excludes_one: bool = False
    """Of a null: A against A differs by more than chance."""
    defect: KnownDefect | None = None
    failed: tuple[str, ...] = ()
    """Of its sides those that crashed or hung, so that there are no answers to compare."""
    parameters: Mapping[str, float | str] = field(default_factory=dict)
    own_answer: bool = False
    """Of a step whose answer is not that of the ladder's: in no best against best."""

    @property
    def fails(self) -> bool:
        """A wrong answer that is no known defect, or none since a side has failed."""
        return not self.agrees and self.defect is None


@dataclass(frozen=True)
class Kernel:
    name: str
    launches: int
    seconds: float


@dataclass(frozen=True)
class Counters(OfProblem):
    """What the hardware counted in one run of a variant; perf/portcost explain writes these."""

    variant: str
    size_text: str
    type: str
    rung: int
    """Where its step stands on the ladder; -1 for a peer."""
    kernels: tuple[Kernel, ...]
    values: dict[str, float]
    reasons: Mapping[str, str] = field(default_factory=dict)
    """Why its work differs from its native side's, as the ladder states it: "barriers" and a reason."""
    parameters_text: str | None = ""
    """Those not as their default; None in a record from before they were written."""

    def is_of(self, variant: str, result: Result, element_type: str) -> bool:
        """Whether they were counted in what was measured as `result`."""
        return ((self.variant, self.size_text, self.type) == (variant, result.size_text, element_type)
                and self.parameters_text in (None, result.parameters_text))

    algorithm = property(lambda self: self.variant.split("/")[0])
    step = property(lambda self: self.variant.split("/")[1])
    model = property(lambda self: self.variant.split("/")[2])


@dataclass(frozen=True)
class Process:
    seed: int
    date: str


@dataclass(frozen=True)
class InputFile:
    """A file that a parameter named. Where its sum is not known (empty), `missing` says why."""

    path: str
    bytes: int
    sha256: str
    missing: str = ""

    @property
    def text(self) -> str:
        return f"{self.bytes} bytes, SHA-256 {self.sha256 or f'unknown ({self.missing})'}"


@dataclass(frozen=True)
class Header:
    """Where, with what and how a record was measured."""

    version: str
    commit: str
    date: str
    command: str
    seed: int
    machine: dict[str, Any]
    build: dict[str, Any]
    settings: dict[str, Any]
    processes: tuple[Process, ...] = ()
    files: tuple[InputFile, ...] = ()
    lines: dict[str, int] = field(default_factory=dict)
    """Lines of code of each variant, where the record says so."""
    ranks: int = 0
    """How many processes worked on each problem together; 0: one, without a launcher."""
    computers: int = 1
    """On how many computers they were."""

    @property
    def processor(self) -> str:
        """What measured: records of other numbers of processes are of other machines."""
        name = str(self.machine["processor"])
        if not self.ranks:
            return name
        where = name if self.computers == 1 else f"{self.computers} computers, {name}"
        return f"{self.ranks} process{'es' if self.ranks > 1 else ''} on {where}"

    @property
    def is_gpu(self) -> bool:
        return self.machine["kind"] == "gpu"


@dataclass(frozen=True)
class Record:
    path: Path
    header: Header
    limits: tuple[MachineLimit, ...] = ()
    results: tuple[Result, ...] = ()
    counters: tuple[Counters, ...] = ()
    failures: tuple[Failure, ...] = ()
    ended: bool = True
    """False when the end line is missing: rows may be missing, too."""
    derived: Any = field(default=None, repr=False, compare=False)
    """The derived.Derived that it was read from."""

    @property
    def name(self) -> str:
        return self.path.name.removesuffix(".gz").removesuffix(".part").removesuffix(".jsonl")

    def missing_end(self) -> str:
        if self.ended:
            return ""
        return (f"{self.path}: the end line is missing: the measurement was stopped, and only its "
                f"{len(self.results)} finished results are here; portcost bench --resume goes on")

    def one_clock(self) -> bool:
        """True where device and wall time are the same, as on a host: one of them says all."""
        return all(side.device == side.wall for result in self.results for side in result.sides)

    def algorithms(self) -> list[str]:
        return list(dict.fromkeys(result.algorithm for result in self.results))
