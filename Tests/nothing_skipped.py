"""A pytest plugin (-p nothing_skipped) for where every test can run: one that was skipped is then a failure."""


def pytest_terminal_summary(terminalreporter):
    count = len(terminalreporter.stats.get("skipped", []))
    if count:
        terminalreporter.write_sep("!", f"{count} TESTS WERE SKIPPED WHERE ALL CAN RUN", red=True, bold=True)


def pytest_sessionfinish(session):
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and reporter.stats.get("skipped") and session.exitstatus == 0:
        session.exitstatus = 1
