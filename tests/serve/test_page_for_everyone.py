"""The page on a phone, by keyboard, in light and dark, with a token, and how much of it there is to load."""

import pytest
from axe import fetch, troubles
from browser import drop, opened, settled
from running_service import InThread

from anylens.serve.settings import Settings

OVERFLOWING = """() => {
    const scrolls = (e) => e && (getComputedStyle(e).overflowX !== "visible" || scrolls(e.parentElement));
    return [...document.querySelectorAll("body *")].filter((e) => {
        const box = e.getBoundingClientRect();
        return box.width > 1 && box.right > innerWidth + 1 && !scrolls(e.parentElement);
    }).map((e) => e.outerHTML.slice(0, 80));
}"""


def walk(page, photos, each):
    """Every state of the page: empty, several photos as one camera, undistorted, an error."""
    page.wait_for_selector("body[data-ready]")
    each("welcome")
    drop(page, ("a rather long name of a photo, as telephones like to give them.jpg", photos["room"]),
         ("2.jpg", photos["fisheye"]))  # fmt: skip
    page.check("#together")
    page.wait_for_selector("#shared-dfov")
    settled(page)
    page.click("#ranking summary")
    page.check("#models input[value='kb:4']")
    page.wait_for_selector("#fitted-model:text-is('kb:4')")
    page.fill("#k-cx", "what")
    page.wait_for_selector("#known-trouble", state="visible")
    page.click("[data-format=opencv]")
    page.wait_for_selector("#export-note", state="visible")
    each("result")
    page.fill("#k-cx", "")
    page.click("#see-straight")
    each("undistorted")
    drop(page, ("diary.jpg", b"Dear diary"))
    page.click(".thumb.failed")
    each("error")


@pytest.mark.parametrize("width", [320, 375])
def test_nothing_overflows_on_narrow_screens(browser, service, photos, width):
    found, widths = {}, {}
    with opened(browser, service.url, width=width, height=700, quiet=False) as page:

        def look(state):
            found[state] = page.evaluate(OVERFLOWING)
            widths[state] = page.evaluate("document.documentElement.scrollWidth")

        walk(page, photos, look)
    assert found == {state: [] for state in ("welcome", "result", "undistorted", "error")}
    assert max(widths.values()) <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser, service, photos, scheme):
    script, found = fetch(), []
    with opened(browser, service.url, scheme=scheme, quiet=False) as page:
        walk(page, photos, lambda state: found.extend((state, *one) for one in troubles(page, script)))
    with opened(browser, service.url, path="/api", scheme=scheme) as page:
        page.wait_for_selector("#paths section")
        found.extend(("api", *one) for one in troubles(page, script))
    assert found == []


def test_the_keyboard_is_enough(browser, service):
    with opened(browser, service.url) as page:
        page.wait_for_selector("body[data-ready]")
        page.focus("[data-example=room]")
        page.keyboard.press("Enter")
        page.wait_for_selector("#fitted-model")
        page.focus("#models input:checked")
        page.keyboard.press("ArrowRight")
        page.wait_for_selector("#fitted-model:text-is('pinhole')")
        page.focus("#see-straight")
        page.keyboard.press("Space")
        page.focus("#wipe-at")
        page.keyboard.press("End")
        assert page.input_value("#wipe-at") == "100"


def test_a_token_is_asked_for_once(browser, room):
    with InThread(Settings(token="secret")) as guarded, opened(browser, guarded.url, quiet=False) as page:
        page.wait_for_selector("#token-dialog", state="visible")
        page.fill("#token", "wrong")
        page.keyboard.press("Enter")
        page.wait_for_selector("#token-dialog", state="visible")
        page.fill("#token", "secret")
        page.keyboard.press("Enter")
        drop(page, ("room.jpg", room))
        assert page.inner_text("#hfov").endswith("°")
        page.reload()
        page.wait_for_selector("body[data-ready]")


def test_the_page_is_light(browser, service):
    """All that a first visit loads, the pictures of the examples too."""
    with opened(browser, "about:blank", path="", quiet=False) as page:
        sizes = []
        page.on("response", lambda answer: sizes.append(len(answer.body())))
        page.goto(service.url)
        page.wait_for_selector("body[data-ready]")
        page.wait_for_load_state("networkidle")
        page.asked.clear()
    assert len(sizes) > 15
    assert sum(sizes) < 300_000
    print(f"page weight: {sum(sizes) / 1000:.0f} KB")
