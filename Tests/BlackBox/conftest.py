"""Options, fixtures and the loud word when something needed is missing. How to run: board/test --only "blackbox-*"."""
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from harness.network import isolate  # noqa: E402
from harness.settings import Settings  # noqa: E402
from harness.world import World  # noqa: E402


def pytest_addoption(parser):
    group = parser.getgroup("skyglowd")
    group.addoption("--binary", help='the command under test, e.g. "qemu-arm-static -cpu arm1176 PATH"; '
                                     "default: .build/release/skyglowd")
    group.addoption("--counting-binary", help="a build that counts allocations, for the memory "
                                              "tests; default: the binary itself if it is called so")
    group.addoption("--slow-factor", type=float, default=1.0, help="multiplies every deadline (emulated boards: 5 to 10)")
    group.addoption("--kills", type=int, default=200, help="kill -9 in the long durability test")
    group.addoption("--seed", help="of the random moments; printed, default: the time")


def pytest_configure(config):
    config.skyglow = Settings.from_options(config.getoption)
    config.is_isolated = isolate()
    config.notices = []
    if not config.skyglow.peer.exists():
        config.notices.append(f"BLACK BOX TESTS NOT RUN: no SGP peer at {config.skyglow.peer} (set SKYGLOW_PEER)")
        return
    program = config.skyglow.binary[-1]
    if not config.option.collectonly and not os.access(program, os.X_OK):
        raise pytest.UsageError(f"no program to test at {program} (build it, or give --binary)")
    if not config.skyglow.counting_binary:
        config.notices.append("MEMORY TESTS NOT RUN: no --counting-binary was given")


def pytest_collection_modifyitems(config, items):
    if not config.skyglow.peer.exists():
        for item in items:
            item.add_marker(pytest.mark.skip(reason=config.notices[0]))


def pytest_report_header(config):
    s = config.skyglow
    return [f"skyglowd: {' '.join(s.binary)}", f"peer: {s.peer}", f"slow factor {s.slow_factor:g}, seed {s.seed}",
            "network: " + ("of its own" if config.is_isolated else "this machine's, whose changes disturb tests of delays")]


def pytest_terminal_summary(terminalreporter, config):
    for notice in config.notices:
        terminalreporter.write_sep("!", notice, red=True, bold=True)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """Add what gateway and peer said to the report of a failure, while both still live."""
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and report.failed:
        for name in ("world", "module_world"):
            if name in item.funcargs:
                report.sections += item.funcargs[name].story()


@pytest.fixture(scope="session")
def settings(pytestconfig):
    settings = pytestconfig.skyglow
    yield settings
    if settings.registered:
        settings.registered.close()


@pytest.fixture
def world(settings):
    world = World(settings)
    yield world
    world.close()


@pytest.fixture(scope="module")
def module_world(settings):
    """For tests of one file that share a peer; each still brings the gateway back to where it found it."""
    world = World(settings)
    yield world
    world.close()


@pytest.fixture
def peer(world):
    return world.peer()


@pytest.fixture
def gateway(world, peer):
    """Configured for the peer, with its certificate, not yet started."""
    return world.gateway(peer)


@pytest.fixture
def online(world, peer):
    """A connected gateway and the token of org.example.door."""
    return world.online(peer)


@pytest.fixture
def root():
    if os.geteuid() != 0:
        pytest.skip("needs root: mounts a small file system or runs as another user")
