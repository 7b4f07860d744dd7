"""The first thread to enter makes the setting, and the last one to leave takes it back."""

from __future__ import annotations

import threading

import pytest

from edgewise._base.shared_setting import SharedSetting


@pytest.fixture
def log():
    return []


@pytest.fixture
def setting(log):
    def change():
        log.append("set")
        return lambda: log.append("restored")

    return SharedSetting(change)


def test_it_can_be_used_again(setting, log):
    for _ in range(2):
        with setting:
            log.append("used")
    assert log == ["set", "used", "restored"] * 2


def test_the_last_thread_restores_it(setting, log):
    entered, leave = threading.Event(), threading.Event()

    def other():
        with setting:
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    assert entered.wait(10)
    with setting:
        assert log == ["set"]
    assert log == ["set"], "the other thread is still inside"
    leave.set()
    thread.join()
    assert log == ["set", "restored"]


def test_a_failure_restores_it(setting, log):
    with pytest.raises(ZeroDivisionError), setting:
        raise ZeroDivisionError
    assert log == ["set", "restored"]


def test_a_setting_that_cannot_be_made_is_not_held():
    def change():
        raise ZeroDivisionError

    setting = SharedSetting(change)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), setting:
            pytest.fail("entered")
