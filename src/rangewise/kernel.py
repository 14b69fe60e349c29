"""The compiled kernel, under the name of a module that the check of the layers sees: it takes the extension itself for the package."""

from rangewise._kernel import *  # noqa: F403
