#!/usr/bin/env python3
"""The page that `forestgomp trace -o` writes, in headless Chromium: its DOM is complete, no script fails, and it can be
stepped.

Usage: tests/page/test_page.py BUILD [--keep FOLDER]. Each test prints "PASS name" or "FAIL name: why". Without Chromium
there is one line MISSING. --keep leaves the pages and pictures of them in FOLDER."""
import argparse
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from made_trace import region, trace  # noqa: E402
from testing import BUILD, LIMIT, clean_environment, expect, run, tests_of  # noqa: E402

PROGRAM = r"""
#include <omp.h>
#include <stdlib.h>
static void burn(long n) { for (volatile long i = 0; i < n; i++); }
static void leaf(int weight) {
#pragma omp parallel for num_threads(4) schedule(dynamic, 1)
for (int i = 0; i < 8; i++) burn(3000L * weight * (1 + i % 3)); }
static void zone(int z) {
#pragma omp parallel num_threads(2)
{ burn(4000); leaf(1 + z % 4);
#pragma omp barrier
leaf(2); } }
static void tasks(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
for (int i = 0; i < 40; i++)
#pragma omp task
burn(2000); }
static void flat(void) {
#pragma omp parallel num_threads(2)
burn(5000); }
int main(int argc, char **argv) {
omp_set_max_active_levels(4);
flat();
if (argc > 1 && *argv[1] == 'f') return 0;
if (argc > 1 && *argv[1] == 'b') {
#pragma omp parallel num_threads(16)
{ leaf(1); zone(omp_get_thread_num()); }
return 0; }
#pragma omp parallel for num_threads(4) schedule(dynamic, 1)
for (int z = 0; z < 8; z++) zone(z);
tasks();
return 0; }
"""
# Plays a user, and puts all that it saw into the DOM.
DRIVER = """<script>
(() => {
	const seen = {}, $ = (id) => document.getElementById(id), said = () => $("said").textContent;
	const key = (name) => document.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
	const mouse = (kind, x, y, more) => $("canvas").dispatchEvent(new (kind === "wheel" ? WheelEvent : PointerEvent)(kind, Object.assign({ clientX: x, clientY: y, pointerId: 1, bubbles: true, cancelable: true }, more)));
	const steps = [];
	const errors = Number(document.body.dataset.errors);
	HTMLElement.prototype.setPointerCapture = () => {};
	seen.start = [Number(document.body.dataset.step), said()];
	key("Home");
	for (let i = 0; i < 12; i++) { $("next").click(); steps.push([document.body.dataset.step, said()]); }
	key("."); steps.push([document.body.dataset.step, said()]);
	key(","); $("previous").click(); steps.push([document.body.dataset.step, said()]);
	seen.steps = steps;
	$("stops").value = "queues"; $("stops").onchange(); $("next").click();
	seen.queues = said();
	$("stops").value = "decisions"; go(0); $("next").click();
	seen.decision = [said(), document.querySelectorAll("#said .why").length];
	$("stops").value = "all";
	seen.reasons = [...document.querySelectorAll("#reasons tr")].map((row) => [...row.children].map((cell) => cell.textContent));
	listDecisions();
	seen.list = [...document.querySelectorAll("#decisions button")].map((entry) => entry.textContent);
	let free = 0; for (let i = 0; i <= 400; i++) { go(Math.round(i * shown.moves.n / 400)); free = Math.max(free, document.querySelectorAll(".pill.free").length); }
	seen.free = free;
	if (seen.list.length) { const entry = document.querySelectorAll("#decisions button")[0], text = entry.textContent; entry.click(); seen.chosen = [text, said()]; }
	$("seek").value = $("seek").max; $("seek").oninput();
	seen.last = [document.body.dataset.step, said()];
	seen.left = document.querySelectorAll(".pill").length + [...document.querySelectorAll(".runs")].filter((r) => r.textContent !== "idle").length;
	let pills = 0, running = 0, most = Number($("seek").max);
	for (let i = 0; i <= 400; i++) { go(Math.round(i * most / 400)); pills = Math.max(pills, document.querySelectorAll(".pill.bubble").length); running = Math.max(running, [...document.querySelectorAll(".runs")].filter((r) => r.textContent !== "idle").length); }
	seen.pills = pills; seen.running = running;
	go(7); const there = $("forest").innerHTML; go(most); go(7);
	seen.again = there === $("forest").innerHTML;
	const ways = [], plain = (s) => JSON.stringify(s, (_, value) => value instanceof Map ? [...value] : value instanceof Set ? null : value);
	const kept = shown.kept; shown.kept = null; state = null; KEPT = 16;
	for (let k = 0; k <= most; k += 1 + Math.floor(most / 150)) ways.push([k, plain(stateAt(k))]);
	const others = () => ways.filter(([k, walked]) => plain(stateAt(k)) !== walked).map(([k]) => k);
	seen.ways = [ways.length, ways.reverse() && others(), ways.sort((a, b) => a[0] * 7919 % 263 - b[0] * 7919 % 263) && others()];
	shown.kept = null; state = null; seen.ways.push(others()); while (shown.kept.length * KEPT <= most) keepCopies(); state = null;
	seen.ways.push(others()); seen.copies = [shown.kept.length, Math.floor(most / KEPT) + 1]; shown.kept = kept; state = null; KEPT = 4096;
	key("Home"); seen.home = document.body.dataset.step;
	drawNow(); seen.view = [$("canvas").dataset.view];
	const note = () => { drawNow(); seen.view.push($("canvas").dataset.view); };
	key("+"); note(); key("ArrowRight"); note(); $("zoom-out").click(); $("zoom-out").click(); note();
	const box = $("canvas").getBoundingClientRect();
	mouse("wheel", box.left + 200, box.top + 30, { deltaY: -200 }); note(); key("0"); note();
	mouse("pointerdown", box.left + 300, box.top + 40); mouse("pointerup", box.left + 300, box.top + 40);
	seen.click = document.body.dataset.step;
	for (let x = 2; x < box.width && $("tip").style.display !== "block"; x += 2) mouse("pointermove", box.left + x, box.top + 30);
	seen.tip = $("tip").textContent;
	mouse("pointerleave", 0, 0);
	$("colour-by").value = "depth"; $("colour-by").onchange(); seen.depth = $("legend").textContent;
	$("colour-by").value = "region"; $("colour-by").onchange(); seen.region = $("legend").textContent;
	$("theme").click(); $("theme").click();
	document.querySelectorAll("#regions th")[1].click(); seen.sorted = [...document.querySelectorAll("#regions tr td:nth-child(2)")].map((c) => c.textContent);
	for (let i = 0; i < 30; i++) for (const d of document.querySelectorAll("#tree details")) { d.open = true; d.fill(); }
	seen.tree = $("tree").textContent;
	$("play").click(); seen.playing = $("play").textContent; $("play").click();
	$("search").value = "leaf"; $("search").oninput(); seen.found = [$("found").textContent, shown.bubbles.filter((b) => b.hit).every((b) => b.label === "leaf")];
	go(0); nextHit(1); seen.hit = [$("found").textContent, $("canvas").dataset.view];
	$("search").value = ""; $("search").oninput();
	$("gap").click(); drawNow(); seen.gaps = [[$("gap-said").textContent, gap.to - gap.from]]; key("g"); drawNow(); seen.gaps.push([$("gap-said").textContent, gap.to - gap.from]);
	show(windowFrom, windowTo); drawNow();
	seen.rows = [...document.querySelectorAll("#rows > *")].map((row) => row.textContent);
	seen.overview = shown.model.overview.length;
	const swatches = (host) => Object.fromEntries([...document.querySelectorAll(host + " li")].map((item) => [item.textContent, item.querySelector(".swatch").style.background]));
	seen.colours = [swatches("#legend"), swatches("#where-legend"), Object.fromEntries([...document.querySelectorAll("#regions td:first-child")].map((cell) => [cell.title, cell.querySelector(".swatch").style.background]))];
	seen.tipHidden = (go(3), $("tip").style.display);
	const times = []; go(10); for (let i = 0; i < 60; i++) { const at = performance.now(); by(1); document.body.offsetHeight; times.push(performance.now() - at); }
	seen.step = times.sort((a, b) => a - b)[30];
	seen.errors = Number(document.body.dataset.errors) - errors;
	const out = document.createElement("pre"); out.id = "driver"; out.textContent = JSON.stringify(seen); document.body.append(out);
})();
</script>"""

# Looks at the row of grants, and at rows of PUs, at four times.
GRANTS = """<script>
(() => {
	const seen = {}, ratio = canvas.width / width, row = rows.find((row) => row.grants);
	drawNow();
	const at = (row, ms, share) => [...context.getImageData(Math.round(toX(ms * 1e6) * ratio), Math.round((row.top + row.height * share) * ratio), 1, 1).data].slice(0, 3).map((c) => c.toString(16).padStart(2, "0")).join("");
	const kinds = new Map([["card", colour("--card")], ["free", colour("--free")], ["first", paints[processPaint(processes[0])]], ["second", paints[processPaint(processes[1])]]]);
	const named = (pixel) => ([...kinds].find(([, value]) => value === "#" + pixel) || [pixel])[0];
	seen.strip = [1.1, 3.1, 5.1, 7.1].map((ms) => [0.75, 0.25].map((share) => named(at(row, ms, share))));
	seen.pus = rows.filter((row) => row.os !== undefined).map((row) => [1.1, 3.1, 5.1, 7.1].map((ms) => named(at(row, ms, 0.5))));
	const box = canvas.getBoundingClientRect(), tips = (ms) => { canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + toX(ms * 1e6), clientY: box.top + row.top + 20, bubbles: true })); return $("tip").textContent; };
	seen.tips = [1.1, 3.1, 7.1].map(tips);
	seen.labels = [...document.querySelectorAll("#rows > *")].map((label) => label.textContent);
	seen.swatches = [...document.querySelectorAll("#rows .swatch")].length;
	seen.most = [row.n, row.most];
	seen.facts = $("facts").textContent;
	seen.legend = $("legend").textContent;
	HTMLElement.prototype.setPointerCapture = () => {};
	for (const kind of ["pointerdown", "pointerup"]) canvas.dispatchEvent(new PointerEvent(kind, { clientX: box.left + 300, clientY: box.top + row.top + 20, pointerId: 1, bubbles: true }));
	$("gap").click(); seen.gap = $("gap-said").textContent;
	seen.errors = Number(document.body.dataset.errors);
	const out = document.createElement("pre"); out.id = "driver"; out.textContent = JSON.stringify(seen); document.body.append(out);
})();
</script>"""

# Looks at all texts of a page in a frame. A text is whole if no ancestor that hides its overflow ends within it.
LAYOUT = """<!DOCTYPE html><body style="margin:0"><iframe id="frame" src="PAGE" style="border:0;width:WIDTHpx;height:1000px"></iframe><script>
document.getElementById("frame").onload = () => setTimeout(() => {
	const frame = document.getElementById("frame").contentWindow, page = frame.document, texts = [], faults = [];
	const walker = page.createTreeWalker(page.querySelector("main"), 4);
	while (walker.nextNode()) {
		const node = walker.currentNode, range = page.createRange();
		if (!node.textContent.trim() || node.parentElement.closest("select, script, #decisions") || frame.getComputedStyle(node.parentElement).visibility === "hidden") continue;
		range.selectNodeContents(node);
		for (const box of range.getClientRects()) if (box.width > 1 && box.height > 1) texts.push({ box, text: node.textContent.trim().slice(0, 60), node });
	}
	for (const { box, text, node } of texts) {
		if (box.right > WIDTH + 1 || box.left < -1) faults.push("leaves the page: " + text);
		for (let above = node.parentElement; above; above = above.parentElement) {
			const edge = above.getBoundingClientRect(), box_of = /pu|level|row|pill|runs|card/.test(above.className);
			if ((frame.getComputedStyle(above).overflowX !== "visible" || box_of) && (box.right > edge.right + 1.5 || box.left < edge.left - 1.5)) { faults.push("cut by " + (above.id || above.className) + ": " + text); break; }
		}
	}
	texts.sort((a, b) => a.box.top - b.box.top);
	for (let i = 0; i < texts.length; i++) for (let j = i + 1; j < texts.length && texts[j].box.top < texts[i].box.bottom - 2; j++) {
		const a = texts[i].box, b = texts[j].box;
		if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5 && Math.min(a.bottom, b.bottom) - b.top > 4) faults.push("overlap: " + texts[i].text + " | " + texts[j].text);
	}
	const out = document.createElement("pre"); out.id = "found";
	out.textContent = JSON.stringify({ texts: texts.length, faults: faults.slice(0, 12), ready: page.body.dataset.ready, errors: page.body.dataset.errors,
		folders: page.querySelectorAll(".row.folder").length, wide: page.documentElement.scrollWidth });
	document.body.append(out);
}, 300);
</script></body>"""


def browser():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Page:
    def __init__(self, folder, build, chromium):
        self.folder, self.command, self.chromium = folder, build / "bin" / "forestgomp", chromium
        self.program = folder / "program"
        self.program.with_suffix(".c").write_text(PROGRAM)
        subprocess.run(["gcc", "-fopenmp", "-O1", self.program.with_suffix(".c"), "-o", self.program], check=True, timeout=LIMIT)

    def write(self, name, *arguments, options=()):
        trace, page = self.folder / (name + ".fgt"), self.folder / (name + ".html")
        subprocess.run([self.command, "run", "--trace", trace, self.program, *arguments], check=True, timeout=LIMIT, env=clean_environment())
        subprocess.run([self.command, "trace", trace, "-o", page, *options], check=True, timeout=LIMIT, env=clean_environment())
        return page

    def simulated(self, name, policy, machine="numa:4 core:4", arguments=()):
        """The page of a run on a simulated machine."""
        trace, page = self.folder / (name + ".fgt"), self.folder / (name + ".html")
        subprocess.run([self.command, "sim", "-m", machine, "--given", "--no-baseline", "--sched", policy, self.program, *arguments], check=True, timeout=LIMIT,
                       stdout=subprocess.DEVNULL, env={**clean_environment(), "FGOMP_TRACE": str(trace)})
        subprocess.run([self.command, "trace", trace, "-o", page], check=True, timeout=LIMIT, env=clean_environment())
        return page

    def call(self, *words):
        with tempfile.TemporaryDirectory() as profile:
            return subprocess.run([self.chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                                   "--hide-scrollbars", f"--user-data-dir={profile}", "--window-size=1280,1700",
                                   "--virtual-time-budget=8000", *words], capture_output=True, text=True, timeout=LIMIT,
                                  env={**clean_environment(), "HOME": profile}, check=True).stdout

    def dom(self, page):
        return self.call("--dump-dom", page.as_uri())

    def laid_out(self, page, width, theme):
        """The page's texts that are cut, leave the page or lie on one another, in a frame so wide."""
        framed, copy = page.with_name("framed.html"), page.with_name("in-frame.html")
        copy.write_text(page.read_text().replace('<html lang="en">', f'<html lang="en" data-theme="{theme}">'))
        framed.write_text(LAYOUT.replace("WIDTH", str(width)).replace("PAGE", copy.name))
        dom = self.call("--allow-file-access-from-files", "--dump-dom", framed.as_uri())
        found = re.search(r'<pre id="found">(.*?)</pre>', dom, re.S)
        expect(found, "the layout was not looked at")
        return json.loads(html.unescape(found.group(1)))

    def driven(self, page, driver=DRIVER):
        copy = page.with_name(page.stem + "-driven.html")
        copy.write_text(page.read_text().replace("</body>", driver + "</body>"))
        dom = self.dom(copy)
        found = re.search(r'<pre id="driver">(.*?)</pre>', dom, re.S)
        expect(found, "the driver did not come to its end: " + note_of(dom))
        return dom, json.loads(html.unescape(found.group(1)))


def note_of(dom):
    found = re.search(r'id="note">(.*?)</p>', dom, re.S)
    return found.group(1) if found else "no page"


def no_error(dom):
    expect('data-ready="1"' in dom, "the script did not come to its end: " + note_of(dom))
    expect('data-errors="0"' in dom, note_of(dom))


def test_holds_what_it_must(page):
    dom = page.dom(page.write("nested"))
    no_error(dom)
    for text in ("Time line", "The tree of bubbles", "Who ran where", "leaf", "zone", "tasks", "flat", "machine", "PU 0", "regions met"):
        expect(text in dom, f"{text!r} is not there")
    cells = [re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<td.*?</td>", dom, re.S)]
    at = next(i for i, cell in enumerate(cells) if cell.startswith("leaf"))
    expect(cells[at + 1:at + 3] == ["32", "4"], f"calls and threads of leaf: {cells[at:at + 3]}")
    expect(dom.count('class="bar"') >= 2, "bars of who ran where")


def test_needs_no_network(page):
    text = page.write("alone").read_text()
    expect(not re.search(r"https?:|//cdn|@import|<link|<img|\bsrc=|fetch\(|XMLHttpRequest", text), "it asks for something")


def test_can_be_stepped(page):
    dom, seen = page.driven(page.write("stepped"))
    no_error(dom)
    expect(seen["errors"] == 0, "errors of the script")
    expect(seen["start"][0] > 0 and "runqueue" in seen["start"][1], str(seen["start"]))
    expect([step for step, _ in seen["steps"]] == [str(n) for n in range(1, 13)] + ["13", "11"], str(seen["steps"]))
    expect(len({said for _, said in seen["steps"]}) >= 10 and seen["steps"][10] == seen["steps"][13], "sentences")
    expect("meets the region flat #1" in seen["steps"][0][1], seen["steps"][0][1])
    expect(re.search("runqueue|steal|lent|preempted|may go on", seen["queues"]), seen["queues"])
    expect(int(seen["last"][0]) > 100 and "tasks" in seen["last"][1], str(seen["last"]))
    expect(seen["pills"] >= 2 and seen["running"] >= 1, f"{seen['pills']} pills, {seen['running']} PUs")
    expect(seen["left"] == 0, f"{seen['left']} are left when all is over")
    expect(seen["again"] and seen["home"] == "0", "a step is the same whence it is come to")
    expect(seen["ways"][0] >= 75 and seen["ways"][1:] == [[], [], [], []], f"steps that are not the same backwards, in disorder, or with copies: {seen['ways']}")
    expect(seen["copies"][0] == seen["copies"][1] > 5, f"copies of the state: {seen['copies']}")


def test_answers_to_the_hand(page):
    _, seen = page.driven(page.write("hand"))
    views = [tuple(map(int, view.split("-"))) for view in seen["view"]]
    spans = [to - start for start, to in views]
    expect(len(views) == 6, str(views))
    expect(abs(spans[1] - spans[0] / 2) < 3 and views[2][0] > views[1][0] and abs(spans[2] - spans[1]) < 3, str(views))
    expect(spans[3] == spans[0] and spans[4] < spans[3] and views[5] == views[0], str(views))
    expect(int(seen["click"]) > 0, "a click sets the moment")
    expect(re.search(r"member \d+ of \d.*does(runs|waits).*for[\d.]+ (ns|µs|ms)", seen["tip"]), seen["tip"])
    expect("depth 1" in seen["depth"] and "leaf" in seen["region"], seen["depth"] + seen["region"])
    expect(seen["sorted"] == sorted(seen["sorted"], key=int, reverse=True), str(seen["sorted"]))
    expect("met by member 1" in seen["tree"] and seen["tree"].count("leaf #") == 32, "the whole tree")
    expect(seen["playing"] == "pause", "play")


def test_tells_decisions(page):
    """Under `affinity` all is decided: the list, the step, the table, and the members that lie by themselves."""
    dom, seen = page.driven(page.simulated("decided", "affinity"))
    no_error(dom)
    expect(seen["errors"] == 0, "errors of the script")
    expect(seen["decision"][1] == 1 and "affinity, place" in seen["decision"][0], str(seen["decision"]))
    expect(seen["reasons"][0][:3] == ["policy", "function", "event"] and
           any(row[:3] == ["affinity", "born", "place"] and row[4] == "an equal share for each part, in order" for row in seen["reasons"]), str(seen["reasons"]))
    expect(len(seen["list"]) > 10 and any("is burst" in entry for entry in seen["list"]), str(seen["list"][:5]))
    expect(seen["chosen"][0] == seen["chosen"][1], str(seen["chosen"]))
    expect(seen["free"] > 0, "no member lies by itself")


def test_small_ones(page):
    """One flat region only; a window without events; a part of the time."""
    no_error(page.dom(page.write("flat", "flat")))
    trace = page.folder / "flat.fgt"
    for options, words in ((["--from", "1h"], "is after the end"), (["--from", "2ms", "--to", "1ms"], "is not after --from 2ms")):
        result = subprocess.run([page.command, "trace", trace, "-o", page.folder / "no.html", *options], capture_output=True, text=True, timeout=LIMIT, env=clean_environment())
        expect(result.returncode == 2 and words in result.stderr and not (page.folder / "no.html").exists(), f"{options}: {result.stderr}")
    dom, seen = page.driven(page.write("part", options=["--from", "100us", "--to", "900us"]))
    no_error(dom)
    expect("Details are here from 100" in dom and seen["errors"] == 0, note_of(dom))


def test_finds_and_folds(page):
    """Search, idle gaps, one row a PU, one colour a region in all panels, and a quick step."""
    dom, seen = page.driven(page.simulated("found", "default"))
    no_error(dom)
    expect(seen["errors"] == 0, "errors of the script")
    expect(seen["found"] == ["32 bubbles", True] and "leaf" in seen["hit"][0], str(seen["found"] + seen["hit"]))
    expect(seen["gaps"][0][1] >= seen["gaps"][1][1] > 0 and "PU" in seen["gaps"][0][0], str(seen["gaps"]))
    expect(seen["rows"] == [f"PU {i}" for i in range(16)], f"one row a PU: {seen['rows']}")
    expect(seen["overview"] == 1200, "parts of the overview")
    legend, where, table = seen["colours"]
    for region in ("leaf", "zone"):
        cells = {colour for name, colour in table.items() if name.startswith(region)}
        expect({legend[region], where[region]} == cells, f"colours of {region}: {seen['colours']}")
    expect(seen["tipHidden"] == "none", "a step hides the tooltip")
    expect(seen["step"] < 20, f"a step takes {seen['step']} ms")


def test_texts_are_whole(page):
    """No text is cut or lies on another, on the page of 256 PUs and on a small one."""
    for written in (page.simulated("large", "default", "node:16 l3:2 core:8", ["big"]), page.simulated("small", "affinity")):
        for width in (1600, 1000, 390):
            for theme in ("light", "dark"):
                found = page.laid_out(written, width, theme)
                where = f"{written.stem}, {width} wide, {theme}: "
                expect(found["ready"] == "1" and found["errors"] == "0" and found["texts"] > 100, where + str(found))
                expect(not found["faults"], where + str(found["faults"]))
                expect(found["wide"] <= width, where + f"the page is {found['wide']} wide")
                expect(found["folders"] == (16 if written.stem == "large" else 0), where + f"{found['folders']} rows to open")


def test_several_processes(page):
    """The files of one job are groups of rows of one page."""
    page.write("rank0")
    page.write("rank1", "flat")
    both = page.folder / "both.html"
    subprocess.run([page.command, "trace", page.folder / "rank0.fgt", page.folder / "rank1.fgt", "-o", both], check=True, timeout=LIMIT, env=clean_environment())
    dom, seen = page.driven(both)
    no_error(dom)
    expect(seen["errors"] == 0, "errors of the script")
    folders = [row for row in seen["rows"] if "process" in row]
    expect(len(folders) == 2 and "process 0" in folders[0] and "process 1" in folders[1], str(seen["rows"]))


def of_two(page, name, shares):
    """The page of two processes on PUs 0 to 3: the first from 0 to 8 ms, the second from 2 to 6 ms. If they share, each has half of the PUs
    while both are there. The first one has chosen PUs 0 and 1 then, and the second one 2 and 3."""
    def grants(ms, pus, chosen):
        return [(int(ms * 1000000), "grant", 0, 0, 0, pus, 4), (int(ms * 1000000) + 500, "set", 0, 0, 0, 0, chosen)] if shares else []

    first = trace(page.folder / (name + "1.fgt"), 11, range(4), region(10000000, 18000000, *grants(12, 2, 0b0011), *grants(16, 4, 0)))
    second = trace(page.folder / (name + "2.fgt"), 12, range(4), region(12000000, 16000000, *grants(12.001, 2, 0b1100)), wall=10**18)
    written = page.folder / (name + ".html")
    subprocess.run([page.command, "trace", first, second, "-o", written], check=True, timeout=LIMIT, env=clean_environment())
    return written


def test_pus_change_hands(page):
    """Above the rows of two processes of one machine, a strip tells how many PUs each might use; a PU that is in no set is white."""
    _, seen = page.driven(of_two(page, "shared", True), GRANTS)
    expect(seen["errors"] == 0, "errors of the script")
    expect(seen["most"] == [4, 4] and seen["swatches"] == 2 and seen["labels"][0] == "PUs granted", str(seen))
    expect(seen["strip"] == [["first", "first"], ["first", "second"], ["first", "second"], ["first", "first"]], str(seen["strip"]))
    expect([said.count("program-") for said in seen["tips"]] == [2, 2, 2], str(seen["tips"]))
    expect([re.findall(r"\d of 4 PUs|no region", said) for said in seen["tips"]] == [["4 of 4 PUs", "no region"], ["2 of 4 PUs", "2 of 4 PUs"], ["4 of 4 PUs", "no region"]], str(seen["tips"]))
    idle, other = ["free"] * 3, ["free", "card", "card"]
    expect([row[:3] for row in seen["pus"] if "first" not in row] == [idle, other, other, other, idle, idle], f"{seen['pus']}")
    expect("PUs 4" in seen["facts"] and "has chosen other PUs" in seen["legend"] and "PU" in seen["gap"], seen["facts"] + seen["legend"] + seen["gap"])


def test_pus_that_nobody_shares(page):
    """Two processes that do not share might use all PUs at the same time, so they stack above the PUs that are there."""
    _, seen = page.driven(of_two(page, "unshared", False), GRANTS)
    expect(seen["errors"] == 0, "errors of the script")
    expect(seen["most"] == [4, 8] and "has chosen" not in seen["legend"], str(seen["most"]) + seen["legend"])
    expect(seen["strip"] == [["first", "free"], ["first", "second"], ["first", "second"], ["first", "free"]], str(seen["strip"]))
    for width in (1000, 390):
        found = page.laid_out(page.folder / "unshared.html", width, "light")
        expect(found["ready"] == "1" and not found["faults"], f"{width} wide: {found}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=BUILD, type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    chromium = browser()
    if not chromium:
        print("MISSING page: Chromium (scripts/install-deps page)")
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        page = Page(folder.resolve(), options.build.resolve(), chromium)
        status = run(tests_of(globals()), page)
        for picture in [*folder.glob("nested.html"), *folder.glob("decided.html")] if options.keep else ():
            page.call(f"--screenshot={folder / (picture.stem + '.png')}", picture.as_uri())
    return status


if __name__ == "__main__":
    sys.exit(main())
