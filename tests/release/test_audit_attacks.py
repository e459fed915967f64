"""The attack table on the audit log: what a verifier sees, and what only a key or an anchor sees."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from medfence_guard import canonical_json
from medfence_guard.errors import InputError
from medfence_guard.release.audit import NO_ANCHOR, NO_KEY, NO_PREVIOUS, AuditLog, Entry, sealed_line, verify_log

KEY = b"a key kept on another host"


def write_log(path, lines=8, key=None, word="event"):
    log = AuditLog(path, key=key, fsync=False, host="host", clock=lambda: datetime(2026, 1, 2, tzinfo=UTC))
    for number in range(lines - 1):
        log.append(Entry(event=word, body={"number": number}))
    return log


@pytest.fixture(params=[None, KEY], ids=["no key", "key"])
def key(request):
    return request.param


@pytest.fixture
def path(tmp_path, key):
    return write_log(tmp_path / "audit.jsonl", key=key).path


def damage(path, change):
    lines = path.read_bytes().splitlines(keepends=True)
    change(lines)
    path.write_bytes(b"".join(lines))


def rewritten(path, key, change):
    """The whole chain built again after a change, as somebody with write access (and the key, if given) would."""
    head, out = NO_PREVIOUS, []
    for line in path.read_bytes().splitlines():
        value = json.loads(line)
        change(value)
        core = {name: value[name] for name in value.keys() - {"hash", "mac"}} | {"prev": head}
        sealed, head = sealed_line(core, key)
        out.append(sealed)
    path.write_bytes(b"".join(out))


def test_an_untouched_log_is_sound_and_says_what_was_not_seen(path, key):
    found = verify_log(path, key=key)
    assert (found.status, found.lines) == ("ok", 8)
    assert found.unseen == ((NO_ANCHOR,) if key else (NO_ANCHOR, NO_KEY))
    anchored = verify_log(path, key=key, anchors=(AuditLog(path, key=key).anchor(),))
    assert anchored.status == "ok"
    assert NO_ANCHOR not in anchored.unseen
    assert "after number 7" in anchored.unseen[-1]


def test_edit_is_seen(path, key):
    damage(path, lambda lines: lines.__setitem__(3, lines[3].replace(b'"number":2', b'"number":9')))
    found = verify_log(path, key=key)
    assert (found.status, found.where, found.lines) == ("tampered", "audit.jsonl:4", 3)
    assert "changed" in found.reason


def test_delete_is_seen(path, key):
    damage(path, lambda lines: lines.pop(3))
    assert (verify_log(path, key=key).status, verify_log(path, key=key).where) == ("tampered", "audit.jsonl:4")


def test_deleting_the_first_line_is_seen(path, key):
    damage(path, lambda lines: lines.pop(0))
    assert verify_log(path, key=key).status == "tampered"


def test_swap_is_seen(path, key):
    damage(path, lambda lines: lines.insert(3, lines.pop(4)))
    assert (verify_log(path, key=key).status, verify_log(path, key=key).where) == ("tampered", "audit.jsonl:4")


def test_insert_is_seen(path, key):
    damage(path, lambda lines: lines.insert(4, lines[4]))
    assert (verify_log(path, key=key).status, verify_log(path, key=key).where) == ("tampered", "audit.jsonl:6")


def test_a_forged_line_between_two_is_seen(path, key):
    def forge(lines):
        value = json.loads(lines[3])
        core = {name: value[name] for name in value.keys() - {"hash", "mac"}}
        lines[4] = sealed_line(core | {"seq": 4, "prev": value["hash"], "body": {"number": 99}}, key)[0]

    damage(path, forge)
    found = verify_log(path, key=key)
    assert (found.status, found.where) == ("tampered", "audit.jsonl:6")
    assert "not chained" in found.reason


@pytest.mark.parametrize(
    "respell",
    [
        lambda line: line.replace(b'"seq":3', b'"seq": 3'),
        lambda line: line.replace(b'"event"', b'"\\u0065vent"'),
        lambda line: line.replace(b'{"actor"', b'{"v":1,"actor"'),
        lambda line: line.replace(b'"seq":3', b'"seq":3.0'),
        lambda line: line.replace(b'"seq":3,"v":1', b'"v":1,"seq":3'),
        lambda line: line.replace(b"\n", b"\r\n"),
        lambda line: line.replace(b'"number":2', b'"number":2,"number":2'),
        lambda line: line.replace(b'"v":1}', b'"v":true}'),
        lambda line: line.replace(b'"v":1}', b'"v":1,"x":0}'),
    ],
    ids=["space", "escape", "repeated key", "float", "order", "crlf", "repeated inner key", "true for 1", "extra key"],
)
def test_non_canonical_bytes_are_seen(path, key, respell):
    damage(path, lambda lines: lines.__setitem__(3, respell(lines[3])))
    found = verify_log(path, key=key)
    assert (found.status, found.where) == ("tampered", "audit.jsonl:4")


def test_a_splice_of_two_logs_is_seen(path, key, tmp_path):
    other = write_log(tmp_path / "other.jsonl", key=key, word="other").path.read_bytes().splitlines(keepends=True)
    damage(path, lambda lines: lines.__setitem__(slice(4, None), other[4:]))
    found = verify_log(path, key=key)
    assert (found.status, found.where) == ("tampered", "audit.jsonl:5")


def test_another_log_in_its_place_is_caught_by_the_anchor_only(path, key, tmp_path):
    anchor = AuditLog(path, key=key).anchor()
    path.write_bytes(write_log(tmp_path / "other.jsonl", key=key).path.read_bytes())
    assert verify_log(path, key=key).status == "ok"
    assert verify_log(path, key=key, anchors=(anchor,)).status == "tampered"


def change_one(value):
    if value["seq"] == 3:
        value["body"]["number"] = 99


def test_a_chain_rewritten_without_the_key_is_caught_by_the_key(tmp_path):
    path = write_log(tmp_path / "audit.jsonl", key=KEY).path
    rewritten(path, None, change_one)
    assert verify_log(path).status == "ok"  # nothing in the lines themselves can show it
    assert "MAC" in verify_log(path, key=KEY).reason
    rewritten(path, b"a guessed key", change_one)
    found = verify_log(path, key=KEY)
    assert (found.status, found.where, "MAC" in found.reason) == ("tampered", "audit.jsonl:1", True)


def test_lines_left_out_of_a_rewritten_chain_are_seen_by_their_numbers(path, key):
    damage(path, lambda lines: lines.pop(3))
    rewritten(path, key, lambda value: None)
    found = verify_log(path, key=key)
    assert (found.status, found.where) == ("tampered", "audit.jsonl:4")
    assert "line number 3 expected, 4 found" in found.reason


def test_a_chain_rewritten_with_the_key_is_caught_by_the_anchor_only(path, key):
    anchor = AuditLog(path, key=key).anchor()
    rewritten(path, key, change_one)
    assert verify_log(path, key=key).status == "ok"
    found = verify_log(path, key=key, anchors=(anchor,))
    assert (found.status, "differs from the anchor" in found.reason) == ("tampered", True)


def test_a_rewrite_behind_the_anchor_is_still_caught_when_an_older_anchor_is_given_too(tmp_path):
    log = write_log(tmp_path / "audit.jsonl", lines=4)
    older = log.anchor()
    for _ in range(3):
        log.append(Entry(event="event", body={}))
    newer = log.anchor()
    assert verify_log(log.path, anchors=(older, newer)).status == "ok"
    assert verify_log(log.path, anchors=(newer, older)).status == "ok"
    rewritten(log.path, None, lambda value: value["body"].pop("number", None))
    assert verify_log(log.path, anchors=(older,)).status == "tampered"


def test_truncation_is_caught_by_the_anchor_only(path, key):
    anchor = AuditLog(path, key=key).anchor()
    damage(path, lambda lines: lines.__delitem__(slice(-2, None)))
    blind = verify_log(path, key=key)
    assert blind.status == "ok"
    assert NO_ANCHOR in blind.unseen
    found = verify_log(path, key=key, anchors=(anchor,))
    assert (found.status, found.lines) == ("truncated", 6)


def test_an_emptied_file_is_caught_by_the_anchor(path, key):
    anchor = AuditLog(path, key=key).anchor()
    path.write_bytes(b"")
    assert verify_log(path, key=key, anchors=(anchor,)).status == "truncated"


def test_a_torn_tail_is_told_apart_refused_and_repaired(path, key):
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"actor":"machine","at"')
    assert verify_log(path, key=key).status == "torn"
    log = AuditLog(path, key=key, fsync=False)
    with pytest.raises(InputError, match="audit repair"):
        log.append(Entry(event="event", body={}))
    assert path.read_bytes().startswith(whole)
    torn = log.repair()
    assert torn.read_bytes() == b'{"actor":"machine","at"'
    found = verify_log(path, key=key)
    assert (found.status, found.lines) == ("ok", 9)
    assert json.loads(path.read_bytes().splitlines()[-1])["event"] == "repair"
    assert log.repair() is None


def test_appending_behind_a_changed_last_line_is_refused(path, key):
    damage(path, lambda lines: lines.__setitem__(-1, lines[-1].replace(b'"number":6', b'"number":9')))
    with pytest.raises(InputError, match="changed"):
        AuditLog(path, key=key, fsync=False).append(Entry(event="event", body={}))
    damage(path, lambda lines: lines.__setitem__(-1, b"\0" * 100 + b"\n"))
    with pytest.raises(InputError, match="cannot be read"):
        AuditLog(path, key=key, fsync=False).append(Entry(event="event", body={}))


def test_a_writer_that_stays_open_notices_a_line_cut_off_behind_its_back(tmp_path):
    log = write_log(tmp_path / "audit.jsonl")
    damage(log.path, lambda lines: lines.pop())
    log.append(Entry(event="event", body={}))
    assert verify_log(log.path).status == "ok"  # it chained to what is there, not to what it remembered


def test_an_unkeyed_line_in_a_keyed_log_is_seen(tmp_path):
    log = write_log(tmp_path / "audit.jsonl", key=KEY)
    AuditLog(log.path, fsync=False).append(Entry(event="event", body={}))
    assert verify_log(log.path, key=KEY).status == "tampered"


@pytest.mark.parametrize("anchor", [{}, {"log_id": "x", "size": 0, "head": "y"}, {"log_id": "x", "size": "8", "head": "y"}])
def test_an_unusable_anchor_is_refused(path, key, anchor):
    with pytest.raises(InputError, match="anchor"):
        verify_log(path, key=key, anchors=(anchor,))


def test_no_log_is_not_a_sound_log(tmp_path):
    with pytest.raises(InputError, match="no audit log"):
        verify_log(tmp_path / "missing.jsonl")


# ---- rotation ----


@pytest.fixture
def rotated(tmp_path):
    log = AuditLog(tmp_path / "audit.jsonl", fsync=False, max_bytes=1500)
    for number in range(30):
        log.append(Entry(event="event", body={"number": number}))
    assert len(list(tmp_path.glob("audit.jsonl.0*"))) >= 3
    return log


def test_a_rotated_log_is_one_chain_by_file_and_by_folder(rotated):
    by_file, by_folder = verify_log(rotated.path), verify_log(rotated.path.parent)
    assert by_file.status == by_folder.status == "ok"
    assert by_file.lines == by_folder.lines > 30
    assert verify_log(rotated.path, anchors=(rotated.anchor(),)).status == "ok"


@pytest.mark.parametrize("which", [0, 1, -1])
def test_a_missing_segment_is_seen(rotated, which):
    sorted(rotated.path.parent.glob("audit.jsonl.0*"))[which].unlink()
    assert verify_log(rotated.path).status == "tampered"


def test_a_missing_active_segment_is_caught_by_the_anchor(rotated):
    anchor = rotated.anchor()
    rotated.path.unlink()
    assert verify_log(rotated.path, anchors=(anchor,)).status == "truncated"


def test_a_crash_between_closing_a_segment_and_opening_the_next_goes_on(rotated):
    rotated.path.rename(rotated.path.with_name(f"audit.jsonl.{len(list(rotated.path.parent.glob('audit.jsonl.0*'))) + 1:06d}"))
    AuditLog(rotated.path, fsync=False).append(Entry(event="event", body={}))
    assert verify_log(rotated.path).status == "ok"


# ---- laws ----


@given(at=st.integers(0, 10**6), bit=st.integers(0, 7))
def test_no_single_bit_can_change(tmp_path_factory, at, bit):
    path = tmp_path_factory.getbasetemp() / "bits.jsonl"
    if not path.exists():
        write_log(path, lines=4)
    data = bytearray(path.read_bytes())
    data[at % len(data)] ^= 1 << bit
    changed = path.with_name("changed.jsonl")
    changed.write_bytes(data)
    assert verify_log(changed).status != "ok"


JSON_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(actor=JSON_TEXT, host=JSON_TEXT, body=st.dictionaries(JSON_TEXT, JSON_TEXT | st.integers(-5, 5) | st.none()), keyed=st.booleans())
def test_a_line_is_the_canonical_json_of_itself(actor, host, body, keyed):
    core = {"actor": actor, "at": "t", "body": body, "event": "e", "host": host, "prev": NO_PREVIOUS, "seq": 3, "v": 1}
    line, digest = sealed_line(core, KEY if keyed else None)
    value = json.loads(line)
    assert canonical_json.dumps(value).encode() + b"\n" == line
    assert value.pop("hash") == digest
    assert (value.pop("mac", None) is not None) is keyed
    assert value == core
