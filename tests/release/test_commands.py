"""`medfence-guard audit …` and `review …`: what a person at a terminal sees, and the exit codes."""

from __future__ import annotations

import argparse
import base64
import json

import pytest

from medfence_guard.release import AuditLog, ReviewQueue
from medfence_guard.release.audit import Entry
from medfence_guard.release.commands import EVENTS, add_audit_parser, add_review_parser, audit_command, review_command
from release.fakes import SOURCE, KeyedFence, payload_for


@pytest.fixture
def run(capsys):
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers()
    add_audit_parser(subparsers).set_defaults(run=audit_command)
    add_review_parser(subparsers).set_defaults(run=review_command)

    def run(*argv):
        args = parser.parse_args([str(arg) for arg in argv])
        code = args.run(args)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def log(tmp_path):
    log = AuditLog(tmp_path / "audit.jsonl", fsync=False)
    fence = KeyedFence(audit=log)
    fence.check(payload_for("pass"), SOURCE)
    request = fence.check(payload_for("fail"), SOURCE).request
    fence.settle(request.request_id, request.reject(reviewer="dr-a", reason="wrong_extraction"))
    return log


def test_verify_says_what_it_cannot_see(run, log):
    code, out, _ = run("audit", "verify", log.path)
    assert code == 0
    assert out.startswith("OK: ")
    assert "NOT CHECKED: no anchor given: a log cut off at the end" in out


@pytest.mark.parametrize(
    ("change", "code", "word"),
    [
        (lambda data: data.replace(b'"action":"reject"', b'"action":"confirm"'), 1, "TAMPERED"),
        (lambda data: data[:-9], 2, "TORN"),
        (lambda data: b"".join(data.splitlines(keepends=True)[:-1]), 3, "TRUNCATED"),
        (lambda data: data, 0, "OK"),
    ],
    ids=["tampered", "torn", "truncated", "sound"],
)
def test_exit_codes_of_verify(run, log, tmp_path, change, code, word):
    _, anchor, _ = run("audit", "anchor", log.path)
    (tmp_path / "anchor.json").write_text(anchor)
    log.path.write_bytes(change(log.path.read_bytes()))
    found, out, _ = run("audit", "verify", log.path, "--anchor", tmp_path / "anchor.json")
    assert (found, out.split(":")[0]) == (code, word)
    found, out, _ = run("audit", "verify", log.path, "--anchor", tmp_path / "anchor.json", "--json")
    assert (found, json.loads(out)["status"]) == (code, word.lower())


def test_unusable_arguments_exit_4_in_words(run, log, tmp_path):
    (tmp_path / "empty.key").write_text("\n")
    (tmp_path / "odd.json").write_text("[]")
    for arguments in (
        ("verify", tmp_path / "missing.jsonl"),
        ("verify", log.path, "--key-file", tmp_path / "missing.key"),
        ("verify", log.path, "--key-file", tmp_path / "empty.key"),
        ("verify", log.path, "--anchor", tmp_path / "odd.json"),
        ("verify", log.path, "--anchor", log.path),
        ("explain", log.path, 99),
        ("forget", log.path, "--record", "rec_../../etc"),
        ("anchor", tmp_path / "missing.jsonl"),
        ("repair", tmp_path / "missing.jsonl"),
    ):
        code, out, err = run("audit", *arguments)
        assert (code, out) == (4, ""), arguments
        assert "Traceback" not in err
        assert len(err.splitlines()) == 1


def test_a_keyed_log_by_key_file(run, tmp_path):
    (tmp_path / "key").write_bytes(b"secret\n")
    path = tmp_path / "keyed.jsonl"
    AuditLog(path, key=b"secret", fsync=False).append(Entry(event="event", body={}))
    assert run("audit", "verify", path, "--key-file", tmp_path / "key")[0] == 0
    (tmp_path / "key").write_bytes(b"other\n")
    assert run("audit", "verify", path, "--key-file", tmp_path / "key")[0] == 1


def test_explain_tells_every_event_of_a_log(run, log):
    told = [run("audit", "explain", log.path, number)[1] for number in range(6)]
    assert "verified: fail, 1 findings" in told[3]
    assert "fail $.medications[0].strength grounding.strength" in told[3]
    assert "by dr-a" in told[5]
    assert "reject" in told[5]
    assert not any("?" in text for text in told)


def test_every_event_the_code_writes_has_words():
    import re
    from pathlib import Path

    import medfence_guard.release

    folder = Path(medfence_guard.release.__file__).parent
    code = "".join((folder / name).read_text() for name in ("audit.py", "fence.py"))
    written = set(re.findall(r'event="(\w+)"', code)) | set(re.findall(r'"(handler_\w+)"', code))
    written -= {"handler_entry"}
    assert written == EVENTS.keys()


def test_repair(run, log):
    assert run("audit", "repair", log.path)[:2] == (0, "nothing to repair: the last line is whole\n")
    with log.path.open("ab") as file:
        file.write(b'{"torn')
    assert run("audit", "repair", log.path)[0] == 0
    assert run("audit", "verify", log.path)[0] == 0


def test_forget_by_source(run, log, tmp_path):
    (tmp_path / "source.txt").write_text(SOURCE)
    assert run("audit", "forget", log.path, "--source", tmp_path / "source.txt")[:2] == (0, "forgotten: 2 of 2 records\n")
    assert run("audit", "forget", log.path, "--source", tmp_path / "source.txt")[0] == 1
    assert run("audit", "verify", log.path)[0] == 0


# ---- review ----


@pytest.fixture
def queue(tmp_path):
    path = tmp_path / "reviews.sqlite"
    queue = ReviewQueue(path)
    fence = KeyedFence(review=queue)
    ids = [fence.check(payload_for(verdict, count=count), SOURCE).request_id for verdict, count in (("fail", 1), ("abstain", 2))]
    queue.close()
    return path, ids


def test_list_has_no_health_data_and_show_has_the_sentence(run, queue):
    path, (fail, abstain) = queue
    code, out, _ = run("review", "list", path)
    assert code == 0
    assert [line.split()[:3] for line in out.splitlines()] == [[fail, "open", "fail"], [abstain, "open", "abstain"]]
    assert "50 m" not in out
    code, out, _ = run("review", "show", path, fail)
    assert "Extraction: 50 mg. Prescription: 50 mcg." in out
    assert "to override, type what the source says: --value '$.medications[0].strength=…'" in out


PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def test_show_writes_the_evidence_page(run, queue, tmp_path):
    path, (fail, _) = queue
    (tmp_path / "page.png").write_bytes(PNG)
    assert run("review", "show", path, fail, "--html", tmp_path / "page.html", "--images", tmp_path / "page.png")[0] == 0
    assert "50 mcg" in (tmp_path / "page.html").read_text()
    code, _, err = run("review", "show", path, fail, "--html", tmp_path / "page.html", "--images", tmp_path / "missing.png")
    assert code == 2
    assert err.startswith("review.file: ")


def test_decide_records_one_decision_about_one_request(run, queue, tmp_path):
    path, (fail, abstain) = queue
    code, _, err = run("review", "decide", path, abstain, "confirm", "--reviewer", "a", "--reason", "read_in_source")
    assert code == 2
    assert "must name each one" in err
    named = ("--item", "$.medications[0]", "--item", "$.medications[1]")
    code, out, _ = run("review", "decide", path, abstain, "confirm", "--reviewer", "a", "--reason", "read_in_source", *named)
    assert code == 0
    assert "fence.settle" in out
    assert run("review", "decide", path, fail, "override", "--reviewer", "a", "--reason", "x", "--value", "nothing")[0] == 2
    code, _, err = run(
        "review", "decide", path, fail, "override", "--reviewer", "a", "--reason", "x", "--value", "$.medications[0].strength=5 mg"
    )
    assert code == 2
    assert "not the payload's" in err
    (tmp_path / "edited.json").write_text(json.dumps(payload_for("pass")))
    assert run("review", "decide", path, fail, "edit", "--reviewer", "a", "--reason", "x")[0] == 2
    assert run("review", "decide", path, fail, "edit", "--reviewer", "a", "--reason", "x", "--payload", tmp_path / "edited.json")[0] == 0
    code, _, err = run("review", "decide", path, fail, "reject", "--reviewer", "b", "--reason", "x")
    assert code == 2
    assert "not open" in err
    fence = KeyedFence(review=ReviewQueue(path), audit=AuditLog(tmp_path / "audit.jsonl", fsync=False))
    assert fence.settle(abstain).code == "review.confirmed"
    assert fence.settle(fail).payload == payload_for("pass")
    assert "1 decided, 100% confirmed, 0 overridden" in run("review", "stats", path)[1]


def test_an_unusable_queue_exits_2_in_words(run, queue, tmp_path):
    path, _ = queue
    for arguments in (("list", tmp_path / "missing.sqlite"), ("show", path, "rr_unknown"), ("stats", tmp_path)):
        code, out, err = run("review", *arguments)
        assert (code, out) == (2, "")
        assert len(err.splitlines()) == 1
