"""Where the tests' browser comes from."""

import os
from pathlib import Path

import pytest

from toolchain import browser


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with nothing on PATH but what the test puts there."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(browser, "PLACES", (tmp_path / "place",))
    return tmp_path


def command(folder: Path, name: str, script: str = "exit 0") -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_a_browser_on_the_path_is_found(bare: Path) -> None:
    chrome = command(bare, "google-chrome")
    assert browser.find() == browser.ensure() == chrome


def test_a_browser_that_is_not_on_the_path_is_found_in_its_place(bare: Path) -> None:
    assert browser.find() is None
    place = command(bare, "place")
    assert browser.find() == place


def test_without_apt_one_sentence_says_what_to_install(bare: Path) -> None:
    with pytest.raises(browser.BrowserMissing, match="Install Chromium or Google Chrome"):
        browser.ensure()


@pytest.fixture
def debian(bare: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(browser, "_distribution", lambda: "debian")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return bare


def test_debians_package_is_installed_where_that_is_allowed(
    debian: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chromium = debian / "chromium-headless-shell"
    made = f'case "$*" in *install*) : > {chromium}; /bin/chmod 755 {chromium};; esac'
    command(debian, "apt-get", made)
    assert browser.ensure() == chromium
    said = capsys.readouterr().out
    assert said.startswith("Installing Debian's chromium-headless-shell with apt-get ... ")
    assert said.endswith(" s\n")


def test_a_failed_installation_says_why(debian: Path) -> None:
    command(debian, "apt-get", "echo E: no space left; exit 100")
    with pytest.raises(browser.BrowserMissing, match="apt-get update failed: E: no space left"):
        browser.ensure()


def test_who_may_not_install_is_not_asked_for_a_password(
    debian: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    command(debian, "apt-get")
    command(debian, "sudo", '[ "$1" = -n ] && exit 1; sleep 60')
    with pytest.raises(browser.BrowserMissing, match="There is no browser"):
        browser.ensure()


def test_no_other_distributions_package_is_taken(
    debian: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "_distribution", lambda: "ubuntu")
    command(debian, "apt-get")
    with pytest.raises(browser.BrowserMissing, match="There is no browser"):
        browser.ensure()
