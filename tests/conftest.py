import os

import pytest
from hypothesis import HealthCheck, settings

from vectors import DATA

settings.register_profile("full", max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full"))


@pytest.fixture(scope="session")
def data_folder():
    """The folder of real data; tests that need it are skipped where it is absent."""
    if not DATA.is_dir():
        pytest.skip(f"real data is absent: set RANGEWISE_DATA to its folder (looked at {DATA})")
    return DATA
