"""Opens a page in Chromium and holds it to what a reader needs; see scripts/check-page."""

import os
import pathlib
import sys

from playwright.sync_api import sync_playwright

SIZES = {"phone": (390, 844), "desk": (1280, 900)}
THEMES = ("light", "dark")

# Faults that a look at the page must find, by a word of what it says then.
PLANTED = {
    "wide, in a window of": "document.body.style.width = '2000px'",
    "letters of": "document.querySelector('td').style.fontSize = '8px'",
    "contrast of": "document.querySelector('p').style.color = 'rgb(128 128 128 / 30%)'",
    "lies on": "document.querySelectorAll('svg .value').forEach(text => text.setAttribute('x', 90))",
    "hangs out of \"": "document.querySelector('svg .title').setAttribute('x', 400)",
    "hangs out of its cell": "document.querySelector('.heat td').append('m'.repeat(300))",
    "asks for": "document.body.append(Object.assign(new Image(), {src: 'elsewhere.png'}))",
    "says": "console.log('here I am')",
}


def check(browser, page_file, name, theme, screenshots=None, planted=None):
    """Everything that is wrong in one size and theme, how many texts were seen, and the background."""
    width, height = SIZES[name]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
    tab = context.new_page()
    wrong = []
    address = page_file.resolve().as_uri()
    tab.on("request", lambda request: wrong.append(f"asks for {request.url}") if request.url != address else None)
    tab.on("console", lambda message: wrong.append(f"says {message.text}"))
    tab.on("pageerror", lambda error: wrong.append(f"fails: {error}"))
    tab.goto(address)
    if screenshots:
        tab.screenshot(path=screenshots / f"{page_file.stem}-{name}-{theme}.png", full_page=True)
    tab.evaluate("document.querySelectorAll('details').forEach(part => part.open = true)")
    if screenshots:
        tab.screenshot(path=screenshots / f"{page_file.stem}-{name}-{theme}-open.png", full_page=True)
    if planted:
        tab.evaluate(planted)
        tab.wait_for_load_state("networkidle")
    script = pathlib.Path(__file__).with_name("check.js").read_text()
    found, seen = tab.evaluate(script)
    background = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    context.close()
    return wrong + found, seen, background


def main():
    page_file = pathlib.Path(sys.argv[1])
    screenshots = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    if screenshots:
        screenshots.mkdir(parents=True, exist_ok=True)
    wrong, backgrounds = [], {}
    with sync_playwright() as playwright:
        # A container's root has no sandbox; the page is our own.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=arguments)
        for name in SIZES:
            for theme in THEMES:
                found, seen, backgrounds[theme] = check(browser, page_file, name, theme, screenshots)
                wrong += [f"{name}, {theme}: {what}" for what in found]
        for word, fault in PLANTED.items():
            found, *_ = check(browser, page_file, "phone", "light", planted=f"{{ {fault} }}")
            if not any(word in what for what in found):
                wrong.append(f"a planted fault was not found: {fault}")
        browser.close()
    if backgrounds["light"] == backgrounds["dark"]:
        wrong.append("light and dark look the same")
    if seen < 100:
        wrong.append(f"only {seen} texts: that is no report")
    for what in wrong[:40]:
        print(f"check-page: {what}")
    if wrong:
        print(f"check-page: FAILED: {len(wrong)} things in {page_file.name}")
        sys.exit(1)
    print(f"check-page: ok: {page_file.name}, {seen} texts, 2 sizes, 2 themes, {len(PLANTED)} planted faults found")


main()
