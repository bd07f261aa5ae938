"""The man pages say what the program says, no more and no less."""
import re

import pytest

from conftest import ROOT, run

PAGES = [ROOT / "board/man/skyglowd.8", ROOT / "board/man/skyglowd.conf.5"]


def plain(text):
    """Roff without requests and fonts."""
    text = re.sub(r"\\f.|\\\((?:lq|rq|dq)", "", text).replace("\\-", "-")
    text = re.sub(r"^\.(?:BR|BI|RB|IR|IB) (.*)$", lambda m: joined(m[1]), text, flags=re.M)
    return re.sub(r"^\.[BI] ", "", text, flags=re.M)


def joined(words):
    """The words of an alternating macro: written together, quotes keep their spaces."""
    return "".join(quoted or word for quoted, word in re.findall(r'"([^"]*)"|(\S+)', words))


def section(page, name):
    return re.search(rf'^\.S[HS] {re.escape(name)}$(.*?)(?=^\.SH|\Z)', page, re.M | re.S)[1]


def commands_of_help(binary):
    """(words, options) of each command, as in `token add` and `log [-f] [-n N]`."""
    found, options = set(), set()
    for line in run(binary, "--help").stdout.splitlines():
        options |= set(re.findall(r"(?<![\w-])--?[a-z]+", line))
        match = re.match(r"  ([a-z][a-z, ]*?)(?: (?:[A-Z\[].*))?(?:  .*|$)", line.rstrip())
        if match and not line.startswith("   "):
            words = match[1].strip()
            found |= {w.strip() for w in words.split(",")}
    return found, options


def test_help_is_understood(binary):
    """The test below can fail: what it compares with is not empty."""
    commands, options = commands_of_help(binary)
    assert {"run", "reload", "stop", "token add", "panel off", "read", "read all", "certificate import"} <= commands
    assert options == {"-c", "-f", "-n", "--json", "--from", "--fingerprint", "--yes", "--unread", "--version", "--help",
                       "--svg", "--network"}


def test_commands(binary):
    commands, _ = commands_of_help(binary)
    page = section(PAGES[0].read_text(), "COMMANDS")
    heads = [plain(head).strip() for head in re.findall(r"^\.TP\n(.*)$", page, re.M)]
    assert {re.match(r"[a-z ]+?(?= *(?:[A-Z\[]|$))", head)[0].strip() for head in heads} == commands


def test_options(binary):
    _, options = commands_of_help(binary)
    page = plain(PAGES[0].read_text())
    assert set(re.findall(r"(?<![\w-])--?[a-z]+", page)) == options | {"-h"}


def test_exit_codes():
    source = (ROOT / "Sources/Gateway/Commands/ExitCode.swift").read_text()
    codes = set(re.findall(r"case \w+ = (\d+)", source))
    heads = re.findall(r"^\.TP\n\.B (\d+)$", section(PAGES[0].read_text(), "EXIT STATUS"), re.M)
    assert set(heads) == codes and codes


def test_states():
    source = (ROOT / "Sources/SGP/Link.swift").read_text()
    states = set(re.findall(r'case \.\w+: "([a-z-]+)"', source))
    heads = " ".join(plain(h) for h in re.findall(r"^\.TP\n(.*)$", section(PAGES[0].read_text(), "STATES"), re.M))
    assert set(re.findall(r"[a-z-]+", heads)) == states and len(states) == 13


def known_keys():
    source = (ROOT / "Sources/Gateway/Configuration/KnownNames.swift").read_text()
    keys = {name: set(re.findall(r'"([^"]+)"', rest)) for name, rest in re.findall(r'case "(\w+)":\s*\[(.*?)\]', source, re.S)}
    assert set(keys) == set(re.findall(r'"(\w+)"', re.search(r"sections = \[(.*)\]", source)[1]))
    return keys


def test_keys():
    page = PAGES[1].read_text()
    documented = {}
    for name, text in re.findall(r"^\.SH \[(\w+)[^\]]*\]$(.*?)(?=^\.S[HS]|\Z)", page, re.M | re.S):
        documented[name] = set(plain(h).strip() for h in re.findall(r"^\.TP\n(.*)$", text, re.M))
    assert documented == known_keys()


def test_actions_and_patterns_are_told():
    page = plain(PAGES[1].read_text())
    source = (ROOT / "Sources/Panel/Button.swift").read_text()
    for action in re.findall(r'case \.\w+: "([a-z-]+)"', source):
        assert action in page


def test_readme_has_the_keys():
    text = (ROOT / "README.md").read_text()
    for section_name, keys in known_keys().items():
        for key in keys:
            assert re.search(rf"\b{key}\b", text), f"[{section_name}] {key}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_lint(tool, page):
    done = run(tool("mandoc"), "-T", "lint", "-W", "warning", page)
    assert done.stdout + done.stderr == ""
    done = run(tool("man"), "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page)
    assert done.stderr == ""
