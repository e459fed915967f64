"""Faults under the audit log: killed writers, full disks, short writes, failed syncs, several processes. No record, no release."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from medfence_guard.errors import InputError
from medfence_guard.release import AuditLog, OutcomeStatus
from medfence_guard.release.audit import Entry, read_lines, verify_log
from release.fakes import SOURCE, KeyedFence, payload_for

ROOT = Path(__file__).resolve().parents[2]
KILLS = int(os.environ.get("MEDFENCE_KILLS", "200"))
WRITERS, APPENDS = 4, 500
PASS = payload_for("pass")


def writer(task, path, amount):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "tests")))}
    command = [sys.executable, str(ROOT / "tests/release/crash_writer.py"), task, str(path), str(amount)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finished(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return json.loads(out)


def releases(path):
    return sum(b'"event":"release"' in line for _, line in read_lines(path))


def test_kill_9_while_appending_loses_no_acknowledged_release(tmp_path):
    told = finished(writer("kill_loop", tmp_path, KILLS))
    # Without these two the loop would have proved nothing.
    assert told["acknowledged"] >= KILLS / 4
    assert told["torn"] > 0


def test_four_processes_append_to_one_chain(tmp_path):
    path = tmp_path / "audit.jsonl"
    running = [writer("append", path, APPENDS) for _ in range(WRITERS)]
    acknowledged = [number for process in running for number in finished(process)]
    assert len(set(acknowledged)) == WRITERS * APPENDS
    found = verify_log(path)
    assert (found.status, found.lines) == ("ok", WRITERS * APPENDS + 1)


def test_threads_append_to_one_chain(tmp_path):
    log = AuditLog(tmp_path / "audit.jsonl", fsync=False)
    threads = [threading.Thread(target=lambda: [log.append(Entry(event="event", body={})) for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verify_log(log.path).lines == 201


def test_a_full_disk_holds_and_leaves_a_whole_log(tmp_path):
    path = tmp_path / "audit.jsonl"
    codes = finished(writer("fill", path, 12_000))
    recorded = codes.count("release.pass")
    assert 0 < recorded < len(codes)
    assert codes == ["release.pass"] * recorded + ["release.audit_failed"] * (len(codes) - recorded)
    assert verify_log(path).status == "ok"
    assert releases(path) == recorded


@pytest.fixture
def log(tmp_path):
    log = AuditLog(tmp_path / "audit.jsonl")
    assert KeyedFence(audit=log).check(PASS, SOURCE).released
    return log


def failing_write(after):
    """os.write that takes `after` bytes of the log's line and then finds no space."""
    whole_write, left = os.write, [after]

    def write(descriptor, data):
        if left[0] <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = whole_write(descriptor, bytes(data)[: left[0]])
        left[0] -= written
        return written

    return write


@pytest.mark.parametrize("after", [0, 1, 100, 900])
def test_a_write_that_fails_halfway_holds_and_is_taken_back(log, monkeypatch, after):
    before = log.path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", failing_write(after))
        outcome = KeyedFence(audit=log).check(PASS, SOURCE)
    assert (outcome.status, outcome.code) == (OutcomeStatus.HELD, "release.audit_failed")
    assert log.path.read_bytes() == before
    assert KeyedFence(audit=log).check(PASS, SOURCE).released  # space again


def test_a_write_that_can_not_be_taken_back_leaves_a_torn_log_that_refuses(log, monkeypatch):
    def no_truncate(descriptor, size):
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", failing_write(100))
        patch.setattr(os, "ftruncate", no_truncate)
        assert KeyedFence(audit=log).check(PASS, SOURCE).code == "release.audit_failed"
    assert verify_log(log.path).status == "torn"
    assert KeyedFence(audit=log).check(PASS, SOURCE).code == "release.audit_failed"
    log.repair()
    assert KeyedFence(audit=log).check(PASS, SOURCE).released


def test_short_writes_are_completed(log, monkeypatch):
    whole_write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: whole_write(descriptor, bytes(data)[:7]))
    assert KeyedFence(audit=log).check(PASS, SOURCE).released
    assert verify_log(log.path).status == "ok"


def test_after_a_failed_sync_this_writer_releases_nothing_more(log, monkeypatch):
    log_file = log.path.stat().st_ino
    real = os.fsync

    def fsync(descriptor):
        if os.fstat(descriptor).st_ino == log_file:
            raise OSError(errno.EIO, "Input/output error")
        real(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        assert KeyedFence(audit=log).check(PASS, SOURCE).code == "release.audit_failed"
    # The next sync would succeed, and prove nothing about the bytes of the failed one.
    assert KeyedFence(audit=log).check(PASS, SOURCE).code == "release.audit_failed"
    assert KeyedFence(audit=AuditLog(log.path)).check(PASS, SOURCE).released


def test_a_log_that_cannot_be_locked_or_stored_beside_holds(log, tmp_path):
    private = Path(f"{log.path}.private")
    moved = private.rename(tmp_path / "moved")
    private.write_text("in the way")
    assert KeyedFence(audit=log).check(PASS, SOURCE).code == "release.audit_failed"
    private.unlink()
    moved.rename(private)
    lock = Path(f"{log.path}.lock")
    lock.unlink()
    lock.mkdir()
    assert KeyedFence(audit=log).check(PASS, SOURCE).code == "release.audit_failed"


def test_a_damaged_log_holds(log):
    log.path.write_bytes(log.path.read_bytes()[:-5])
    assert KeyedFence(audit=log).check(PASS, SOURCE).code == "release.audit_failed"


def test_a_log_needs_a_folder(tmp_path):
    with pytest.raises(InputError, match="folder"):
        AuditLog(tmp_path / "missing" / "audit.jsonl")
    with pytest.raises(InputError, match="folder"):
        AuditLog(tmp_path)


def test_log_and_private_files_are_the_owners_alone(log):
    for path in (log.path, *Path(f"{log.path}.private").rglob("*.json")):
        assert path.stat().st_mode & 0o077 == 0
