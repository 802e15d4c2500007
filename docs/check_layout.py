"""Open pages in a browser: ``python docs/check_layout.py`` prints what is cut, too wide or overlaps.

The pages below `docs/_build` are opened in headless Chromium at the width of a phone and at that of a
desktop, with all that can be unfolded unfolded, and `check_layout.js` measures them. `make docs-check` runs
this. It needs Python, Chromium and ChromeDriver; without them it says that nothing was measured.
``--pictures FOLDER`` keeps a picture of each page.
"""

import argparse
import base64
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
BUILT = DOCS / "_build"
WIDTHS = (390, 1400)
PAGES = (
    *("index", "start", "tutorial", "choosing", "methods/skfr", "methods/choosing-k-and-s"),
    *("validation", "speed", "migrating-from-r", "command-line", "auto_examples/tumours"),
    "report/index",
)
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--hide-scrollbars",  # as on a phone
)
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the driver is here
UNFOLDING = 0.3
"""Seconds until what was unfolded lies where it stays."""
SHOWN = 20
"""Faults of a page that are printed."""


class Browser:
    """A session of ChromeDriver, by its protocol."""

    def __init__(self, port: str, profile: str) -> None:
        self.address = f"http://127.0.0.1:{port}/session"
        options = {"args": [*FLAGS, f"--user-data-dir={profile}"]}
        wanted = {
            "alwaysMatch": {"goog:chromeOptions": options, "timeouts": {"script": 100_000}}
        }
        self.address += "/" + self.call("", capabilities=wanted)["sessionId"]

    def call(self, command: str, method: str = "POST", **values: Any) -> Any:
        """What a command gives."""
        body = json.dumps(values).encode() if method == "POST" else None
        request = urllib.request.Request(
            self.address + command,
            body,
            {"Content-Type": "application/json"},
            method=method,
        )
        try:
            with OPENER.open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from error

    def tool(self, name: str, **values: Any) -> Any:
        """What a command of the developer tools gives."""
        return self.call("/goog/cdp/execute", cmd=name, params=values)

    def measure(self, address: str, width: int, picture: Path | None = None) -> list[str]:
        """The faults of a page at a width; a picture of it is kept if its path is given."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.tool("Emulation.setDeviceMetricsOverride", **size)
        self.call("/url", url=address)
        if picture is not None:
            shot = self.tool("Page.captureScreenshot", captureBeyondViewport=True)
            picture.write_bytes(base64.b64decode(shot["data"]))
        # Two scripts that return at once: the driver now and then loses the answer of one that waits.
        self.run(
            "document.querySelectorAll('details').forEach(element => { element.open = true; });"
        )
        time.sleep(UNFOLDING)
        faults: list[str] = self.run((DOCS / "check_layout.js").read_text(encoding="utf-8"))
        return faults

    def run(self, script: str) -> Any:
        """What a script returns in the page that is open."""
        return self.call("/execute/sync", script=script, args=[])


@contextmanager
def start_browser() -> Iterator[Browser]:
    """A browser without a window."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile,
        subprocess.Popen(
            ["chromedriver", "--port=0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as driver,
    ):
        try:
            said = re.compile(r"on port (\d+)\.$")
            assert driver.stdout is not None
            port = next(found[1] for line in driver.stdout if (found := said.search(line)))
            browser = Browser(port, profile)
            try:
                yield browser
            finally:
                browser.call("", "DELETE")
        finally:
            driver.terminate()


def check(folder: Path, pages: Sequence[str], pictures: Path | None) -> int:
    """Print the faults of all pages; how many there are."""
    n_faults = 0
    with start_browser() as browser:
        for page in pages:
            for width in WIDTHS:
                path = folder / f"{page}.html"
                picture = pictures and pictures / f"{page.replace('/', '-')}-{width}.png"
                faults = browser.measure(path.resolve().as_uri(), width, picture)
                n_faults += len(faults)
                for fault in faults[:SHOWN]:
                    print(f"{page}.html at {width}: {fault}")
                if len(faults) > SHOWN:
                    print(f"{page}.html at {width}: and {len(faults) - SHOWN} more")
    return n_faults


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the findings; the exit code is 1 if there are some."""
    parser = argparse.ArgumentParser(description="measure pages in a browser")
    parser.add_argument("pages", nargs="*", default=PAGES, help="default: twelve pages")
    parser.add_argument("--folder", type=Path, default=BUILT, help="default: docs/_build")
    parser.add_argument("--pictures", type=Path, help="folder for a picture of each page")
    options = parser.parse_args(arguments)
    n_views = len(options.pages) * len(WIDTHS)
    if shutil.which("chromedriver") is None:
        print(f"SKIPPED: layout of {n_views} views not measured: chromedriver is missing")
        return 0
    n_faults = check(options.folder, options.pages, options.pictures)
    print(f"layout of {n_views} views measured, {n_faults} faults")
    return 1 if n_faults else 0


if __name__ == "__main__":
    sys.exit(main())
