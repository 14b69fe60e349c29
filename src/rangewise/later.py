"""Members of a package that are imported on first use, so that ``import`` does not wait for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def loaded_later(
    package: str, members: Mapping[str, str], parts: Sequence[str] = ()
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The functions ``__getattr__`` and ``__dir__`` of a package.

    ``members`` has the module of each name below ``rangewise``; ``parts`` are modules of the package itself.
    """

    def get(name: str) -> Any:
        if name in parts:
            return import_module(f"{package}.{name}")
        if name not in members:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        member = getattr(import_module(f"rangewise.{members[name]}"), name)
        setattr(sys.modules[package], name, member)
        return member

    return get, lambda: sorted({*vars(sys.modules[package]), *members, *parts})
