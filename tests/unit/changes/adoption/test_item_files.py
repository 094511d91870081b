"""Files of items: exports and scans are read, whatever else is refused."""

import gzip
import json
from pathlib import Path

import pytest

from tablewright.changes.adoption.item_files import UnreadableItems, read_items

ITEMS = [{"PK": {"S": f"o{number}"}, "total": {"N": str(number)}} for number in range(20)]
LINES = "".join(json.dumps({"Item": item}) + "\n" for item in ITEMS)


def test_an_export_s_folder_is_read_without_its_manifests(tmp_path: Path) -> None:
    data = tmp_path / "01700000-abc" / "data"
    data.mkdir(parents=True)
    for number, half in enumerate((ITEMS[:10], ITEMS[10:])):
        lines = "".join(json.dumps({"Item": item}) + "\n" for item in half)
        (data / f"{number}.json.gz").write_bytes(gzip.compress(lines.encode()))
    (data.parent / "manifest-files.json").write_text('{"itemCount": 10}\n')
    (data.parent / "manifest-summary.json").write_text('{"version": "2020-06-30"}')
    assert list(read_items(tmp_path, 100)) == ITEMS


@pytest.mark.parametrize("indent", [None, 2])
def test_what_a_scan_prints_is_read(tmp_path: Path, indent: int | None) -> None:
    file = tmp_path / "scan.json"
    file.write_text(json.dumps({"Items": ITEMS, "Count": 20}, indent=indent))
    assert list(read_items(file, 100)) == ITEMS


def test_a_sample_is_from_all_over_the_file_and_the_same_each_time(tmp_path: Path) -> None:
    file = tmp_path / "items.json"
    file.write_text(LINES)
    sample = read_items(file, 8)
    assert len(sample) == 8
    assert sample == read_items(file, 8)
    assert any(item in ITEMS[10:] for item in sample)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "has no items"),
        ('{"Item": {"PK": "o1"}}', "has an item with 'PK' without a type of DynamoDB"),
        ('{"Keys": {"PK": {"S": "o1"}}}', "has something else than items"),
        ("[]", "has something else than items"),
        ("not JSON", "cannot be read"),
        (LINES + "not JSON", "cannot be read"),
    ],
)
def test_what_holds_no_items_is_refused(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "items.json"
    file.write_text(text)
    with pytest.raises(UnreadableItems, match=says):
        read_items(file, 100)


def test_a_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "items.json.gz"
    file.write_bytes(gzip.compress(LINES.encode())[:-20])
    with pytest.raises(UnreadableItems):
        read_items(file, 100)
