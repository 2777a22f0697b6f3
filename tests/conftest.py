"""What all Python tests share: the option --exhaustive, and how hypothesis runs."""

import signal

import hypothesis
import pytest

# The machine is busy with other tests: no example has to be quick.
hypothesis.settings.register_profile("thalweg", deadline=None)
hypothesis.settings.load_profile("thalweg")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --exhaustive: what `make test-all` runs beside the gate."""
    parser.addoption("--exhaustive", action="store_true", help="run the tests marked exhaustive too")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, and let interrupts through."""
    config.addinivalue_line("markers", "exhaustive: only with --exhaustive")
    # Shells let what they start in the background ignore interrupts; so would all commands that tests interrupt.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse to run what shares a lab on several workers: pytest-xdist tells its scheduler by the ends of names."""
    if session.config.getoption("loadgroup", default=False):
        for item in session.items:
            assert "@" in item.nodeid or not item.get_closest_marker("xdist_group"), "this pytest forgets groups"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the marked tests out unless they are asked for."""
    if not config.getoption("--exhaustive"):
        left_out = [item for item in items if item.get_closest_marker("exhaustive")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
