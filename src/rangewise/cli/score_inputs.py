"""Options for reading files if the predicted side is scores."""

from dataclasses import dataclass
from typing import Annotated

from rangewise.cli.inputs import FileOptions, option


@dataclass(frozen=True, kw_only=True)
class ScoreFileOptions(FileOptions):
    """File options with the name ``--scores``. In a separate file, so that commands without scores load faster."""

    predicted_column: Annotated[
        str | None, option("--scores-column", "--scores", help="The column of the scores, if the sides differ.")
    ] = None
