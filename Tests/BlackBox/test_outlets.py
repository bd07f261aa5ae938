"""Outlets: a line of JSON to whoever reads a pipe or a socket, and no trouble from those who do not."""
import json
import os
import select
import socket
import time

import pytest

from harness.settings import wait_until

DOOR, BELL = "org.example.door", "org.example.bell"


@pytest.fixture
def board(world, peer):
    """Makes a connected gateway whose route for the door has these outlets."""
    def make(outlet, **keys):
        gateway = world.gateway(peer)
        gateway.configure("route door", bundle=DOOR, outlet=outlet, **keys)
        gateway.tokens = gateway.add_token(DOOR), gateway.add_token(BELL)
        gateway.start()
        return gateway
    return make


def send(gateway, title="t", token=0, **more):
    message = gateway.peer.notify(gateway.tokens[token], {"aps": {"alert": {"title": title}}, **more})
    gateway.peer.wait_ack(message)
    return message


class Reader:
    """Reads a descriptor with a deadline."""

    def __init__(self, gateway, descriptor):
        self.gateway, self.descriptor, self.buffer = gateway, descriptor, b""

    def line(self, seconds=5):
        """The next line as JSON."""
        end = time.monotonic() + self.gateway.settings.seconds(seconds)
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.descriptor], [], [], max(0, end - time.monotonic()))
            assert ready, f"a line within {seconds} s; have {self.buffer[:100]!r}"
            data = os.read(self.descriptor, 65536)
            assert data, f"end of the stream after {self.buffer[:100]!r}"
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return json.loads(line)

    def nothing(self, seconds=0.5):
        ready, _, _ = select.select([self.descriptor], [], [], self.gateway.settings.seconds(seconds))
        assert not self.buffer and (not ready or not os.read(self.descriptor, 1)), "nothing more"


def open_pipe(gateway, path):
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    return Reader(gateway, descriptor)


def listen(path, backlog=5):
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen(backlog)
    return server


def accept(gateway, server, seconds=5):
    server.settimeout(gateway.settings.seconds(seconds))
    connection, _ = server.accept()
    return connection, Reader(gateway, connection.fileno())


def logged(gateway, text, seconds=5):
    wait_until(lambda: any(text in line for line in gateway.log()), gateway.settings.seconds(seconds),
               lambda: f"{text!r} in the log")


def answers(gateway):
    started = time.monotonic()
    assert gateway.status()["state"] == "connected"
    assert time.monotonic() - started < gateway.settings.seconds(2)


def test_a_line_for_each_notification_of_the_route(board, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    server = listen(tmp_path / "socket")
    gateway = board(f"fifo:{tmp_path}/pipe, socket:{tmp_path}/socket")
    pipe = open_pipe(gateway, tmp_path / "pipe")
    first = send(gateway, "Tür\nzwei", k=[1, None, "\x01"])
    _, stream = accept(gateway, server)
    send(gateway, "bell", token=1)
    second = send(gateway, "2")
    for reader in (pipe, stream):
        assert reader.line() == gateway.row(first)
        assert reader.line() == gateway.row(second)
        reader.nothing()


def test_relative_paths_lie_in_the_state_directory(world, peer):
    gateway = world.gateway(peer)
    gateway.configure("route door", bundle=DOOR, outlet="fifo:pipe")
    os.mkfifo(gateway.state / "pipe")
    gateway.tokens = [gateway.add_token(DOOR)]
    gateway.start()
    pipe = open_pipe(gateway, gateway.state / "pipe")
    send(gateway, "x")
    assert pipe.line()["title"] == "x"


def test_readers_that_come_later_and_again(board, tmp_path):
    path = tmp_path / "pipe"
    gateway = board(f"fifo:{path}")
    send(gateway, "1")
    logged(gateway, f"fifo:{path}: No such file or directory")
    os.mkfifo(path)
    send(gateway, "2")
    logged(gateway, f"fifo:{path}: nobody reads it")
    reader = open_pipe(gateway, path)
    assert [reader.line(35)["title"], reader.line()["title"]] == ["1", "2"], "what waited comes, in order"
    os.close(reader.descriptor)
    send(gateway, "3")
    send(gateway, "4")
    reader = open_pipe(gateway, path)
    assert [reader.line(35)["title"], reader.line()["title"]] == ["3", "4"]


def test_a_pipe_that_is_made_anew(board, tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    gateway = board(f"fifo:{path}")
    reader = open_pipe(gateway, path)
    send(gateway, "1")
    assert reader.line()["title"] == "1"
    os.unlink(path)
    os.mkfifo(path)
    os.close(reader.descriptor)
    reader = open_pipe(gateway, path)
    send(gateway, "2")
    send(gateway, "3")
    assert [reader.line(35)["title"], reader.line()["title"]] == ["2", "3"]


def processor_time(gateway):
    """User and system time of the gateway, in clock ticks."""
    with open(f"/proc/{gateway.process.pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


@pytest.mark.host_only
@pytest.mark.parametrize("kind", ["fifo", "socket"])
def test_a_reader_that_has_left_costs_no_processor_time(board, tmp_path, kind):
    path = tmp_path / kind
    server = listen(path) if kind == "socket" else os.mkfifo(path)
    gateway = board(f"{kind}:{path}")
    if kind == "fifo":
        reader = open_pipe(gateway, path)
    send(gateway, "1")
    if kind == "socket":
        connection, reader = accept(gateway, server)
    assert reader.line()["title"] == "1"
    if kind == "socket":
        connection.close()
    else:
        os.close(reader.descriptor)
    before = processor_time(gateway)
    time.sleep(2)
    assert processor_time(gateway) - before < 50, "less than a quarter of the time"


def test_a_socket_that_goes_and_comes_back(board, tmp_path):
    path = tmp_path / "socket"
    gateway = board(f"socket:{path}")
    send(gateway, "1")
    logged(gateway, f"socket:{path}: No such file or directory")
    server = listen(path)
    connection, reader = accept(gateway, server, 35)
    assert reader.line()["title"] == "1"
    connection.close()
    server.close()
    send(gateway, "2")
    os.unlink(path)
    server = listen(path)
    send(gateway, "3")
    connection, reader = accept(gateway, server, 35)
    assert [reader.line()["title"], reader.line()["title"]] == ["2", "3"]


def test_nobody_reads(board, tmp_path):
    """The buffer is bounded, the oldest lines go, and everything else goes on."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    gateway = board(f"fifo:{path}, socket:{tmp_path}/none")
    for number in range(60):
        gateway.peer.notify(gateway.tokens[0], {"aps": {"alert": {"title": str(number)}}, "pad": "x" * 3500})
    send(gateway, "last")
    answers(gateway)
    logged(gateway, "lines dropped")
    reader, titles = open_pipe(gateway, path), []
    while not titles or titles[-1] != "last":
        titles.append(reader.line(35)["title"])
    assert titles[:-1] == [str(n) for n in range(61 - len(titles), 60)], "the newest, in order, without a gap"
    assert 20 < len(titles) < 60


def test_a_slow_reader(board, tmp_path):
    """It never holds up the gateway; what it gets are whole lines in order."""
    server = listen(tmp_path / "socket")
    gateway = board(f"socket:{tmp_path}/socket")
    send(gateway, "begin")
    _, reader = accept(gateway, server)
    for number in range(300):
        gateway.peer.notify(gateway.tokens[0], {"aps": {"alert": {"title": str(number)}}, "pad": "x" * 3500})
    gateway.peer.wait_ack(gateway.peer.notify(gateway.tokens[0]))
    answers(gateway)
    logged(gateway, "lines dropped")
    assert reader.line()["title"] == "begin"
    numbers = []
    while True:
        try:
            numbers.append(reader.line(2)["title"])
        except AssertionError:
            break
    assert [int(n) for n in numbers if n.isdigit()] == list(range(len([n for n in numbers if n.isdigit()])))
    send(gateway, "end")
    assert reader.line()["title"] == "end"


def test_a_line_cut_by_the_end_of_its_reader_comes_again_whole(board, tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    gateway = board(f"fifo:{path}")
    reader = open_pipe(gateway, path)
    long = {"aps": {"alert": {"title": "long"}}, "text": "\x01" * 15000}  # more than a pipe holds
    gateway.peer.wait_ack(gateway.peer.notify(gateway.tokens[0], long, compress=True))
    wait_until(lambda: select.select([reader.descriptor], [], [], 0)[0], 5, "it begins")
    os.read(reader.descriptor, 1000)
    os.close(reader.descriptor)
    send(gateway, "next")
    reader = open_pipe(gateway, path)
    assert reader.line(35)["payload"] == long
    assert reader.line()["title"] == "next"


def test_a_line_longer_than_the_buffer_is_dropped(board, tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    gateway = board(f"fifo:{path}")
    reader = open_pipe(gateway, path)
    huge = {"aps": {"alert": {"title": "huge"}}, "text": "\x01" * 60000}
    gateway.peer.wait_ack(gateway.peer.notify(gateway.tokens[0], huge, compress=True))
    logged(gateway, "1 lines dropped")
    send(gateway, "next")
    assert reader.line()["title"] == "next"


def test_what_is_no_pipe_is_not_written_to(board, tmp_path):
    (tmp_path / "file").write_text("precious")
    gateway = board(f"fifo:{tmp_path}/file, fifo:{tmp_path}")
    send(gateway)
    logged(gateway, f"fifo:{tmp_path}/file: it is no pipe")
    assert (tmp_path / "file").read_text() == "precious"
    answers(gateway)


def test_muted_notifications_are_not_told(board, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    gateway = board(f"fifo:{tmp_path}/pipe", mute="yes")
    reader = open_pipe(gateway, tmp_path / "pipe")
    send(gateway)
    reader.nothing()


def test_reload_moves_outlets(board, tmp_path):
    os.mkfifo(tmp_path / "one")
    os.mkfifo(tmp_path / "two")
    gateway = board(f"fifo:{tmp_path}/one")
    one, two = open_pipe(gateway, tmp_path / "one"), open_pipe(gateway, tmp_path / "two")
    send(gateway, "1")
    gateway.configure("route door", outlet=f"fifo:{tmp_path}/two, fifo:{tmp_path}/one")
    gateway.cli("reload")
    send(gateway, "2")
    gateway.configure("route door", outlet=None)
    gateway.cli("reload")
    send(gateway, "3")
    assert [one.line()["title"], one.line()["title"], two.line()["title"]] == ["1", "2", "2"]
    one.nothing()


@pytest.mark.parametrize("text,fault", [
    ("pipe:/x", "`pipe:/x` is neither fifo:PATH nor socket:PATH"), ("fifo:", "`fifo:` has no path"),
    ("fifo:/x, fifo:/x", "`fifo:/x` is named twice"), ("fifo:/a,fifo:/b,fifo:/c,fifo:/d,fifo:/e", "more than 4 entries"),
])
def test_faults_are_named(world, peer, text, fault):
    gateway = world.gateway(peer)
    gateway.configure("route door", bundle="*", outlet=text)
    done = gateway.cli("check", code=78)
    assert f"`outlet`: {fault}" in done.stdout + done.stderr
