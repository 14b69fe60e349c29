"""Groups of options that several commands share, each declared once as a dataclass of typer options.

A field is an option, ``Annotated`` like a parameter of a command, with the option's default::

    @dataclass(frozen=True, kw_only=True)
    class ClusterOptions:
        workers: Annotated[int | None, typer.Option(help="Score with this many processes.")] = None

    def score(real: str, cluster: ClusterOptions) -> None: ...

:func:`expanded` gives typer the flat signature that it reads. ``Annotated[FileOptions, Without("step")]`` leaves options out of a
command, ``Annotated[ModelOptions, Only("preset", "model")]`` keeps only these. A field that a command leaves out keeps its default.
Modules with such a dataclass do not postpone annotations, because parsing them again for every command would cost milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any, get_args, get_origin, get_type_hints

_OTHER_OPTIONS = {
    "validation", "max_alert_rate", "threshold", "at_most", "detect_within", "for_", "keep_firing_for", "join_flaps", "warning_window",
    "grid", "impute", "min_overlap", "lead", "holdout", "label_sets", "weeks",
}  # fmt: skip
"""Parameters of the library's functions that errors name, besides those of a case."""


class Only:
    """The options of a group that a command has."""

    def __init__(self, *names: str) -> None:
        self.names = frozenset(names)


class Without(Only):
    """The options of a group that a command does not have."""


def expanded(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with one parameter per option of its groups, which are packed into dataclasses when it is called."""
    hints = get_type_hints(command, include_extras=True)
    parameters: dict[str, Parameter] = {}
    groups: dict[str, tuple[Any, list[str]]] = {}
    for given in signature(command).parameters.values():
        hint = hints[given.name]
        kind, more = (hint.__origin__, hint.__metadata__) if get_origin(hint) is Annotated else (hint, ())
        if is_dataclass(kind):
            own = _options(kind, next((each for each in more if isinstance(each, Only)), Without()))
            groups[given.name] = kind, [each.name for each in own]
        else:
            own = [given.replace(annotation=hint)]
        for each in own:
            if each.name in parameters:
                raise TypeError(f"{command.__name__} has two parameters {each.name!r}; leave one out of its group with Without")
            parameters[each.name] = each.replace(kind=Parameter.KEYWORD_ONLY)
    if not groups:
        return command

    @wraps(command)
    def packed(**values: Any) -> Any:
        try:
            made = {name: kind(**{option: values.pop(option) for option in names}) for name, (kind, names) in groups.items()}
            return command(**values, **made)
        except (ValueError, TypeError) as error:
            text = _in_options(str(error), parameters)
            raise error if text == str(error) else ValueError(text) from error

    packed.__signature__ = signature(command).replace(parameters=list(parameters.values()))  # type: ignore[attr-defined]
    packed.__annotations__ = {name: each.annotation for name, each in parameters.items()} | {"return": hints.get("return")}
    return packed


def number_or_text(text: str) -> float | str:
    """A number if the text is one, otherwise the text, such as the name of a rule or a time."""
    try:
        return float(text)
    except ValueError:
        return text


def words_of(options: Any) -> list[str]:
    """The command-line arguments for the options that differ from their defaults.

    >>> from rangewise.cli.inputs import FileOptions
    >>> words_of(FileOptions(column="label", close_gaps="3"))
    ['--column', 'label', '--close-gaps', '3']
    """
    words: list[str] = []
    for each in fields(options):
        value = getattr(options, each.name)
        if not each.init or value == each.default:
            continue
        values = () if isinstance(value, bool) else value if isinstance(value, tuple) else (value,)
        words += [option_name(each, value), *map(str, values)]
    return words


def option_name(option: Any, value: Any = None) -> str:
    """The name of a field of a group on the command line; for a flag with two names, the one that sets the value.

    >>> from rangewise.cli.inputs import FileOptions
    >>> [option_name(each) for each in fields(FileOptions)[:2]]
    ['--format', '--real-format']
    """
    # In ``Annotated``, typer keeps the first name of an option as its default; without one, its name is that of the field.
    given = get_args(option.type)[1].default
    names: list[str] = given.split("/") if isinstance(given, str) else [f"--{option.name.replace('_', '-')}"]
    return names[1] if value is False and len(names) > 1 else names[0]


def _in_options(message: str, parameters: Mapping[str, Parameter]) -> str:
    """An error of the library with the options of this command: ``times=`` becomes ``--times``."""
    from rangewise.files.formats.base import NAME_LABEL_COLUMN, ZONE_IN_BOTH
    from rangewise.files.tables import SCORES_NEED_A_THRESHOLD
    from rangewise.inputs.case import CASE_OPTIONS

    if "threshold" in parameters:
        message = message.replace(SCORES_NEED_A_THRESHOLD, "scores need --threshold; rangewise curve shows every threshold")
    if "tz" in parameters:
        message = message.replace(ZONE_IN_BOTH, f"{ZONE_IN_BOTH}, or give the zone of times without one with --tz, e.g. --tz Europe/Berlin")
    if "validation" in parameters:
        message = message.replace("thresholds=", "threshold=")
    if "span" in parameters:
        message = message.replace("span=(first, last)", "--span FIRST LAST")
    alone = r"(?<![\w:,(./-])"  # not part of a name or an option of a metric or model
    for name in (CASE_OPTIONS | _OTHER_OPTIONS) & parameters.keys():
        option = f"--{name.rstrip('_').replace('_', '-')}"
        message = re.sub(rf"{alone}{name}=(?:'([^']+)'|([\w.-]+))", rf"{option} \1\2", message)
        message = re.sub(rf"{alone}{name}=", option, message)
        message = re.sub(rf"^{name}(?= (?:takes|must be|is) )", option, message)
        if "_" in name:  # otherwise it may be a word of the sentence
            message = re.sub(rf"{alone}{name}(?![\w=])", option, message)
        message = message.replace(f"{option} ({option})", option)
    message = re.sub(r"(--[a-z-]+ \w+) \(\1\)", r"\1", message)  # the option was named beside
    # Do not suggest an option that this command does not have.
    for side in ("real", "predicted"):
        if f"{side}_column" not in parameters:
            message = message.replace(f"--{side}-column", "--column")
    return message if "column" in parameters else message.replace(NAME_LABEL_COLUMN, "give ranges, e.g. a table with start and end")


def _options(kind: Any, chosen: Only) -> list[Parameter]:
    """One parameter per option of a group that a command has."""
    names = {each.name for each in fields(kind)}
    if unknown := chosen.names - names:
        raise TypeError(f"{kind.__name__} has no option {', '.join(sorted(unknown))}")
    taken = names - chosen.names if isinstance(chosen, Without) else chosen.names
    options = [each for each in fields(kind) if each.init and each.name in taken]
    defaults = [Parameter.empty if each.default is MISSING else each.default for each in options]
    return [
        Parameter(each.name, Parameter.KEYWORD_ONLY, default=default, annotation=each.type)
        for each, default in zip(options, defaults, strict=True)
    ]
