"""A stand-in for NVIDIA's module of this name, with the interface that its documentation describes.

It reads the reports, in JSON, of the made-up ncu beside it: a list of launches, each a name and
metrics by name, each a value (null: not measured), a unit and, by opcode, its instances.
"""

import json
from pathlib import Path
from types import SimpleNamespace


def load_report(file_name):
    """One range with all launches; none where there is no launch."""
    actions = [IAction(launch) for launch in json.loads(Path(file_name).read_text())]
    range_ = SimpleNamespace(num_actions=lambda: len(actions), action_by_idx=actions.__getitem__)
    return SimpleNamespace(num_ranges=lambda: 1 if actions else 0, range_by_idx=[range_].__getitem__)


class IMetric:
    def __init__(self, value, _unit="", instances=None):
        self._value, self._instances = value, instances

    def has_value(self):
        return self._value is not None

    def num_instances(self):
        return len(self._instances or ())

    def has_correlation_ids(self):
        return self._instances is not None

    def correlation_ids(self):
        return None if self._instances is None else IMetric(None, "", {name: name for name in self._instances})

    def as_double(self, instance=None):
        value = self._at(instance)
        return 0.0 if value is None or isinstance(value, str) else float(value)

    def as_string(self, instance=None):
        value = self._at(instance)
        return value if isinstance(value, str) else None

    def _at(self, instance):
        return self._value if instance is None else list(self._instances.values())[instance]


class IAction:
    NameBase_FUNCTION, NameBase_DEMANGLED, NameBase_MANGLED = range(3)

    def __init__(self, launch):
        self._launch = launch

    def name(self, name_base=NameBase_FUNCTION):
        demangled = name_base == self.NameBase_DEMANGLED
        return self._launch["name"] if demangled else self._launch["name"].split("(")[0]

    def metric_by_name(self, metric_name):
        found = self._launch["metrics"].get(metric_name)
        return None if found is None else IMetric(*found)
