"""What goes onto a board beside the program: unit, rules, scripts, pages, profiles, packages. Run by board/test --only service."""
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def pytest_addoption(parser):
    parser.addoption("--binary", default=str(ROOT / ".build/boards/x86_64/skyglowd"))
    parser.addoption("--testbed", default=str(ROOT / ".build/debug/skyglow-testbed"), help="the server")
    parser.addoption("--chroot", help="a Debian system as a tar file, to install packages in")
    parser.addoption("--systemd", help="the same with systemd, to boot in a container")


@pytest.fixture(scope="session")
def binary(pytestconfig):
    path = Path(pytestconfig.getoption("--binary")).resolve()
    if not os.access(path, os.X_OK):
        raise pytest.UsageError(f"no program at {path}: cross/build x86_64")
    return path


@pytest.fixture(scope="session")
def tool():
    """The path of a program; a test that needs one that is not there is told to be skipped."""
    def find(name):
        path = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
        if path is None:
            pytest.skip(f"{name} is not installed: board/dependencies test")
        return path
    return find


def run(*command, code=0, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, timeout=300, **options)
    assert code is None or done.returncode == code, (
        f"{' '.join(map(str, command))}: {done.returncode}, wanted {code}\n{done.stdout}\n{done.stderr}")
    return done
