"""How pictures look: colours, canvas, axes, and the step from a matplotlib figure to inline SVG. A figure is drawn once in the
light palette; in SVG every colour is a CSS variable, for light, dark and print. One unit is one CSS pixel.
"""

import io
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import matplotlib
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, Locator, LogFormatterSciNotation, LogLocator, NullLocator

matplotlib.use("Agg")
matplotlib.rcdefaults()  # Pictures depend on no user's settings.

# Okabe and Ito's colours where they carry meaning; every meaning also has a marker or a hatch.
LIGHT = {
    "paper": "#ffffff", "ink": "#1a1d21", "muted": "#59616b", "grid": "#e4e7eb",
    "noise": "#cfd6de", "beyond": "#fcefe6", "row": "#f5f6f8",
    "kokkos": "#0072b2", "native": "#e69f00", "library": "#cc79a7", "edge": "#2b2f36",
    "faster": "#007a5a", "equal": "#1f2328", "slower": "#d55e00", "unclear": "#6b7280",
}
DARK = {
    "paper": "#14171b", "ink": "#eceff3", "muted": "#a5aeb9", "grid": "#2d333b",
    "noise": "#454e5a", "beyond": "#33231a", "row": "#1b1f25",
    "kokkos": "#56b4e9", "native": "#f0b030", "library": "#e29cc4", "edge": "#0d0f12",
    "faster": "#2fc79a", "equal": "#f4f6f8", "slower": "#ff8f4a", "unclear": "#9aa4b1",
}
ROLE_OF_COLOUR = {colour: role for role, colour in LIGHT.items()}
assert len(ROLE_OF_COLOUR) == len(LIGHT), "colours must differ to be distinguished in the SVG"

MARKERS = {"faster": "<", "equal": "o", "slower": ">", "unclear": "s"}
MODEL_ROLES = {"kokkos": "kokkos", "cuda": "native", "openmp": "native"}
EDGED = {"markeredgecolor": LIGHT["edge"], "markeredgewidth": 0.7}
HATCHES = {"kokkos": "", "native": "////", "library": "xx"}
WIDE, NARROW = 1000, 380
FONT = ("system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif")

STYLE = {
    "svg.fonttype": "none", "svg.hashsalt": "portcost", "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"], "font.size": 13, "text.color": LIGHT["ink"],
    "axes.edgecolor": LIGHT["muted"], "axes.labelcolor": LIGHT["muted"], "axes.labelsize": 12.5,
    "xtick.color": LIGHT["muted"], "ytick.color": LIGHT["muted"], "xtick.labelsize": 12,
    "ytick.labelsize": 12, "axes.linewidth": 1, "axes.facecolor": "none",
    "figure.facecolor": "none", "hatch.linewidth": 1.2, "legend.frameon": False,
    "hatch.color": LIGHT["edge"], "axes.spines.top": False, "axes.spines.right": False,
    "axes.titlecolor": LIGHT["ink"], "grid.color": LIGHT["grid"], "axes.axisbelow": True,
}
if "text.parse_math" in matplotlib.rcParams:  # Since matplotlib 3.6: a "$" in a name is a "$".
    STYLE["text.parse_math"] = False


@dataclass(frozen=True)
class Picture:
    name: str
    alt: str
    wide: Figure
    narrow: Figure
    note: str = ""
    """What stands below it on the page."""


def colour(role: str) -> str:
    return LIGHT[role]


def model_role(model: str) -> str:
    return MODEL_ROLES.get(model, "library")


def canvas(width: float, height: float) -> Figure:
    return Figure(figsize=(width / 72, height / 72), dpi=72)


def axes_at(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes placed in pixels from the top left corner, as on a page."""
    full_width, full_height = figure.get_size_inches() * 72
    return figure.add_axes((left / full_width, 1 - (top + height) / full_height, width / full_width, height / full_height))


LONGEST_LABEL = {True: 24, False: 44}
"""Letters of a row's label, in a narrow picture and in a wide one."""


def gutter(labels: list[str], narrow: bool) -> float:
    """Room for the longest row label; on a phone the plot keeps at least a hundred pixels."""
    longest = max(map(len, labels), default=0)
    return min(max(96.0, 7.5 * longest + 16), 195) if narrow else max(150.0, 8.9 * longest + 18)


def shortened(label: str, most: int) -> str:
    """A label of at most so many letters, with its beginning and its end: "plain.usual:in…tile=64x4"."""
    if len(label) <= most:
        return label
    return f"{label[:most - most // 2 - 1]}…{label[len(label) - most // 2:]}"


def write_heading(figure: Figure, title: str, subtitle: str) -> None:
    width, height = figure.get_size_inches() * 72
    narrow = width < WIDE
    figure.text(2 / width, 1 - 4 / height, title, va="top", size=14.5 if narrow else 18, weight="bold")
    figure.text(2 / width, 1 - (28 if narrow else 32) / height, subtitle, va="top", size=11 if narrow else 13, color=colour("muted"))


def stacked(heights: Sequence[float], title: str, subtitle: str, width: int, *, left: float, right: float, top: float, bottom: float,
            above: float = 0, below: float = 0) -> tuple[Figure, list[Axes]]:
    """A figure with a heading, and panels of these heights one under the other, with room above and below each; all in pixels."""
    figure = canvas(width, top + sum(heights) + (above + below) * len(heights) + bottom)
    write_heading(figure, title, subtitle)
    panels, y = [], top
    for height in heights:
        panels.append(axes_at(figure, left, y + above, width - left - right, height))
        y += above + height + below
    return figure, panels


def svg_text(figure: Figure, prefix: str, alt: str, css_class: str) -> str:
    """The figure as inline SVG: own ids, colours as variables, no address of any kind."""
    buffer = io.StringIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None})
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\s(?:xmlns(?::xlink)?|version)="[^"]*"', "", svg)
    svg = re.sub(r"<[^>]*>", lambda tag: own_tag(tag.group(), prefix), svg)
    svg = re.sub(r'<svg width="[^"]*" height="[^"]*"|<svg height="[^"]*" width="[^"]*"', "<svg", svg, count=1)
    return svg.replace("<svg", f'<svg class="{css_class}" role="img" aria-label="{escape(alt)}"', 1).strip()


def own_tag(tag: str, prefix: str) -> str:
    """A tag with ids of the page's own and with variables for colours; what is between tags is text, and stays."""
    tag = tag.replace("xlink:href=", "href=")
    tag = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', tag)
    tag = re.sub(r'href="#([^"]+)"', rf'href="#{prefix}-\1"', tag)
    tag = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", tag)
    tag = re.sub(r"'DejaVu Sans'(?:, sans-serif)?", FONT, tag)
    tag = re.sub(r'\b(fill|stroke)="(#[0-9a-f]{6})"', r'style="\1: \2"', tag)
    # A colour outside the palette is a mistake here.
    tag = re.sub(r"#[0-9a-f]{6}\b", lambda found: f"var(--{ROLE_OF_COLOUR[found[0].lower()]})", tag)
    # A path at a hundredth of a pixel, which is all that can be seen, has half the bytes.
    return re.sub(r' d="[^"]*"', lambda found: re.sub(r"(\.\d\d)\d+", r"\1", found[0]), tag)


def png_bytes(figure: Figure, dpi: int = 144, **texts: str) -> bytes:
    """The figure in the light palette on white, by default at twice the pixels for sharp screens, with texts of the file's own."""
    buffer = io.BytesIO()
    with matplotlib.rc_context(STYLE):
        figure.savefig(buffer, format="png", dpi=dpi, facecolor=LIGHT["paper"], metadata={"Software": None, **texts})
    return buffer.getvalue()


STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100)
DECADES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
SUPERSCRIPTS = str.maketrans("0123456789-\N{MINUS SIGN}", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
LEAST_PIXELS = 37
"""Between two ticks side by side, for their numbers; one above the other need less."""
LEAST_PIXELS_ABOVE = 24
WIDE_RANGE = 8
"""Beyond this range evenly spaced ticks would crowd at its upper end."""


def spaced_ticks(low: float, high: float, pixels: float, least: float = LEAST_PIXELS) -> list[float]:
    """Round ratios, 1 always among them, none closer to another than `least` pixels."""
    least_gap = math.log(high / low) * least / max(pixels, 3 * least)
    if high / low <= WIDE_RANGE:
        for step in STEPS:
            first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
            if last - first > 400:
                continue
            ticks = [round(number * step, 10) for number in range(first, last + 1)]
            if 1.0 in ticks and all(math.log(b / a) >= least_gap for a, b in zip(ticks, ticks[1:])):
                return ticks
    chosen = [1.0]
    for tick in sorted(DECADES, key=lambda tick: abs(math.log(tick))):
        if low <= tick <= high and all(abs(math.log(tick / c)) >= least_gap for c in chosen):
            chosen.append(tick)
    return sorted(chosen)


def steps_of(low: float, high: float, most: int) -> LogLocator:
    """Powers of ten; over few of them 2 and 5 times these, too."""
    return LogLocator(subs=(1, 2, 5) if high < 60 * low else (1,), numticks=most)


def set_ticks(axis: Axis, places: Locator, words: Callable[[float], str]) -> None:
    axis.set_major_locator(places)
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: words(value)))


def set_ratio_axis(axis: Axis, set_limits: Callable[[float, float], object], limits: tuple[float, float],
                   pixels: float) -> None:
    flat = axis.axis_name == "x"
    (axis.axes.set_xscale if flat else axis.axes.set_yscale)("log")
    set_limits(*limits)
    ticks = spaced_ticks(*limits, pixels, LEAST_PIXELS if flat else LEAST_PIXELS_ABOVE)
    set_ticks(axis, FixedLocator(ticks), lambda tick: f"{tick:g}")


class PlainPowers(LogFormatterSciNotation):
    """The labels of a logarithmic axis, "2¹⁰", as plain text: our pictures read none as TeX."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        words = super().__call__(x, pos).replace("$", "").replace(r"\times", "×").replace(" ", "")
        words = re.sub(r"\\mathdefault\{(.*)\}", r"\1", words)
        return re.sub(r"\^\{(.*?)\}", lambda power: power[1].translate(SUPERSCRIPTS), words)


def set_powers(axis: Axis, base: int = 10) -> None:
    (axis.axes.set_xscale if axis.axis_name == "x" else axis.axes.set_yscale)("log", base=base)
    axis.set_major_formatter(PlainPowers(base))
    axis.set_minor_formatter(PlainPowers(base))


MARGINS = {"left": 0.1, "right": 0.97, "top": 0.84, "bottom": 0.14}


def figure_of_panels(title: str, names: list[str], fill: Callable[[Axes, str], None], *, width: int, height: int,
                     shared: bool = True, margins: dict[str, float] = MARGINS) -> Figure:
    """A panel of width x height pixels for each name, filled by fill(axes, name), with the name as its title, which fill() may
    change. Shared, they have the same axes, and only the first says what goes up."""
    with matplotlib.rc_context(STYLE):
        figure = canvas(width * len(names) + 60, height)
        figure.suptitle(title, x=0.02, ha="left", size=13)
        first = None
        for number, name in enumerate(names):
            axes = figure.add_subplot(1, len(names), number + 1, sharex=first, sharey=first)
            first = first or (axes if shared else None)
            axes.set_title(name, loc="left")
            axes.grid(True)
            fill(axes, name)
            if shared and number > 0:
                axes.set_ylabel("")
        figure.subplots_adjust(**margins)
    return figure
