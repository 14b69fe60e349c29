import hashlib
import subprocess
import sys
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from rangewise.datasets import location
from rangewise.datasets.location import DataFile, data_folder, fetch, find_file, is_intact, local_path, registry

BODY = b"timestamp,value\n2014-07-01 00:00:00,10844\n" * 5000
NAME = "nab/data/realKnownCause/nyc_taxi.csv"


class Server(BaseHTTPRequestHandler):
    """Serves BODY, a part of it, more than it, or other bytes; the first part of the path says which."""

    requests = ()

    def do_GET(self):
        Server.requests = [*Server.requests, self.path]
        mode = self.path.split("/")[1]
        if mode == "missing":
            self.send_error(404)
            return
        body = {"cut": BODY[:70_000], "silent-cut": BODY[:70_000], "other": BODY.replace(b"7", b"8"), "more": BODY * 3}.get(mode, BODY)
        self.send_response(200)
        if mode == "cut":
            self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def serve(monkeypatch, tmp_path):
    """``serve(mode)`` sets up a registry with one file, whose public address answers in that mode."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path / "data"))
    Server.requests = []
    file = DataFile(NAME, len(BODY), hashlib.sha256(BODY).hexdigest(), "data/realKnownCause/nyc_taxi.csv")
    monkeypatch.setattr(location, "registry", lambda: {NAME: file})

    def answer(mode):
        monkeypatch.setattr(location, "RAW_FILES", f"http://127.0.0.1:{server.server_port}/{mode}")
        return file

    yield answer
    server.shutdown()
    thread.join()
    server.server_close()


def files_below(folder):
    return [path for path in Path(folder).rglob("*") if path.is_file()]


def test_missing_file_is_fetched_once(serve, tmp_path):
    file = serve("right")
    path = find_file(NAME)
    assert path == tmp_path / "data" / NAME
    assert path.read_bytes() == BODY
    assert files_below(tmp_path) == [path]
    assert Server.requests == ["/right/numenta/NAB/ea702d75cc2258d9d7dd35ca8e5e2539d71f3140/data/realKnownCause/nyc_taxi.csv"]
    assert find_file(NAME) == path
    assert len(Server.requests) == 1
    assert is_intact(file)
    path.write_bytes(BODY[:-1] + b"?")
    assert not is_intact(file)


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("missing", "404"),
        ("cut", "only 70000 of 210000 bytes were received"),
        ("silent-cut", "only 70000 of 210000 bytes were received"),
        ("more", "more than the recorded 210000 bytes were received"),
        ("other", "checksum"),
    ],
)
def test_bad_answer_leaves_no_file(serve, tmp_path, mode, reason):
    serve(mode)
    with pytest.raises(FileNotFoundError) as error:
        find_file(NAME)
    message = str(error.value)
    assert reason in message
    assert f"get it from http://127.0.0.1:{location.RAW_FILES.split(':')[2].split('/')[0]}/{mode}/numenta/NAB/" in message
    assert f"put it at {tmp_path / 'data' / NAME}" in message
    assert "RANGEWISE_DATA" in message
    assert files_below(tmp_path) == []


def test_bad_answer_keeps_the_old_file(serve):
    file = serve("right")
    path = find_file(NAME)
    serve("cut")
    with pytest.raises(FileNotFoundError, match="only 70000"):
        fetch([file])
    assert path.read_bytes() == BODY
    assert files_below(path.parent) == [path]


def test_interrupted_download_leaves_no_file(serve, tmp_path, monkeypatch):
    class Stopped:
        def update(self, chunk):
            raise KeyboardInterrupt

    file = serve("right")
    monkeypatch.setattr(location, "hashlib", SimpleNamespace(sha256=Stopped))
    with pytest.raises(KeyboardInterrupt):
        fetch([file])
    assert files_below(tmp_path) == []


def test_offline(serve, monkeypatch, tmp_path):
    serve("right")
    monkeypatch.setattr(location, "RAW_FILES", "http://127.0.0.1:9")
    with pytest.raises(FileNotFoundError, match=r"is not in .* and cannot be downloaded .*refused.*get it from .* and put it at"):
        find_file(NAME)
    assert files_below(tmp_path) == []


def test_data_folder_that_cannot_be_written(serve, tmp_path, monkeypatch):
    serve("right")
    (tmp_path / "data").write_text("a file")
    with pytest.raises(FileNotFoundError, match="cannot be downloaded"):
        find_file(NAME)


def test_derived_files_have_no_address(monkeypatch, tmp_path):
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path))
    derived = registry()["nab/results/null/anomaly_scores.csv.gz"]
    assert derived.address is None
    with pytest.raises(FileNotFoundError, match="not published: put it at"):
        find_file(derived.name)


def test_unknown_file_is_not_requested(serve):
    serve("right")
    with pytest.raises(FileNotFoundError, match="rangewise data list"):
        find_file("nab/data/realKnownCause/nyc_tax.csv")
    assert Server.requests == []


@pytest.mark.parametrize("name", ["", "../x", "nab/../../x", "/etc/passwd", "nab\\..\\x", "C:/x", "nab/\0"])
def test_rejects_names_outside_the_data_folder(name):
    for function in (local_path, find_file):
        with pytest.raises(ValueError, match="not a name in the data folder"):
            function(name)
    with pytest.raises(ValueError, match="not a name in the data folder"):
        fetch([replace(registry()[NAME], name=name)])


def test_choice_of_the_data_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("RANGEWISE_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    monkeypatch.delenv("RANGEWISE_DATA")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert data_folder() == tmp_path / "cache" / "rangewise"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_folder() == tmp_path / ".cache" / "rangewise"


@pytest.mark.parametrize(("folder", "collection"), [("nab_data", "nab"), ("discord_data", "discords")])
def test_complete_collections_are_intact(request, monkeypatch, folder, collection):
    monkeypatch.setenv("RANGEWISE_DATA", str(request.getfixturevalue(folder)))
    files = [file for file in registry().values() if file.collection.folder == collection and file.address is not None]
    assert [file.name for file in files if not is_intact(file)] == []


def test_golden_files_match_the_registry(golden_folder, monkeypatch):
    """All files that the paper's authors published, and the files of NAB that tests need, have the original bytes."""
    monkeypatch.setenv("RANGEWISE_DATA", str(golden_folder))
    present = [file for file in registry().values() if (golden_folder / file.name).is_file()]
    assert [file.name for file in present if not is_intact(file)] == []
    assert {file.name for file in present} >= {name for name in registry() if name.startswith("paper-labels/")}
    assert {path.parent.name for path in golden_folder.glob("nab/data/*/*.csv")} >= {"realKnownCause", "realTweets", "realTraffic"}


def test_registry():
    derived = [file.name for file in registry().values() if file.address is None]
    assert len(registry()) == 344
    assert len(derived) == 8
    assert registry()["discords/TEK14.txt"].address.endswith("eeebeab1b1a503535172b24a0a8d9eb324ba6548/dataset/space_shuttle/raw/TEK14.txt")


def test_finding_a_file_imports_no_heavy_modules(tmp_path):
    code = "import sys, rangewise.datasets.location as l; l.registry(); print([name for name in sys.argv[1:] if name in sys.modules])"
    process = subprocess.run([sys.executable, "-c", code, "rich", "urllib.request", "polars"], capture_output=True, text=True, check=True)
    assert process.stdout.strip() == "[]"
