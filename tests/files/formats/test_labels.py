"""Label files: one 0 or 1 per line."""

import pytest

from rangewise.files.formats.labels import labels_text, read_labels


def write_labels(tmp_path, text):
    path = tmp_path / "labels.txt"
    path.write_text(text)
    return path


@pytest.mark.parametrize("text", ["0\n1\n1\n", "0 1 1", "0.0\n1.0\r\ntrue\n", "\ufeff0\n1\n1"])
def test_accepts_every_notation(tmp_path, text):
    assert read_labels(write_labels(tmp_path, text)).tolist() == [0, 1, 1]


@pytest.mark.parametrize("label", ["0_1", "01", "2", "nan", "1e", "-1", "+-1", "1_0"])
def test_rejects_invalid_labels(tmp_path, label):
    with pytest.raises(ValueError, match=f"line 2: '{label.replace('+', chr(92) + '+')}' is not a label; expected 0 or 1"):
        read_labels(write_labels(tmp_path, f"0\n{label}\n"))


def test_round_trip(tmp_path):
    path = tmp_path / "labels.txt"
    path.write_bytes(labels_text(read_labels(write_labels(tmp_path, "0\n1\n0\n"))))
    assert path.read_text() == "0\n1\n0\n"
