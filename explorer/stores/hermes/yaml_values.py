"""A few plain values out of Hermes' `config.yaml`, whatever else it holds.

YAML may grow without end when its aliases are followed. So nothing is built of it: its events are
walked through, as many as are allowed, and only plain values at the wanted places are taken.
Anything else (an alias, a merge, a list in a list) is unclear, and nothing is ever claimed from it.
"""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from typing import Any

from explorer.stores.hermes.settings_file import Unreadable

MOST_EVENTS = 50_000
DEEPEST = 100
LONGEST_VALUE = 100


class Unclear(Enum):
    """A value that is there, but not understood."""

    VALUE = "unclear"


UNCLEAR = Unclear.VALUE

Plain = str | bool | int | float | None
Place = tuple[str, ...]
"""The keys that lead to a value, from the top."""
Value = Plain | Unclear | Mapping[str, Plain | Unclear] | Sequence[Plain | Unclear]

_MERGE = "<<"
"""A key that takes values over from elsewhere."""
_PLAIN = tuple(f"tag:yaml.org,2002:{name}" for name in ("bool", "int", "float", "str", "null"))


def values_at(text: str, places: Collection[Place]) -> dict[Place, Value]:
    """What is at these places, as Hermes' own parser takes it: a plain value, or a mapping or a
    list of them. A place that is not there is left out. No place may be below another."""
    # Late: 11 ms that only a Hermes with a config.yaml costs.
    import yaml

    # In C where PyYAML was built with it: a large file then takes a tenth of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    walk = _Walk(yaml, places)
    try:
        for number, event in enumerate(yaml.parse(text, Loader=loader)):
            if number >= MOST_EVENTS:
                raise Unreadable("it holds too many values")
            walk.take(event)
    except yaml.YAMLError as error:
        raise Unreadable(_why(error)) from error
    return walk.found()


def _why(error: Exception) -> str:
    """What a parser says is wrong, in a line."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    where = f"line {mark.line + 1}: " if mark is not None else ""
    return f"{where}{problem or 'it is not YAML'}"


def _line(event: Any) -> str:
    return f"line {event.start_mark.line + 1}: "


class _Open:
    """A mapping or a list that has begun and not ended."""

    def __init__(self, is_mapping: bool, place: Place | None) -> None:
        self.is_mapping = is_mapping
        self.place = place
        """Where it is, if a wanted place is here or below."""
        self.key: str | None = None
        """In a mapping, the key whose value comes next; None where a key does."""
        self.values: dict[str, Plain | Unclear] | None = None
        """What is taken out of it, of a mapping."""
        self.items: list[Plain | Unclear] | None = None
        """The same of a list."""


class _Walk:
    """Goes through the events of a document and keeps what is at the wanted places."""

    def __init__(self, yaml: Any, places: Collection[Place]) -> None:
        self._yaml = yaml
        self._loader = yaml.SafeLoader("")
        self._places = frozenset(places)
        self._above = {place[:length] for place in places for length in range(len(place))}
        """Where mappings are that lead to a wanted place."""
        self._open: list[_Open] = []
        self._found: dict[Place, Value] = {}
        self._named: set[Place] = set()
        self._merged: set[Place] = set()
        """Mappings above a place that take in another one."""
        self._documents = 0
        self._anchors: set[str] = set()

    def found(self) -> dict[Place, Value]:
        """What was kept; what a merge may have brought is unclear, unless the key is named."""
        for place in self._places - self._found.keys():
            for length in range(len(place)):
                if place[:length] in self._merged and place[: length + 1] not in self._named:
                    self._found[place] = UNCLEAR
        return self._found

    def take(self, event: Any) -> None:
        yaml = self._yaml
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise Unreadable("it holds several documents")
        elif isinstance(event, yaml.NodeEvent):
            self._check(event)
            self._node(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._open.pop()
            self._passed()

    def _check(self, event: Any) -> None:
        """Refuse what Hermes' own parser refuses, which then takes none of the settings."""
        if isinstance(event, self._yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise Unreadable(f"{_line(event)}an alias stands for nothing")
        elif event.tag not in (None, "!", *self._yaml.SafeLoader.yaml_constructors):
            raise Unreadable(f"{_line(event)}a tag is not known")
        elif event.anchor:
            self._anchors.add(event.anchor)

    def _node(self, event: Any) -> None:
        """A key, or a value that begins."""
        top = self._open[-1] if self._open else None
        if top is not None and top.is_mapping and top.key is None:
            self._key(top, event)
            return
        begun = self._begun(top, event)
        if isinstance(event, self._yaml.CollectionStartEvent):
            if len(self._open) >= DEEPEST:
                raise Unreadable("it is nested too deeply")
            self._open.append(begun)
        else:
            self._passed()

    def _key(self, top: _Open, event: Any) -> None:
        if not isinstance(event, self._yaml.ScalarEvent):
            raise Unreadable(f"{_line(event)}a key is neither text nor a number")
        top.key = event.value
        if event.value != _MERGE or not event.implicit[0] or top.place is None:
            return
        if top.place in self._above:
            self._merged.add(top.place)
        else:
            self._found[top.place] = UNCLEAR
            top.place = top.values = None

    def _passed(self) -> None:
        """A value has ended: in a mapping, a key comes next."""
        if self._open:
            self._open[-1].key = None

    def _begun(self, top: _Open | None, event: Any) -> _Open:
        """Keep a value where it is wanted; what it is as a collection, with what is kept of it."""
        is_mapping = isinstance(event, self._yaml.MappingStartEvent)
        if top is None:
            empty = isinstance(event, self._yaml.ScalarEvent) and not event.value.strip()
            if not (empty or is_mapping):
                raise Unreadable("it does not hold settings")
            return _Open(is_mapping, () if () in self._above else None)
        if top.values is not None and top.key is not None:
            top.values[top.key] = self._plain(event)
        elif top.items is not None:
            top.items.append(self._plain(event))
        elif top.place is not None and top.key is not None:
            return self._entered((*top.place, top.key), event)
        return _Open(is_mapping, None)

    def _entered(self, place: Place, event: Any) -> _Open:
        """A value begins in a mapping that matters. The last one of several counts."""
        below = {one for one in self._places if one[: len(place)] == place}
        for one in below:
            self._found.pop(one, None)
        for known in (self._named, self._merged):
            known -= {one for one in known if one[: len(place)] == place}
        self._named.add(place)
        begun = _Open(isinstance(event, self._yaml.MappingStartEvent), place if below else None)
        if isinstance(event, self._yaml.AliasEvent):
            self._found.update(dict.fromkeys(below, UNCLEAR))
        elif place in self._places:
            if begun.is_mapping:
                self._found[place] = begun.values = {}
            elif isinstance(event, self._yaml.SequenceStartEvent):
                self._found[place] = begun.items = []
            else:
                self._found[place] = self._plain(event)
        return begun

    def _plain(self, event: Any) -> Plain | Unclear:
        """A plain value, as Hermes' own parser takes it."""
        yaml = self._yaml
        if not isinstance(event, yaml.ScalarEvent) or len(event.value) > LONGEST_VALUE:
            return UNCLEAR
        tag = event.tag
        if tag is None or tag == "!":
            tag = self._loader.resolve(yaml.ScalarNode, event.value, event.implicit)
        if tag not in _PLAIN:
            return UNCLEAR
        try:
            made: Plain = self._loader.construct_object(yaml.ScalarNode(tag, event.value))
        except (ValueError, KeyError, OverflowError, yaml.YAMLError):
            return UNCLEAR
        return made
