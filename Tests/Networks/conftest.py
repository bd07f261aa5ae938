"""Options and fixtures, and the table of what was measured. How to run: board/test --only networks."""
import os
import shutil
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "BlackBox")]

from harness.settings import Settings  # noqa: E402
from harness.world import World  # noqa: E402
from lab.lab import Lab  # noqa: E402
from lab.namespace import Namespace  # noqa: E402
from lab.router import RULES  # noqa: E402

TOOLS = {"ip": "iproute2", "nft": "nftables", "conntrack": "conntrack", "nsenter": "util-linux", "setpriv": "util-linux"}


def pytest_addoption(parser):
    group = parser.getgroup("skyglowd")
    group.addoption("--binary", default=str(HERE.parents[1] / ".build/boards/x86_64/skyglowd"), help="the program to test")
    group.addoption("--counting-binary", help="a build that counts allocations, for some tests of the reconnects")
    group.addoption("--slow-factor", type=float, default=1.0, help="multiplies deadlines, and bounds that were not demanded")
    group.addoption("--reconnects", type=int, default=int(os.environ.get("SKYGLOW_RECONNECTS") or 10_000),
                    help="attempts that fail at each step in turn; also by SKYGLOW_RECONNECTS")
    group.addoption("--must-run", action="store_true", help="fail where namespaces cannot be made, instead of skipping")


def missing(settings):
    """Why the tests cannot run here, or None; the search path of some services is without the system's tools."""
    if os.geteuid() != 0:
        return "root is needed to make network namespaces"
    absent = [f"{tool} ({package})" for tool, package in TOOLS.items() if not shutil.which(tool)]
    if absent:
        return f"there is no {', '.join(absent)}: see board/dependencies test"
    try:
        probe = Namespace()
    except (AssertionError, OSError) as reason:
        return str(reason)
    try:
        probe.ip("link add name probe0 type veth peer name probe1")
        probe.nft(RULES)
        probe.run("conntrack", "-F")
    except AssertionError as reason:
        return f"this kernel cannot: {reason}"
    finally:
        probe.close()
    return None


def pytest_configure(config):
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    config.skyglow = Settings.from_options(lambda name: config.getoption(name, None))
    config.notice = None
    if not config.skyglow.peer.exists():
        config.notice = f"NETWORK TESTS NOT RUN: no SGP peer at {config.skyglow.peer} (set SKYGLOW_PEER)"
    elif not config.option.collectonly:
        if not os.access(config.skyglow.binary[-1], os.X_OK):
            raise pytest.UsageError(f"no program to test at {config.skyglow.binary[-1]} (build it, or give --binary)")
        reason = missing(config.skyglow)
        if reason and config.getoption("--must-run"):
            raise pytest.UsageError(f"the network tests must run here, but {reason}")
        config.notice = reason and f"NETWORK TESTS NOT RUN: {reason}"


def pytest_collection_modifyitems(config, items):
    if config.notice:
        for item in items:
            item.add_marker(pytest.mark.skip(reason=config.notice))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Add what gateway and peer said to the report of a failure, while both still live."""
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and report.failed and "world" in item.funcargs:
        report.sections += item.funcargs["world"].story()


def pytest_terminal_summary(terminalreporter, config):
    if config.notice:
        terminalreporter.write_sep("!", config.notice, red=True, bold=True)
    rows = [value for reports in terminalreporter.stats.values() for report in reports
            for name, value in getattr(report, "user_properties", ()) if name == "measured" and report.when == "call"]
    if not rows:
        return
    terminalreporter.write_sep("=", "measured")
    width = max(len(scenario) for scenario, _, _ in rows)
    terminalreporter.write_line(f"{'scenario':{width}}  {'applied':>14}  {'measured':>14}")
    for scenario, bound, value in sorted(rows):
        terminalreporter.write_line(f"{scenario:{width}}  {bound:>14}  {value:>14}")


@pytest.fixture(scope="session")
def settings(pytestconfig):
    return pytestconfig.skyglow


@pytest.fixture
def world(settings):
    world = World(settings)
    yield world
    world.close()


@pytest.fixture
def make_lab(world):
    labs = []

    def make(**options):
        labs.append(Lab(world, **options))
        return labs[-1]
    yield make
    for lab in labs:
        lab.close()


@pytest.fixture
def lab(make_lab):
    """One router, and the board's cable is in."""
    lab = make_lab()
    lab.plug_in()
    return lab


TOLERANCE = 0.5     # s: two programs wrote down the moments, and the kernel let each run when it could


@pytest.fixture
def measured(record_property, settings):
    """Puts a row into the table, and fails if it is over its bound, which is in seconds. What was demanded of the program in
    numbers is `exact`: no slow factor stretches it. The table has the bound that was applied."""

    def measure(scenario, bound, seconds, *, exact=False):
        limit = (bound if exact else settings.seconds(bound)) + TOLERANCE
        record_property("measured", (scenario, f"≤ {limit:g} s", f"{seconds:.2f} s"))
        assert -0.05 <= seconds <= limit, f"{scenario}: {seconds:.2f} s, demanded {bound:g} s, applied {limit:g} s"
    return measure
