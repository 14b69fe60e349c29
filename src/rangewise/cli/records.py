"""Options for reading incidents and alerts, the same for ``alerts``, ``backtest`` and ``review``."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import typer

from rangewise.checks import shown
from rangewise.cli.errors import note
from rangewise.cli.inputs import NEEDS, FileOptions, check_one_standard_input, format_option, option
from rangewise.files.times import TimeRanges
from rangewise.operations.records import Role, check_same_zones, join_flaps, read_records, rules_of, without_rules
from rangewise.operations.summary import find_always_firing

BOTH_FILES = (
    "file_format", "start_column", "end_column", "until", "tz", "incidents_format", "incidents_start_column", "incidents_end_column",
    "alerts_format", "alerts_start_column", "alerts_end_column",
)  # fmt: skip
"""The fields of :class:`RecordOptions` for reading files of incidents and alerts."""
_OF_A_FILE = ("format", "start_column", "end_column")


@dataclass(frozen=True, kw_only=True)
class RecordOptions(FileOptions):
    """How files of incidents and alerts are read. Options of one file take precedence over those of both."""

    until: Annotated[str | None, option(help="The end of open incidents and alerts, e.g. 2024-05-01T12:00Z, or now.", metavar="TIME")] = (
        None
    )
    tz: Annotated[
        str | None,
        option(help="The time zone of times that have none, and of printed times, e.g. Europe/Berlin.", metavar="ZONE"),
    ] = None
    incidents_format: Annotated[str | None, format_option(help="The format of the incidents.")] = None
    incidents_start_column: Annotated[str | None, option(help="The column with the starts of the incidents.")] = None
    incidents_end_column: Annotated[str | None, option(help="The column with the ends of the incidents.")] = None
    alerts_format: Annotated[str | None, format_option(help="The format of the alerts.")] = None
    alerts_start_column: Annotated[str | None, option(help="The column with the starts of the alerts.")] = None
    alerts_end_column: Annotated[str | None, option(help="The column with the ends of the alerts.")] = None

    def incidents(self, path: str) -> TimeRanges:
        return self._records(path, "incidents", self._names("incidents"))

    def alerts(self, path: str) -> TimeRanges:
        return self._records(path, "alerts", self._names("alerts"))

    def both(self, incidents: str, alerts: str) -> tuple[TimeRanges, TimeRanges, TimeRanges | None]:
        """The incidents, the alerts, and the ignored intervals."""
        check_one_standard_input(*(path for path in (incidents, alerts, self.ignore) if path is not None))
        sides = self.incidents(incidents), self.alerts(alerts)
        ignored = self.ignored()
        self.used.add("weights")  # looked up among the labels of the incidents
        self.check_used()
        check_same_zones([(each.name, each.zoned) for each in (*sides, ignored) if each is not None])
        return *sides, ignored

    def ignored(self) -> TimeRanges | None:
        """The ignored intervals; the options of the other files do not apply to their file."""
        if self.ignore is None:
            return None
        return self._records(self.ignore, "ignore", {each: f"ignore_{each}" for each in _OF_A_FILE})

    def check_used(self) -> None:
        for role in ("incidents", "alerts"):
            for name in _OF_A_FILE[1:]:
                if getattr(self, f"{role}_{name}") is not None and f"{role}_{name}" not in self.used:
                    raise ValueError(f"--{role}-{name.replace('_', '-')} {NEEDS[name]}; leave it out")
        super().check_used()

    def _names(self, role: Role) -> dict[str, str]:
        """The options of this file, or where they are not given those of both."""
        common = {"format": "file_format"}
        return {each: f"{role}_{each}" if getattr(self, f"{role}_{each}") is not None else common.get(each, each) for each in _OF_A_FILE}

    def _records(self, path: str, role: Role, names: Mapping[str, str]) -> TimeRanges:
        uses: set[str] = set()
        times = read_records(
            path, role, file_format=getattr(self, names["format"]), start_column=getattr(self, names["start_column"]),
            end_column=getattr(self, names["end_column"]), until=self.until, tz=self.tz, uses=uses,
        )  # fmt: skip
        self.note(uses, names)
        for each in times.notes:
            note(f"{times.name}: {each}")
        return times


@dataclass(frozen=True, kw_only=True)
class RuleOptions:
    """Which alerts count, by their rule."""

    exclude_rule: Annotated[list[str] | None, typer.Option(help="Leave this rule out, e.g. Watchdog.")] = None
    join_flaps: Annotated[
        str | None, typer.Option(help="Join alerts with the same labels if they are at most this far apart, e.g. 5min.")
    ] = None
    keep_always_firing: Annotated[
        bool, typer.Option("--keep-always-firing", help="Keep rules that fire nearly all the time, which are left out by default.")
    ] = False


def prepared(
    incidents: TimeRanges,
    alerts: TimeRanges,
    chosen: RuleOptions,
    *,
    by: str | None,
    span: tuple[int, int] | None = None,
    ignored: TimeRanges | None = None,
    keep_all: bool = False,
) -> tuple[TimeRanges, list[str] | None, tuple[str, ...]]:
    """The alerts to score, the rule of each, and the rules left out because they always fire (none with ``keep_all``)."""
    known = len(alerts.notes)
    rules = rules_of(alerts, by)
    for name, given in (("--exclude-rule", chosen.exclude_rule), ("--keep-always-firing", chosen.keep_always_firing)):
        if given and rules is None:
            raise ValueError(f"{name} needs the rule of each alert, but {alerts.name} has no label alertname; name the label with --by")
    if chosen.exclude_rule and rules is not None:
        alerts, rules = without_rules(alerts, rules, chosen.exclude_rule)
    if chosen.join_flaps is not None:
        alerts = join_flaps(alerts, chosen.join_flaps)
        rules = rules_of(alerts, by)
    always: tuple[str, ...] = ()
    if rules and not (chosen.keep_always_firing or keep_all):
        always = find_always_firing(incidents.pairs(), alerts.pairs(), rules, span, None if ignored is None else ignored.pairs())
        if always:
            alerts, rules = without_rules(alerts, rules, always)
    for each in alerts.notes[known:]:
        note(f"{alerts.name}: {each}")
    return alerts, rules, always


def weights_of(incidents: TimeRanges, column: str) -> list[float]:
    """The weight of each incident, from a column of its table or a label."""
    weights = []
    for number, labels in enumerate(incidents.labels or ({},) * len(incidents.firsts)):
        try:
            weights.append(float(labels[column]))
        except KeyError as error:
            raise ValueError(f"--weights: {incidents.name} has no column {column!r}") from error
        except ValueError as error:
            raise ValueError(f"--weights: {shown(labels[column])} in column {column!r}, incident {number}, is not a number") from error
    return weights
