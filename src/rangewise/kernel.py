"""The compiled kernel as a Python module, so that import-linter can see it as a layer."""

from rangewise._kernel import *  # noqa: F403
