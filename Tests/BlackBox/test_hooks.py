"""Hooks: run without a shell, in order, at least once, and whatever they do the gateway goes on."""
import json
import os
import random
import signal
import stat
import time

import pytest

from harness.gateway import plain_id
from harness.settings import wait_until

DOOR = "org.example.door"


@pytest.fixture
def board(world, peer):
    """Makes a connected gateway; each keyword is a route of the bundle org.example.NAME with that hook."""
    def make(*, keys=None, env=None, **hooks):
        gateway = world.gateway(peer)
        for name, hook in hooks.items():
            gateway.configure(f"route {name}", bundle=f"org.example.{name}", hook=hook, **(keys or {}))
        gateway.tokens = {name: gateway.add_token(f"org.example.{name}") for name in hooks}
        gateway.start(env=env)
        return gateway
    return make


def script(gateway_or_path, name, text, shell="/bin/sh"):
    """An executable file in a directory of its own; its path."""
    path = gateway_or_path / name
    path.write_text(f"#!{shell}\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def place(tmp_path):
    return tmp_path


def send(gateway, name="door", title="t", **more):
    """One notification, acknowledged; its message id."""
    message = gateway.peer.notify(gateway.tokens[name], {"aps": {"alert": {"title": title, "body": "b"}}, **more})
    gateway.peer.wait_ack(message)
    return message


def hook(gateway, message):
    return gateway.row(message).get("hook")


def wait_hook(gateway, message, state, seconds=10, tries=0):
    """Wait until the hook of a message is in this state, after at least so many tries."""
    last = {}

    def reached():
        last.update(hook(gateway, message) or {})
        return last.get("state") == state and last["tries"] >= tries
    wait_until(reached, gateway.settings.seconds(seconds), lambda: f"hook {state}, but {last}")
    return last


def alive(gateway):
    """The gateway still takes a notification and answers."""
    started = time.monotonic()
    assert gateway.status()["state"] == "connected"
    return time.monotonic() - started < gateway.settings.seconds(2)


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def wait_lines(gateway, path, count, seconds=10):
    wait_until(lambda: len(lines(path)) >= count, gateway.settings.seconds(seconds),
               lambda: f"{count} lines in {path.name}, but {lines(path)}")
    return lines(path)


def test_what_a_hook_is_given(board, place):
    out = place / "out"
    program = script(place, "hook", f"""
        {{ cat; echo "$1|$2|$#"; echo "$SKYGLOW_BUNDLE|$SKYGLOW_TITLE|$SKYGLOW_BODY|$SKYGLOW_MSG_ID"
        pwd; echo "$$ $(ps -o pgid= -p $$ | tr -d ' ')"; ls /proc/self/fd | tr '\\n' ' '; echo
        grep -E 'Sig(Blk|Ign)' /proc/self/status | tr '\\n' ' '; echo; env; }} > {out}.part
        mv {out}.part {out}""")
    gateway = board(door=f"{program} --ring 'two words; $HOME'", env={"OWN": "yes", "NOTIFY_SOCKET": ""})
    message = send(gateway, title="Tür; `id` $(id)\nline", k=[1, None])
    done = wait_hook(gateway, message, "done")
    assert done == {"state": "done", "tries": 1, "reason": None}
    text = out.read_text()
    document, rest = text.split("\n", 1)
    document = json.loads(document)
    row = gateway.row(message)
    document["hook"] = row["hook"]
    assert document == row, "the same object as in the inbox"
    rest = rest.splitlines()
    assert rest[0] == "--ring|two words; $HOME|2"
    assert "\n".join(rest[1:3]) == f"{DOOR}|Tür; `id` $(id)\nline|b|{plain_id(row['msg_id'])}"
    assert rest[3] == "/"
    pid, group = rest[4].split()
    assert pid == group != str(os.getpgid(gateway.process.pid)), "a process group of its own"
    assert rest[5].split() == ["0", "1", "2", "3"], "no descriptor of the gateway (3 is that of ls itself)"
    assert rest[6].split() == ["SigBlk:", "0" * 16, "SigIgn:", "0" * 16], "default signals"
    assert "OWN=yes" in rest and not [line for line in rest if line.startswith("NOTIFY_SOCKET")]


def test_output_goes_to_the_log_line_by_line(board, place):
    program = script(place, "hook", "echo first; echo second >&2; printf 'a\\033[2Jb\\nno end'; exit 3")
    gateway = board(door=program)
    message = send(gateway)
    dead = wait_hook(gateway, message, "dead")
    assert dead == {"state": "dead", "tries": 1, "reason": "exit 3"}
    log = "\n".join(gateway.log())
    for text in ("hook: door: first", "hook: door: second", "hook: door: a?[2Jb", "hook: door: no end",
                 "given up", "exit 3"):
        assert text in log, text
    assert "hook failed: exit 3" in gateway.cli("inbox").stdout


def test_order_and_at_least_once_through_a_long_queue(board, place):
    out = place / "out"
    program = script(place, "hook", f'echo "$SKYGLOW_TITLE" >> {out}')
    gateway = board(door=program)
    for number in range(60):
        gateway.peer.notify(gateway.tokens["door"], {"aps": {"alert": {"title": str(number)}}})
    wait_lines(gateway, out, 60, seconds=30)
    assert lines(out) == [str(number) for number in range(60)]


def test_four_at_once_and_one_for_each_route(board, place):
    out = place / "out"
    program = script(place, "hook", f"""
        echo "start $SKYGLOW_BUNDLE $SKYGLOW_TITLE" >> {out}; sleep 0.4
        echo "end $SKYGLOW_BUNDLE $SKYGLOW_TITLE" >> {out}""")
    names = ["a", "b", "c", "d", "e", "f"]
    gateway = board(**{name: program for name in names})
    for number in range(2):
        for name in names:
            gateway.peer.notify(gateway.tokens[name], {"aps": {"alert": {"title": str(number)}}})
    running, most, order = [], 0, {name: [] for name in names}
    for line in wait_lines(gateway, out, 24, seconds=30):
        what, bundle, number = line.split()
        if what == "start":
            assert bundle not in running, "one at a time for a route"
            running.append(bundle)
            order[bundle.rsplit(".", 1)[1]].append(number)
        else:
            running.remove(bundle)
        most = max(most, len(running))
    assert most == 4
    assert all(numbers == ["0", "1"] for numbers in order.values())


def test_exit_75_is_tried_again_with_a_growing_delay_five_times(board, place):
    out = place / "out"
    program = script(place, "hook", f'date +%s%N >> {out}; exit 75')
    gateway = board(door=program, keys={"retry": 1})
    first, second = send(gateway), send(gateway, title="second")
    waiting = wait_hook(gateway, first, "waiting", tries=1)
    assert waiting["tries"] == 1 and waiting["reason"] == "exit 75"
    assert hook(gateway, second) == {"state": "waiting", "tries": 0, "reason": None}, "in order"
    assert "hook waits: exit 75" in gateway.cli("inbox").stdout
    dead = wait_hook(gateway, first, "dead", seconds=30)
    assert dead == {"state": "dead", "tries": 5, "reason": "exit 75, 5 times"}
    times = [int(line) / 1e9 for line in lines(out)[:5]]
    gaps = [b - a for a, b in zip(times, times[1:])]
    for gap, wanted in zip(gaps, (1, 2, 4, 8)):
        assert wanted - 0.1 <= gap <= wanted + gateway.settings.seconds(1), gaps
    wait_until(lambda: hook(gateway, second)["tries"] >= 1, gateway.settings.seconds(5), "then the next one")


def test_a_hook_whose_route_goes_while_it_runs_is_not_left_waiting(board, place):
    program = script(place, "hook", f"touch {place}/started; while [ ! -e {place}/go ]; do sleep 0.1; done; exit 75")
    gateway = board(door=program)
    message = send(gateway)
    wait_until(lambda: (place / "started").exists(), gateway.settings.seconds(10), "it runs")
    gateway.configure("route door", hook=None)
    gateway.cli("reload")
    wait_hook(gateway, message, "dead")
    (place / "go").touch()
    wait_until(lambda: "exit 75" in hook(gateway, message)["reason"], gateway.settings.seconds(10), "it has ended")
    assert hook(gateway, message) == {"state": "dead", "tries": 1,
                                      "reason": "exit 75, and its route has no hook any more"}


def test_a_second_try_that_goes_well(board, place):
    mark = place / "mark"
    program = script(place, "hook", f"[ -e {mark} ] || {{ touch {mark}; exit 75; }}")
    gateway = board(door=program, keys={"retry": 1})
    message = send(gateway)
    assert wait_hook(gateway, message, "done") == {"state": "done", "tries": 2, "reason": None}


ENDS = {
    "signal": ("kill -SEGV $$", "killed by signal 11"),
    "exit": ("exit 1", "exit 1"),
    "exit-255": ("exit 255", "exit 255"),
    "reads-nothing": ("exec <&-; exit 9", "exit 9"),
}


@pytest.mark.parametrize("text,reason", ENDS.values(), ids=ENDS)
def test_ends_that_are_given_up_at_once(board, place, text, reason):
    gateway = board(door=script(place, "hook", text))
    message = send(gateway)
    assert wait_hook(gateway, message, "dead") == {"state": "dead", "tries": 1, "reason": reason}
    assert alive(gateway)


def test_missing_and_not_executable_programs(board, place):
    plain = place / "plain"
    plain.write_text("#!/bin/sh\n")
    broken = script(place, "broken", "", shell="/no/such/interpreter")
    text = place / "text"
    text.write_bytes(b"\x01\x02 no program")
    text.chmod(0o755)
    gateway = board(missing="/no/such/program", plain=str(plain), directory=str(place), broken=broken, text=str(text),
                    relative="bin/none")
    reasons = {"missing": "/no/such/program: No such file or directory", "plain": f"{plain}: Permission denied",
               "directory": f"{place}: Permission denied", "broken": f"{broken}: No such file or directory",
               "text": f"{text}: Exec format error",
               "relative": f"{gateway.state}/bin/none: No such file or directory"}
    for name, reason in reasons.items():
        message = send(gateway, name)
        assert wait_hook(gateway, message, "dead") == {"state": "dead", "tries": 1, "reason": reason}, name
    assert alive(gateway)
    assert any("No such file or directory" in line for line in gateway.log())


def test_a_hook_that_hangs_is_killed_with_its_children(board, place):
    out = place / "out"
    program = script(place, "hook", f"""
        trap '' TERM; echo $$ > {out}; (trap '' TERM; sleep 300) & echo $! >> {out}; echo hanging; sleep 300""")
    gateway = board(door=program, other="/bin/true")
    message = send(gateway)
    pids = [int(line) for line in wait_lines(gateway, out, 2)]
    assert wait_hook(gateway, message, "running")["tries"] == 1
    assert wait_hook(gateway, send(gateway, "other"), "done"), "another route does not wait"
    assert alive(gateway)
    dead = wait_hook(gateway, message, "dead", seconds=40)
    assert dead["reason"] == "no end within 30 s: killed"
    for pid in pids:
        wait_until(lambda: gone(pid), gateway.settings.seconds(5), f"process {pid} is gone")


def gone(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def test_children_that_a_hook_leaves_behind_go_with_it(board, place):
    out = place / "out"
    program = script(place, "hook", f"for i in 1 2 3 4 5; do sleep 300 & echo $! >> {out}; done; exit 0")
    gateway = board(door=program)
    started = time.monotonic()
    message = send(gateway)
    wait_hook(gateway, message, "done")
    assert time.monotonic() - started < gateway.settings.seconds(10), "their open output is not waited for"
    for pid in [int(line) for line in lines(out)]:
        wait_until(lambda: gone(pid), gateway.settings.seconds(5), f"process {pid} is gone")


def test_a_flood_of_output_is_bounded(board, place):
    program = script(place, "hook", "head -c 3000000 /dev/zero | tr '\\0' x; i=0; "
                                    "while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done; exit 0")
    gateway = board(door=program, other="/bin/true")
    before = len(gateway.log())
    message = send(gateway)
    assert wait_hook(gateway, send(gateway, "other"), "done") and alive(gateway)
    wait_hook(gateway, message, "done", seconds=25)
    log = gateway.log()
    assert any("more than 65536 bytes of output" in line for line in log)
    assert len(log) - before < 40, "the log is not flooded"
    assert max(map(len, log)) < 600


def test_many_lines_are_rate_limited_for_each_route(board, place):
    many = script(place, "many", "i=0; while [ $i -lt 500 ]; do echo line $i; i=$((i+1)); done")
    one = script(place, "one", "echo quiet one")
    gateway = board(many=many, one=one)
    wait_hook(gateway, send(gateway, "many"), "done")
    wait_hook(gateway, send(gateway, "one"), "done")
    log = gateway.log()
    assert sum("many: line" in line for line in log) <= 20
    assert any("one: quiet one" in line for line in log)


def test_a_large_document_to_a_hook_that_reads_late_or_never(board, place):
    out = place / "out"
    late = script(place, "late", f"sleep 1; wc -c > {out}.part; mv {out}.part {out}")
    gateway = board(late=late, never="/bin/sleep 2")
    document = {"aps": {"alert": {"title": "long"}}, "text": "\x01" * 60000}
    first = gateway.peer.notify(gateway.tokens["late"], document, compress=True)
    second = gateway.peer.notify(gateway.tokens["never"], document, compress=True)
    gateway.peer.wait_ack(second)
    assert alive(gateway)
    wait_hook(gateway, first, "done")
    assert int(out.read_text()) > 360000, "all of it"
    assert wait_hook(gateway, second, "done")["reason"] is None


@pytest.mark.parametrize("how", ["kill", "stop"])
def test_unfinished_hooks_run_again_after_a_restart(board, place, how):
    out = place / "out"
    program = script(place, "hook", f"""
        echo "start $SKYGLOW_TITLE $$" >> {out}; [ -e {place}/go ] || sleep 20; echo "end $SKYGLOW_TITLE" >> {out}""")
    gateway = board(door=program)
    first, second = send(gateway, title="1"), send(gateway, title="2")
    started = wait_lines(gateway, out, 1)
    assert hook(gateway, first)["state"] == "running"
    getattr(gateway, how)()
    pid = int(started[0].split()[2])
    wait_until(lambda: gone(pid), gateway.settings.seconds(5), "the hook went with its gateway")
    (place / "go").touch()
    gateway.start()
    assert wait_hook(gateway, first, "done")["tries"] == (2 if how == "kill" else 1)
    assert wait_hook(gateway, second, "done")["tries"] == 1
    assert [line.split()[:2] for line in lines(out)] == [["start", "1"], ["start", "1"], ["end", "1"], ["start", "2"],
                                                         ["end", "2"]]


def test_nothing_is_lost_in_20_kills(board, place, settings):
    """Whatever was acknowledged has its hook run, in order."""
    print(f"seed {settings.seed}")
    chance = random.Random(settings.seed + 4)
    out = place / "out"
    program = script(place, "hook", f'sleep 0.02; echo "$SKYGLOW_TITLE" >> {out}')
    gateway = board(door=program)
    gateway.kill()
    sent = []
    for _ in range(20):
        gateway.start(connect=False)
        for _ in range(3):
            title = str(len(sent))
            sent.append(gateway.peer.notify(gateway.tokens["door"], {"aps": {"alert": {"title": title}}}))
        time.sleep(settings.seconds(chance.uniform(0.05, 0.25)))
        gateway.kill()
    gateway.start()
    gateway.peer.wait_all_acked(sent, 30)
    wait_until(lambda: all(row["hook"]["state"] in ("done", "dead") for row in gateway.rows()),
               settings.seconds(60), "every hook ended", pause=0.5)
    ran = lines(out)
    assert [title for place_, title in enumerate(ran) if title not in ran[:place_]] == \
        [row["title"] for row in reversed(gateway.rows())], "each at least once, in the order of the inbox"
    assert all(row["hook"]["state"] == "done" for row in gateway.rows())
    assert sorted(map(int, set(ran))) == list(range(60))


def test_a_hook_that_takes_its_gateway_down_is_given_up(board, place):
    program = script(place, "hook", "kill -KILL $PPID; sleep 10")
    gateway = board(door=program)
    gateway.peer.notify(gateway.tokens["door"])
    for _ in range(5):
        assert gateway.wait_exit() == -signal.SIGKILL
        gateway.start(connect=False)
    gateway.wait_running()
    wait_until(lambda: gateway.rows()[0]["hook"]["state"] == "dead", gateway.settings.seconds(10), "given up")
    assert gateway.rows()[0]["hook"] == {"state": "dead", "tries": 5, "reason": "the gateway ended 5 times while it ran"}


def test_reload_changes_what_runs_next(board, place):
    out = place / "out"
    gateway = board(door=script(place, "one", f"echo one >> {out}"), gone="/bin/sleep 1")
    wait_hook(gateway, send(gateway), "done")
    gateway.configure("route door", hook=script(place, "two", f"echo two >> {out}"))
    first, second = send(gateway, "gone"), send(gateway, "gone")
    wait_hook(gateway, first, "running")
    gateway.configure("route gone", hook=None)
    gateway.cli("reload")
    wait_hook(gateway, send(gateway), "done")
    assert lines(out) == ["one", "two"]
    assert wait_hook(gateway, first, "done"), "what runs goes on"
    assert wait_hook(gateway, second, "dead")["reason"] == "its route has no hook any more"


def test_no_hook_for_what_is_muted_or_has_none(board, place):
    out = place / "out"
    gateway = board(door=script(place, "hook", f"echo x >> {out}"), keys={"mute": "yes"}, other="/bin/true")
    message = send(gateway)
    assert "hook" not in gateway.row(message) and gateway.row(message)["route"] == "door"
    time.sleep(0.5)
    assert not out.exists()


def test_hooks_leave_no_zombies_and_no_descriptors(board, place):
    gateway = board(door="/bin/true")
    first = send(gateway)
    wait_hook(gateway, first, "done")
    pid = gateway.process.pid
    before = gateway.descriptors()
    last = [send(gateway) for _ in range(20)][-1]
    wait_hook(gateway, last, "done", seconds=20)
    assert gateway.descriptors() == before
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        assert f.read().split() == []


def test_files_of_hooks_are_not_the_gateways(board, place):
    """The mode of what a hook makes is not narrowed or widened by the gateway."""
    out = place / "out"
    gateway = board(door=script(place, "hook", f"umask 022; echo x > {out}"))
    wait_hook(gateway, send(gateway), "done")
    assert stat.S_IMODE(out.stat().st_mode) == 0o644
