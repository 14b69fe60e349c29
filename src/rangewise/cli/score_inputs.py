"""The options that say how files are read where the predicted side is scores."""

from dataclasses import dataclass
from typing import Annotated

from rangewise.cli.inputs import FileOptions, option


@dataclass(frozen=True, kw_only=True)
class ScoreFileOptions(FileOptions):
    """The same options under the names of scores. A file of its own, so that commands without scores do not wait for it."""

    predicted_column: Annotated[
        str | None, option("--scores-column", "--scores", text="The column of the scores, where the sides differ.")
    ] = None
