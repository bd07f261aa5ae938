"""`check` finds every fault with its line, and `run` refuses the same file (contract: Configuration)."""
import re
import subprocess

import pytest


def write(gateway, text):
    """Use this text as the configuration, with the real directories filled in."""
    gateway.config.write_text(text.replace("@STATE", str(gateway.state)).replace("@RUN", str(gateway.runtime)))


GOOD = """[server]
address = sgn.test
certificate = server.pem
endpoint = 127.0.0.1:9
[state]
directory = @STATE
runtime = @RUN
"""
GOOD_LINES = GOOD.count("\n")


def faults(gateway, done):
    """The line numbers of every `FILE:LINE: text` that was printed."""
    lines = (done.stdout + done.stderr).splitlines()
    found = [re.match(re.escape(str(gateway.config)) + r":(\d+): (.*\S)", line) for line in lines]
    return {int(m.group(1)): m.group(2) for m in found if m}


def test_a_good_one(gateway):
    assert gateway.cli("check").stdout.strip() == "configuration OK"


FULL = GOOD.replace("endpoint", "identity = registration.pem  # gone after use\nendpoint") + """
# a comment
[resolver]
servers = 127.0.0.1:5353
[keepalive]
minimum = 600
maximum = 3300
pong-timeout = 15
[panel]
message = file:panel.log, none
link = none
[route door]
bundle = org.example.door*
light = fast
beep = 2
hook = /usr/local/bin/door --ring
quiet = 22:00-07:00
[route rest]
bundle = *
light = slow
[relay]
listen = 127.0.0.1:8787
allow = 127.0.0.0/8, 192.168.1.0/24
[log]
level = info
size = 65536
"""


def test_everything_the_contract_names(gateway):
    write(gateway, FULL)
    gateway.cli("check")


@pytest.mark.parametrize("ending", ["\r\n", "\n\n"], ids=["crlf", "blank-lines"])
def test_line_endings(gateway, ending):
    write(gateway, GOOD.replace("\n", ending))
    gateway.cli("check")


# What to change in the good file, and the line that is then at fault: the changed one, or the last of those added.
CHANGED = {
    "address-of-17-bytes": ("address = sgn.test", "address = seventeen-bytes.x"),
    "empty-address": ("address = sgn.test", "address ="),
    "endpoint-without-port": ("endpoint = 127.0.0.1:9", "endpoint = 127.0.0.1"),
    "endpoint-port-70000": ("endpoint = 127.0.0.1:9", "endpoint = 127.0.0.1:70000"),
    "endpoint-port-0": ("endpoint = 127.0.0.1:9", "endpoint = 127.0.0.1:0"),
}
ADDED = {
    "unknown-key": "[panel]\nmesage = none",
    "no-number": "[keepalive]\nminimum = often",
    "negative": "[keepalive]\nminimum = -5",
    "zero-timeout": "[keepalive]\npong-timeout = 0",
    "number-too-large": "[keepalive]\nmaximum = 99999999999999999999999",
    "unknown-output": "[panel]\nmessage = lamp:ACT",
    "unknown-level": "[log]\nlevel = chatty",
    "unknown-pattern": "[route a]\nbundle = *\nlight = disco",
    "bad-quiet": "[route a]\nbundle = *\nquiet = 25:00-07:00",
    "bad-network": "[relay]\nlisten = 127.0.0.1:8787\nallow = 127.0.0.0/64",
    "no-equals-sign": "[panel]\nmessage none",
}


@pytest.mark.parametrize("old, new", CHANGED.values(), ids=CHANGED)
def test_a_fault_in_a_line(gateway, old, new):
    write(gateway, GOOD.replace(old, new))
    line = GOOD[:GOOD.index(old)].count("\n") + 1
    assert list(faults(gateway, gateway.cli("check", code=78))) == [line]


@pytest.mark.parametrize("text", ADDED.values(), ids=ADDED)
def test_a_fault_in_a_new_section(gateway, text):
    write(gateway, GOOD + text + "\n")
    assert list(faults(gateway, gateway.cli("check", code=78))) == [GOOD_LINES + text.count("\n") + 1]


def test_a_section_without_its_closing_bracket(gateway):
    write(gateway, GOOD + "[panel\nmessage = none\n")
    found = faults(gateway, gateway.cli("check", code=78))
    assert found and set(found) <= {GOOD_LINES + 1, GOOD_LINES + 2}


@pytest.mark.parametrize("section", ["sever", "routes", "route"])
def test_an_unknown_section(gateway, section):
    write(gateway, GOOD + f"[{section}]\nsome = thing\n")
    found = faults(gateway, gateway.cli("check", code=78))
    assert found and set(found) <= {GOOD_LINES + 1, GOOD_LINES + 2}


@pytest.mark.parametrize("typed, meant", [("mesage", "message"), ("lnk", "link"), ("buzer", "buzzer")])
def test_an_unknown_key_names_the_nearest_known_one(gateway, typed, meant):
    write(gateway, GOOD + f"[panel]\n{typed} = none\n")
    (said,) = faults(gateway, gateway.cli("check", code=78)).values()
    assert typed in said and re.search(rf"\b{meant}\b", said)


def test_every_fault_is_listed_not_only_the_first(gateway):
    write(gateway, GOOD + """[panel]
mesage = none
link = lamp:ACT
[keepalive]
minimum = often
maximum = 3300
pong-timeout = never
[log]
colour = red
""")
    found = faults(gateway, gateway.cli("check", code=78))
    assert set(found) == {GOOD_LINES + n for n in (2, 3, 5, 7, 9)}


def test_the_minimum_is_not_above_the_maximum(gateway):
    write(gateway, GOOD + "[keepalive]\nminimum = 900\nmaximum = 600\n")
    found = faults(gateway, gateway.cli("check", code=78))
    assert found and set(found) <= {GOOD_LINES + n for n in (1, 2, 3)}


@pytest.mark.parametrize("key", ["address", "certificate"])
def test_what_is_missing_is_named(gateway, key):
    write(gateway, "".join(line for line in GOOD.splitlines(True) if not line.startswith(key)))
    done = gateway.cli("check", code=(0, 78) if key == "certificate" else 78)
    assert done.returncode == 0 or key in done.stdout + done.stderr


def test_run_refuses_what_check_refuses(gateway, peer):
    text = gateway.config.read_text() + "[panl]\nmessage = none\n[keepalive]\nminimum = often\n"
    gateway.config.write_text(text)
    code, said = gateway.run_to_end()
    assert code == 78
    assert re.search(re.escape(str(gateway.config)) + r":\d+: ", said)
    assert not peer.since(0, "connected")


@pytest.mark.parametrize("command", [["token", "add", "org.example.door"], ["inbox"], ["status"]], ids=" ".join)
def test_other_commands_refuse_it_too(gateway, command):
    gateway.config.write_text("[server]\nadress = sgn.test\n")
    assert str(gateway.config) in gateway.cli(*command, code=78).stderr


NOISE = {"binary": bytes(range(256)) * 4, "one-long-line": b"x" * 100_000, "nul": b"[server]\naddress = a\0b\n",
         "no-section": b"address = sgn.test\n", "many-sections": b"[a]\n" * 20_000}


@pytest.mark.parametrize("data", NOISE.values(), ids=NOISE)
def test_noise_is_refused_and_never_a_crash(gateway, data):
    gateway.config.write_bytes(data)
    done = gateway.cli("check", code=78)
    assert str(gateway.config) in done.stdout + done.stderr


def test_an_empty_file_is_a_gateway_without_a_server(gateway):
    gateway.config.write_bytes(b"")
    assert gateway.cli("check", code=0).stdout == "configuration OK\n"


def test_environment_names_the_file_and_the_option_wins(gateway):
    elsewhere = gateway.directory / "elsewhere.conf"
    elsewhere.write_text("[server]\nadress = x\n")

    def check(*option):
        return subprocess.run([*gateway.binary, *option, "check"], capture_output=True, text=True,
                              env={"SKYGLOWD_CONFIG": str(elsewhere)}, timeout=gateway.settings.seconds(10))
    refused = check()
    assert refused.returncode == 78 and str(elsewhere) in refused.stdout + refused.stderr
    assert check("-c", str(gateway.config)).returncode == 0


def test_relative_paths_start_at_the_state_directory(world, peer):
    gateway = world.gateway(peer)
    (gateway.state / "deep").mkdir()
    (gateway.state / "server.pem").rename(gateway.state / "deep" / "pin.pem")
    gateway.configure("server", certificate="deep/pin.pem")
    gateway.configure("panel", message="file:deep/lights.log")
    token = gateway.add_token()
    gateway.start()
    peer.wait_ack(peer.notify(token))
    assert gateway.panel("deep/lights.log")


def test_several_outputs_share_a_role(world, peer):
    gateway = world.gateway(peer)
    gateway.configure("panel", message="file:panel.log, none, file:second.log")
    token = gateway.add_token()
    gateway.start()
    peer.wait_ack(peer.notify(token))
    gateway.wait_light(True)
    assert gateway.light(name="second.log") == gateway.light()


def test_an_output_that_is_not_there_keeps_none_of_the_others_back(world, peer):
    """The line may never come. It is told, and connection, acknowledgement and the other light do without it."""
    gateway = world.gateway(peer)
    gateway.configure("panel", message="gpio:NOT-THERE, file:panel.log")
    token = gateway.add_token()
    gateway.start()
    message = peer.notify(token)
    peer.wait_ack(message)
    gateway.wait_light(True)
    assert gateway.shown() == [message]
    status = gateway.status()
    assert (status["state"], status["panel"]["problems"]) == ("connected", 1)
    told = [line for line in gateway.log() if "message gpio:NOT-THERE: " in line]
    assert len(told) == 1 and " warning panel: " in told[0], told
    gateway.cli("read", "all")
    gateway.wait_light(False)
