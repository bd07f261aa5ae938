"""The Debian packages, and their life on a system of its own."""
import hashlib
import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, run

PACKAGES = ROOT / ".build/packages"
ARCHITECTURES = ["amd64", "arm64", "armel", "armhf"]


def build(*options):
    return [line for line in run(ROOT / "cross/package", *options).stdout.splitlines() if line.endswith(".deb")]


@pytest.fixture(scope="session")
def debs():
    """All four by architecture."""
    missing = [t for t in ("x86_64", "arm64", "armv6") if not (ROOT / f".build/boards/{t}/skyglowd").exists()]
    if missing:
        pytest.skip(f"no binaries for {missing}: cross/build")
    return {re.search(r"_(\w+)\.deb$", path)[1]: path for path in build()}


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def test_two_builds_are_the_same_bytes(debs):
    assert sorted(debs) == ARCHITECTURES
    before = {path: digest(path) for path in debs.values()}
    os.environ["TZ"] = "Asia/Tokyo"
    old = os.umask(0o077)
    try:
        assert {path: digest(path) for path in build()} == before
    finally:
        os.umask(old)
        del os.environ["TZ"]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_lintian(tool, debs, architecture):
    done = run(tool("lintian"), "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0", debs[architecture])
    assert done.stdout == ""


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_contents(debs, architecture):
    control = run("dpkg-deb", "--field", debs[architecture]).stdout
    assert f"\nArchitecture: {architecture}\n" in control
    lines = run("dpkg-deb", "--contents", debs[architecture]).stdout.splitlines()
    files = {line.split()[5][1:] for line in lines}
    assert {"/usr/sbin/skyglowd", "/lib/systemd/system/skyglowd.service", "/lib/udev/rules.d/60-skyglow.rules",
            "/usr/lib/sysusers.d/skyglow.conf", "/usr/lib/tmpfiles.d/skyglow.conf", "/usr/lib/modules-load.d/skyglow.conf",
            "/etc/init.d/skyglowd", "/usr/share/man/man8/skyglowd.8.gz",
            "/usr/share/man/man5/skyglowd.conf.5.gz", "/usr/share/skyglow/profiles/pi-zero.conf"} <= files
    assert all(line.split()[1] == "root/root" for line in lines)
    # The configuration is another one on every board: dpkg must not ask about it.
    assert run("dpkg-deb", "--info", debs[architecture], "conffiles").stdout == "/etc/init.d/skyglowd\n"


def test_armhf_is_the_binary_for_armv6(debs, tmp_path):
    for architecture in ("armel", "armhf"):
        run("dpkg-deb", "-x", debs[architecture], tmp_path / architecture)
    binaries = {digest(tmp_path / a / "usr/sbin/skyglowd") for a in ("armel", "armhf")}
    assert binaries == {digest(ROOT / ".build/boards/armv6/skyglowd")}


# ---- on a system ------------------------------------------------------------------------------------------------------


class System:
    """A small Debian without systemd, of its own."""

    def __init__(self, path, archive):
        self.path = path
        run("tar", "-C", path, "-xf", archive)
        policy = path / "usr/sbin/policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 101\n")
        policy.chmod(0o755)

    def call(self, *command, code=0):
        return run("chroot", self.path, *command, code=code,
                   env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"})

    def install(self, deb, *options):
        shutil.copy(deb, self.path / "tmp/skyglowd.deb")
        return self.call("dpkg", *options, "--install", "/tmp/skyglowd.deb").stdout

    def owner(self, path):
        return self.call("stat", "-c", "%U:%G %a", path).stdout.strip()


@pytest.fixture
def system(pytestconfig, tmp_path):
    archive = pytestconfig.getoption("--chroot")
    if not archive or os.geteuid() != 0:
        pytest.skip("needs root and --chroot")
    return System(tmp_path, archive)


def test_installed_upgraded_removed_and_purged(system, debs):
    before = build("--version", "0.0.1", "x86_64")[0]
    conf, state = system.path / "etc/skyglow/skyglowd.conf", system.path / "var/lib/skyglow"
    try:
        said = system.install(before)
    finally:
        os.unlink(before)
    assert "knows no server yet" in said and "certificate fetch" in said
    assert system.owner("/var/lib/skyglow") == "skyglow:skyglow 700"
    assert "gpio" in system.call("id", "-nG", "skyglow").stdout.split()
    assert (system.path / "etc/systemd/system/multi-user.target.wants/skyglowd.service").is_symlink()
    assert list((system.path / "etc/rc2.d").glob("S*skyglowd"))
    assert system.call("skyglowd", "check").stdout == "configuration OK\n"

    # A person sets it up, as root.
    text = conf.read_text().replace("#[server]", "[server]").replace("#address =", "address =")
    conf.write_text(text)
    token = system.call("skyglowd", "token", "add", "org.example.door").stdout
    assert len(token.strip()) == 64
    names = {path.name: system.owner("/var/lib/skyglow/" + path.name) for path in state.iterdir()}
    assert names and all(owner.startswith("skyglow:skyglow ") for owner in names.values()), names
    user = system.call("id", "-u", "skyglow").stdout

    said = system.install(debs["amd64"])
    assert "knows no server yet" not in said
    assert conf.read_text() == text
    assert system.call("skyglowd", "token", "add", "org.example.door").stdout == token

    system.call("dpkg", "--remove", "skyglowd")
    assert conf.read_text() == text and state.is_dir()
    assert not (system.path / "usr/sbin/skyglowd").exists()
    system.install(debs["amd64"])
    assert conf.read_text() == text
    assert system.call("skyglowd", "token", "add", "org.example.door").stdout == token

    # What a person has taken away does not come back.
    conf.unlink()
    system.install(debs["amd64"])
    assert not conf.exists()
    conf.write_text(text)

    system.call("dpkg", "--purge", "skyglowd")
    left = [path for path in system.path.rglob("*skyglow*")
            if path.relative_to(system.path).parts[0] not in ("tmp", "proc", "sys")]
    assert left == []
    assert system.call("id", "-u", "skyglow").stdout == user


def test_only_what_was_asked_to_be_disabled_is(system, debs):
    """An upgrade does not enable what a person has disabled."""
    wanted = system.path / "etc/systemd/system/multi-user.target.wants/skyglowd.service"
    system.install(debs["amd64"])
    assert wanted.is_symlink()
    wanted.unlink()
    system.install(debs["amd64"])
    assert not wanted.is_symlink()


def test_a_binary_older_than_the_sources_is_built_again(tmp_path):
    """What a package says of its commit must be true of the program in it."""
    binary = tmp_path / "skyglowd"
    ask = ["bash", "-c", f'. "{ROOT}/cross/lib.sh"; is_current "{binary}"']
    run(*ask, code=1)
    binary.touch(mode=0o755)
    newest = max(path.stat().st_mtime for path in (ROOT / "Sources").rglob("*"))
    os.utime(binary, (newest + 86_400,) * 2)
    run(*ask)
    os.utime(binary, (newest - 1,) * 2)
    run(*ask, code=1)
