# SPDX-License-Identifier: BSD-3-Clause
"""The page in a browser: no script fails, and it is read, sorted, filtered and copied from."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Page as Tab
from report_pages import whole_document

from thalweg.pages.plain import Figure, Page, Section, Table
from thalweg.placement.advice import Advice
from thalweg.placement.advice_page import advice_page
from thalweg.report.page import page
from thalweg.report.run_report import read_report, report_of

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PATIENCE_MS = 60_000
WIDTHS = (390, 1280)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium: scripts/prepare chromium")
    with sync_playwright() as control:
        words = ["--no-sandbox"] if os.getuid() == 0 else []
        browser = control.chromium.launch(executable_path=CHROMIUM, args=words, timeout=PATIENCE_MS)
        yield browser
        browser.close()


class Opened:
    """A page as a user has it, and what its scripts complained of."""

    def __init__(self, browser: Browser, folder: Path, text: str, **context: Any) -> None:
        path = folder / "run.html"
        path.write_text(text)
        self.faults: list[str] = []
        self.context = browser.new_context(**context)
        self.page: Tab = self.context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda message: self.faults.append(message.text))
        self.page.on("request", lambda request: self._note(request.url))
        self.page.on("dialog", lambda dialog: self.faults.append(dialog.message))
        self.page.goto(path.as_uri())

    def _note(self, url: str) -> None:
        if not url.startswith(("file:", "data:")):
            self.faults.append(url)

    def column(self, number: int) -> list[str]:
        return self.page.locator(f"#sites tbody tr:not(.detail) td:nth-child({number})").all_inner_texts()

    def overflow(self) -> int:
        return int(self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


def text_of(folder: Path, before: dict[str, Any] | None = None, **changes: Any) -> str:
    path = folder / "run.json"
    path.write_text(json.dumps(whole_document(**changes)))
    return page(read_report(str(path)), "run.json", report_of(before) if before else None)


def test_a_page_is_read_and_sorted(browser: Browser, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path, text_of(tmp_path))
    for text in ("Who is late", "Who talks to whom", "Over time", "Learned and tuned", "slurm job 4711 flow"):
        assert opened.page.get_by_text(text).first.is_visible()
    calls = opened.column(1)
    assert calls[0] == "Allreduce"
    opened.page.get_by_role("button", name="call", exact=True).click()
    assert opened.column(1) == sorted(calls)
    opened.page.get_by_role("button", name="call", exact=True).press("Enter")
    assert opened.column(1) == sorted(calls, reverse=True)
    assert opened.page.locator("#sites th").first.get_attribute("aria-sort") == "descending"
    assert opened.faults == []


def test_a_place_unfolds_and_a_rank_filters(browser: Browser, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path, text_of(tmp_path))
    detail = opened.page.locator("#site0")
    assert not detail.is_visible()
    opened.page.locator("#sites .more").first.press("Enter")
    assert detail.is_visible() and "What the alternatives took" in detail.inner_text()
    opened.page.get_by_role("button", name="rank 0", exact=True).click()
    shown = opened.page.locator("#sites tbody:visible")
    assert [part.split()[0] for part in shown.evaluate_all("all => all.map(one => one.dataset.last)")] == ["0"]
    opened.page.get_by_role("button", name="Show all").click()
    assert shown.count() == 5
    assert opened.faults == []


def test_a_command_is_copied_or_selected(browser: Browser, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path, text_of(tmp_path))
    opened.page.get_by_role("button", name="Copy the command").first.click()
    opened.page.wait_for_function("document.querySelector('.copy').textContent !== 'Copy'")
    assert opened.page.evaluate("getSelection().toString()") == "thalweg tune --for run.json"
    assert opened.faults == []


def test_a_matrix_says_what_the_pointer_is_on(browser: Browser, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path, text_of(tmp_path))
    picture = opened.page.locator("svg[data-cells]").first
    box = picture.bounding_box()
    assert box is not None
    picture.hover(position={"x": box["width"] * 1.5 / 16, "y": box["height"] * 0.5 / 16})
    assert opened.page.locator(".readout").first.inner_text() == "rank 0 to rank 1: 6 GiB in 4,000 messages"
    assert opened.faults == []


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_screen(browser: Browser, tmp_path: Path, width: int) -> None:
    """Also of 10,000 ranks, before and after, in the dark, with everything unfolded."""
    before = whole_document(10_000, 64, wall_ns=80e9)
    text = text_of(tmp_path, before, rank_count=10_000, ranks_per_node=64)
    assert len(text) < 2 << 20
    view = {"width": width, "height": 800}
    opened = Opened(browser, tmp_path, text, viewport=view, color_scheme="dark")
    for summary in opened.page.locator("summary").all():
        summary.click()
    for button in opened.page.locator("#sites .more").all():
        button.click()
    assert opened.page.get_by_text("Before and after").first.is_visible()
    assert opened.overflow() <= 0
    assert opened.faults == []


def test_names_are_never_code(browser: Browser, tmp_path: Path) -> None:
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(2)>'\"&{{7*7}}"
    document = whole_document()
    sites = [
        site | {"source": f"{hostile}:1 ({hostile})", "within": hostile, "function": hostile, "file": hostile}
        for site in document["calls"]
    ]
    picks = [document["picks"][0] | {"strategy": hostile, "operation": hostile, "source": hostile}]
    text = text_of(tmp_path, calls=sites, picks=picks, command=["./a", hostile], user=hostile, learned=[])
    opened = Opened(browser, tmp_path, text)
    assert hostile in opened.page.locator("h1").inner_text().replace("'\"'\"'", "'")
    assert opened.page.locator("script").count() == 1
    assert opened.page.locator("img").count() == 0
    assert opened.faults == []


def test_a_table_of_an_answer_is_sorted(browser: Browser, tmp_path: Path) -> None:
    rows = [(name, Figure(value, f"{value} us")) for name, value in (("b", 9.0), ("a", 10.0), ("c", 2.0))]
    answer = Page("answer", "allreduce", sections=[Section("Rows", table=Table(("name", "time"), rows))])
    opened = Opened(browser, tmp_path, answer.text())
    cells = opened.page.locator("tbody td:first-child")
    assert cells.all_inner_texts() == ["b", "a", "c"]
    opened.page.get_by_role("button", name="time").click()
    assert cells.all_inner_texts() == ["a", "b", "c"]
    opened.page.get_by_role("button", name="time").click()
    assert cells.all_inner_texts() == ["c", "b", "a"]
    assert opened.faults == []


@pytest.mark.parametrize("width", [360, 1200])
def test_advice_fits_the_screen_and_is_sorted(browser: Browser, tmp_path: Path, width: int) -> None:
    found = [Advice(f"{side}x1", side, 1, 0, side * 1e-3, side * 2e-3, 1.5, 2e6, "(0,0)+x") for side in (2, 4, 9)]
    opened = Opened(browser, tmp_path, advice_page(found, "halo.mtx", "torus:9x9"))
    opened.page.set_viewport_size({"width": width, "height": 800})
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.page.get_by_role("button", name="nodes").click()
    assert opened.page.locator("tbody td:first-child").all_inner_texts() == ["9x1", "4x1", "2x1"]
    assert opened.faults == []


def test_a_page_without_scripts_shows_everything(browser: Browser, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path, text_of(tmp_path), java_script_enabled=False)
    assert opened.page.locator("#site0").is_visible()
    assert not opened.page.locator(".copy").first.is_visible()
