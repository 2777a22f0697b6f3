# SPDX-License-Identifier: BSD-3-Clause
"""What all Python tests share: the option --exhaustive, how hypothesis runs, and jobs that ran twice."""

import os
import signal
from collections import Counter
from pathlib import Path

import hypothesis
import pytest
from attempts import take_counts

# The machine is busy with other tests: no example has to be quick.
hypothesis.settings.register_profile("thalweg", deadline=None)
hypothesis.settings.load_profile("thalweg")


TESTS = Path(__file__).parent
BUILDINGS = ("core", "runtime", "run", "api", "nic", "sim", "labs")
JOBS = "jobs"
STARTED_AGAIN = "jobs started once more"
_counts = Counter[str]()
_started_again = Counter[str]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --exhaustive: what `make test-all` runs beside the gate."""
    parser.addoption("--exhaustive", action="store_true", help="run the tests marked exhaustive too")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, and let interrupts through."""
    config.addinivalue_line("markers", "exhaustive: only with --exhaustive")
    for building in BUILDINGS:
        config.addinivalue_line("markers", f"{building}: a test of this building, by its folder")
    # Shells let what they start in the background ignore interrupts, and nohup lets it ignore the end of a session; so
    # would all commands that tests send these to.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # What a developer's shell consents to, a clean machine's does not: each test says by itself what its launches need.
    for consent in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
        os.environ.pop(consent, None)
    # First runs would look at the machine for seconds, and choose what tests do not expect.
    os.environ["THALWEG_SETUP"] = "0"


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse to run what shares a lab on several workers: pytest-xdist tells its scheduler by the ends of names."""
    if session.config.getoption("loadgroup", default=False):
        for item in session.items:
            assert "@" in item.nodeid or not item.get_closest_marker("xdist_group"), "this pytest forgets groups"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test with its building, and leave the exhaustive ones out unless they are asked for."""
    for item in items:
        for building in set(item.path.relative_to(TESTS).parts) & set(BUILDINGS):
            item.add_marker(building)
    if not config.getoption("--exhaustive"):
        left_out = [item for item in items if item.get_closest_marker("exhaustive")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Write down the test's jobs, and those that were started once more (attempts.py).

    Whichever process counts reads it here, and scripts/retries in pytest's report.
    """
    item.user_properties += [
        (name, count) for name, count in zip((JOBS, STARTED_AGAIN), take_counts(), strict=True) if count
    ]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count them where all reports come together."""
    if report.when == "teardown":
        for name, count in report.user_properties:
            if name in (JOBS, STARTED_AGAIN):
                _counts[name] += int(str(count))
            if name == STARTED_AGAIN:
                _started_again[report.nodeid] += int(str(count))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many there were: none is expected but on a machine that is starved."""
    said = f"{STARTED_AGAIN}, as Open MPI took their ends for improper: {_counts[STARTED_AGAIN]} of {_counts[JOBS]}"
    terminalreporter.write_line(said)
    for test, count in _started_again.items():
        terminalreporter.write_line(f"  {count} of {test}")
