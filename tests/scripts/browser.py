"""A headless Chromium for the tests of the report's page, driven by selenium. None is downloaded."""

import json
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

WIDTHS = (1400, 1200, 720, 400)
SCHEMES = ("light", "dark")

# What is wider than the window, in the page's own words; tables may be, where they scroll by themselves.
TOO_WIDE = """
  const most = window.innerWidth + 0.5, found = [];
  if (document.documentElement.scrollWidth > most) found.push('the page: ' + document.documentElement.scrollWidth);
  for (const one of document.body.querySelectorAll('*')) {
    if (one.closest('svg') && one.tagName !== 'svg') continue;
    const scrolled = one.closest('.scroll');
    if (scrolled && one !== scrolled) continue;
    const box = one.getBoundingClientRect();
    if (box.width && (box.right > most || box.left < -0.5))
      found.push(one.tagName + ' ' + (one.className.baseVal ?? one.className) + ': ' + one.textContent.trim().slice(0, 60));
  }
  return found;"""
# Figures that do not show exactly one drawing, in the page and with a size; and texts that a drawing cuts off.
BAD_PICTURES = """
  const found = [];
  for (const figure of document.querySelectorAll('figure')) {
    const shown = [...figure.querySelectorAll('svg')].filter(one => getComputedStyle(one).display !== 'none');
    const name = figure.querySelector('svg').getAttribute('aria-label').slice(0, 40);
    if (shown.length !== 1) { found.push(name + ': ' + shown.length + ' drawings'); continue; }
    const box = shown[0].getBoundingClientRect();
    if (box.width < 200 || box.height < 80 || box.left < 0 || box.right > window.innerWidth + 0.5)
      found.push(name + ': ' + JSON.stringify(box));
    for (const text of shown[0].querySelectorAll('text')) {
      const words = text.getBoundingClientRect();
      if (words.width && (words.right > box.right + 3 || words.left < box.left - 3 || words.bottom > box.bottom + 3))
        found.push(name + ': cuts off "' + text.textContent.trim() + '"');
    }
  }
  return found;"""
# Cells that are cut off, or that one must scroll to see.
CLIPPED = """
  const found = [];
  for (const cell of document.querySelectorAll('td, th')) {
    const box = cell.getBoundingClientRect(), around = cell.closest('.scroll').getBoundingClientRect();
    const most = Math.min(around.right, window.innerWidth) + 0.5;
    if (box.width && (cell.scrollWidth > cell.clientWidth + 1 || box.right > most || box.left < around.left - 0.5))
      found.push(cell.tagName + ': ' + cell.textContent.trim().slice(0, 60));
  }
  return found;"""
# Of each row of several cells those that stand left of or above all others but its name, by their headings.
FIRST_CELLS = """
  const found = new Set();
  for (const row of document.querySelectorAll('.cards tbody tr:not(.group)')) {
    const cells = [...row.cells].slice(1).map(cell => [cell.getBoundingClientRect(), cell.dataset.label]);
    cells.sort((a, b) => Math.abs(a[0].top - b[0].top) > 2 ? a[0].top - b[0].top : a[0].left - b[0].left);
    found.add(cells.slice(0, 2).map(cell => cell[1]).join(' | '));
  }
  return [...found];"""
FIGURES = "return document.querySelectorAll('figure').length"
OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true"


class Browser:
    """One Chromium for several pages."""

    def __init__(self) -> None:
        webdriver = pytest.importorskip("selenium.webdriver", reason="the Python module selenium is missing (.ci/run brings it)")
        service = pytest.importorskip("selenium.webdriver.chrome.service")
        program, driver = shutil.which("chromium"), shutil.which("chromedriver")
        if not program or not driver:
            pytest.skip("Chromium or its driver is missing (Debian's packages chromium and chromium-driver; .ci/run brings them)")
        try:
            socket.getaddrinfo("localhost", None)
        except OSError:
            pytest.skip("localhost has no address here, where the browser's driver listens (/etc/hosts: 127.0.0.1 localhost)")
        options = webdriver.ChromeOptions()
        options.binary_location = program
        # The sandbox cannot be had in a container or by root, and the page is our own.
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=service.Service(driver))

    def open(self, page: Path, width: int, scheme: str) -> None:
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
        for log in ("browser", "performance"):
            self.driver.get_log(log)
        self.driver.get(page.as_uri())
        self.ask(OPEN_ALL)

    def ask(self, script: str) -> Any:
        return self.driver.execute_script(script)

    def console(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [message["params"]["request"]["url"] for message in messages if message["method"] == "Network.requestWillBeSent"]

    def colour(self, what: str, property_: str) -> str:
        return self.ask(f"return getComputedStyle(document.querySelector('{what}')).{property_}")

    def close(self) -> None:
        self.driver.quit()
