"""A board with a real sshd: a root directory with busybox, in namespaces of its own; nothing of the host is touched."""
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CACHE = Path(os.environ.get("SKYGLOW_CACHE") or
             Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "skyglow")
DEBIAN = CACHE / "deploy"
LIBRARIES = "/opt/sshd"

# Debian's busybox makes no accounts. `addgroup USER GROUP` makes a member.
ADDUSER = """#!/usr/bin/sh
case "${0##*/} $*" in
"addgroup -S "*) echo "$2:x:$((900 + $(wc -l </etc/group))):" >>/etc/group ;;
"addgroup "*) grep -q "^$2:" /etc/group && { grep -q "^$2:.*:$1\\$" /etc/group || sed -i "s/^$2:.*/&$1/" /etc/group; } ;;
"adduser "*)
    for name; do :; done
    echo "$name:x:998:$(sed -n "s/^$name:x:\\([0-9]*\\):.*/\\1/p" /etc/group)::/var/lib/skyglow:/bin/false" >>/etc/passwd
    ;;
esac
"""

SSHD = """
Port {port}
ListenAddress 127.0.0.1
HostKey /etc/ssh/host_key
PidFile none
UsePAM no
StrictModes yes
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
"""

ACCOUNTS = {
    "passwd": "root:x:0:0:root:/root:/usr/bin/sh\nsshd:x:101:65534::/run/sshd:/bin/false\n"
              "pi:x:1000:1000:pi:/home/pi:/usr/bin/sh\nguest:x:1001:1001:guest:/home/guest:/usr/bin/sh\n",
    "group": "root:x:0:\nnogroup:x:65534:\npi:x:1000:\nguest:x:1001:\n",
    "shadow": "root:*:19000:0:99999:7:::\nsshd:!:19000::::::\npi:{password}:19000:0:99999:7:::\n"
              "guest:*:19000:0:99999:7:::\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nshadow: files\n",
    "hosts": "127.0.0.1 localhost board\n",
    "sudoers": "Defaults !requiretty\nroot ALL=(ALL) ALL\npi ALL=(ALL) {nopasswd}ALL\n",
}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Keys:
    """Key pairs, made once."""

    def __init__(self, directory):
        self.directory = directory
        for name in ("host", "other-host", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory / name], check=True)

    def public(self, name):
        return (self.directory / f"{name}.pub").read_text()

    def private(self, name):
        return self.directory / name


class Board:
    """A machine that can be logged in to as `root`, `pi` (sudo) and `guest` (neither)."""

    def __init__(self, keys, shell="busybox", manager="sysvinit", small=(), password=False):
        self.keys, self.small = keys, small
        self.directory = Path(tempfile.mkdtemp(prefix="skyglow-board-"))
        self.directory.chmod(0o755)
        self.root = self.directory / "root"
        self.port = free_port()
        self.process = None
        self.make_root(shell, manager, password)
        self.start()

    # ---- its files ------------------------------------------------------------------------------------------------

    def make_root(self, shell, manager, password):
        for name in ("dev", "proc", "tmp", "root/.ssh", "home/pi/.ssh", "home/guest/.ssh", "run/sshd", "etc/ssh", "etc/udev",
                     "etc/pam.d", "var/lib", "var/log", "usr/lib", "usr/lib64", "usr/bin", "usr/sbin", "usr/libexec",
                     "usr/local/lib", "usr/local/sbin", "opt"):
            (self.root / name).mkdir(parents=True)
        (self.root / "tmp").chmod(0o1777)
        for name in ("bin", "sbin", "lib", "lib64"):
            (self.root / name).symlink_to(f"usr/{name}")
        self.install_programs(shell)
        self.write_accounts(password)
        if manager == "sysvinit":
            (self.root / "etc/init.d").mkdir()
        elif manager == "systemd":
            (self.root / "run/systemd/system").mkdir(parents=True)
            shutil.copy(HERE / "systemctl", self.root / "usr/bin/systemctl")

    def install_programs(self, shell):
        busybox = self.root / "usr/bin/busybox"
        shutil.copy(DEBIAN / "bin/busybox", busybox)
        for name in subprocess.run([busybox, "--list"], capture_output=True, text=True, check=True).stdout.split():
            if name != "busybox":
                (self.root / "usr/bin" / name).symlink_to("busybox")
        if shell == "dash":
            (self.root / "usr/bin/sh").unlink()
            shutil.copy("/bin/dash", self.root / "usr/bin/sh")
        for name in ("adduser", "addgroup"):
            (self.root / "usr/bin" / name).write_text(ADDUSER)
            (self.root / "usr/bin" / name).chmod(0o755)
        shutil.copy(DEBIAN / "usr/sbin/sshd", self.root / "usr/sbin/sshd")
        shutil.copy(DEBIAN / "usr/bin/sudo", self.root / "usr/bin/sudo")
        (self.root / "usr/bin/sudo").chmod(0o4755)
        shutil.copytree(DEBIAN / "usr/libexec/sudo", self.root / "usr/libexec/sudo", symlinks=True)
        libraries = self.root / LIBRARIES.lstrip("/")
        libraries.mkdir()
        for pattern in ("usr/lib/*/lib*.so*", "lib/*/lib*.so*"):
            for library in DEBIAN.glob(pattern):
                shutil.copy(library, libraries / library.name, follow_symlinks=True)

    def write_accounts(self, password):
        words = {"password": "*", "nopasswd": "NOPASSWD: "}
        if password:
            words = {"password": subprocess.run(["openssl", "passwd", "-6", password], capture_output=True, text=True,
                                                check=True).stdout.strip(), "nopasswd": ""}
        for name, text in ACCOUNTS.items():
            path = self.root / "etc" / name
            path.write_text(text.format(**words))
            path.chmod(0o440 if name == "sudoers" else 0o600 if name == "shadow" else 0o644)
        (self.root / "etc/pam.d/sudo").write_text("auth required pam_unix.so\naccount required pam_permit.so\n"
                                                  "session required pam_permit.so\n")
        (self.root / "etc/ssh/sshd_config").write_text(SSHD.format(port=self.port))
        self.set_host_key("host")
        for home, owner in (("root", 0), ("home/pi", 1000), ("home/guest", 1001)):
            authorized = self.root / home / ".ssh/authorized_keys"
            authorized.write_text(self.keys.public("user"))
            for path in (authorized, authorized.parent, authorized.parent.parent):
                os.chown(path, owner, owner)
                path.chmod(0o600 if path == authorized else 0o700)

    def set_host_key(self, name):
        path = self.root / "etc/ssh/host_key"
        shutil.copy(self.keys.private(name), path)
        path.chmod(0o600)

    # ---- on and off -----------------------------------------------------------------------------------------------

    def start(self):
        with open(self.directory / "sshd.log", "ab") as log:
            self.process = subprocess.Popen(
                ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child",
                 HERE / "boot", self.root, LIBRARIES, *self.small],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        end = time.monotonic() + 10
        while True:
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1) as probe:
                    assert probe.recv(4) == b"SSH-"
                    return
            except OSError:
                assert self.process.poll() is None and time.monotonic() < end, \
                    f"the board does not start: {(self.directory / 'sshd.log').read_text()}"
                time.sleep(0.05)

    def stop(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process = None

    def close(self):
        if self.process:
            self.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    # ---- what is there --------------------------------------------------------------------------------------------

    def run(self, command, code=0, user="root"):
        """A command over SSH; its exit code must be `code`, None for any."""
        done = subprocess.run(["ssh", *self.options(), "-p", str(self.port), f"{user}@127.0.0.1", command],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30)
        assert code is None or done.returncode == code, f"{command}: {done.returncode}, {done.stdout}{done.stderr}"
        return done.stdout

    def options(self):
        known = self.directory / "known_hosts"
        if not known.exists():
            known.write_text(f"[127.0.0.1]:{self.port} {self.keys.public('host')}")
        settings = {"UserKnownHostsFile": known, "GlobalKnownHostsFile": "/dev/null", "StrictHostKeyChecking": "yes",
                    "IdentitiesOnly": "yes", "IdentityFile": self.keys.private("user"), "HostKeyAlias":
                    f"[127.0.0.1]:{self.port}"}
        return [f"-o{key}={value}" for key, value in settings.items()]

    def status(self):
        text = self.run("skyglowd status --json", code=None)
        return json.loads(text)["state"] if text else "not running"

    def path(self, name):
        return self.root / name.lstrip("/")

    def binaries(self):
        """Names of the binaries, parts included."""
        directory = self.path("/usr/local/lib/skyglow")
        return sorted(p.name for p in directory.glob("skyglowd-*")) if directory.exists() else []

    def current(self):
        link = self.path("/usr/local/sbin/skyglowd")
        return os.path.basename(os.readlink(link)) if link.is_symlink() else None

    def tree(self, *names):
        """Every file and link below the directories, with its content."""
        found = {}
        for name in names or ("etc", "usr/local", "var/lib"):
            for path in sorted(self.path(name).rglob("*")):
                found[str(path.relative_to(self.root))] = (
                    os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None)
        return found
