"use strict";
document.body.dataset.errors = "0";
window.addEventListener("error", function (event) {
	document.body.dataset.errors = String(Number(document.body.dataset.errors) + 1);
	document.getElementById("note").textContent = "The page has an error: " + event.message;
});

const $ = (id) => document.getElementById(id);
const model = JSON.parse($("model").textContent);
const element = (tag, name, text) => {
	const made = document.createElement(tag);
	if (name) made.className = name;
	if (text !== undefined) made.textContent = text;
	return made;
};
const number = (n) => n.toLocaleString("en");
function duration(ns) {
	const units = ["ns", "µs", "ms", "s"];
	let unit = 0;
	for (; Math.abs(ns) >= 1000 && unit < 3; unit++) ns /= 1000;
	return (unit === 0 ? ns.toFixed(0) : Math.abs(ns) < 10 ? ns.toFixed(2) : Math.abs(ns) < 100 ? ns.toFixed(1) : ns.toFixed(0)) + " " + units[unit];
}
const percent = (x) => (100 * x).toFixed(x < 0.0995 && x > 0 ? 1 : 0) + " %";

/* ---- the model, unpacked ---- */

const modes = ["one member", "flat team", "nested team", "kernel threads"];
const RUNS = 0, TASK = 1, WAITS = 2;
const bubbles = model.bubbles.map((b) => ({ number: b[0], parent: b[1], parentMember: b[2], region: b[3], members: b[4], mode: b[5],
	meet: b[6], join: b[7], below: [], depth: 0, rank: 0 }));
const roots = [];
bubbles.forEach((bubble, i) => {
	const list = bubble.parent >= 0 ? bubbles[bubble.parent].below : roots;
	bubble.rank = list.length;
	list.push(i);
	if (bubble.parent >= 0) bubble.depth = bubbles[bubble.parent].depth + 1;
});
const [windowFrom, windowTo] = model.window;
const levels = model.levels.map((l, i) => ({ name: l[0], depth: l[1], first: l[2], n: l[3], below: [], index: i }));
const path = [];
for (const level of levels) {
	path.length = level.depth;
	if (level.depth) path[level.depth - 1].below.push(level);
	path.push(level);
}
const pus = levels.filter((l) => l.below.length === 0);
const levelOf = new Map(levels.map((l) => [l.first + "+" + l.n, l]));
/* A NUMA node begins here, or another level that is the first below the machine. */
const borders = new Set(levels.filter((l) => l.depth === 1 && l.below.length).map((l) => l.first));
const labelOf = (bubble) => bubble.region < 0 ? "region" : model.regions[bubble.region].label;

/* There is a row for each PU, and one more for each further worker that has been on it. */
const rows = [], rowOf = new Map();
(function () {
	const s = model.slices, seen = new Set();
	for (let i = 0; i < s.length; i += 7) seen.add(s[i] * 65536 + s[i + 1]);
	for (const pu of pus) {
		const lanes = [...seen].filter((key) => Math.floor(key / 65536) === pu.first).sort((a, b) => a - b);
		if (!lanes.length && model.threads === "kernel") continue;
		if (!lanes.length) lanes.push(pu.first * 65536 + 65535);
		lanes.forEach((key, k) => {
			rowOf.set(key, rows.length);
			rows.push({ pu: pu.first, name: model.threads === "kernel" ? "kernel thread " + (key % 65536) : k ? pu.name + " · worker " + (key % 65536) : pu.name, slices: [] });
		});
	}
	for (let i = 0; i < s.length; i += 7)
		rows[rowOf.get(s[i] * 65536 + s[i + 1])].slices.push({ from: s[i + 2], to: s[i + 2] + s[i + 3], bubble: s[i + 4], member: s[i + 5], doing: s[i + 6], pu: s[i] });
	for (const row of rows) row.slices.sort((a, b) => a.from - b.from);
})();

/* ---- colours ---- */

/* After Okabe and Ito: people with any kind of colour vision can tell them apart. */
const hues = { light: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#9a8700", "#6b7280"],
	dark: ["#4a9fd8", "#e8ab2e", "#2fb58d", "#d68fb6", "#86cdf2", "#ec7a34", "#c9b730", "#9aa2ad"] };
const isDark = () => document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
function channels(hex) { return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)); }
function mixed(hex, other, share) {
	const a = channels(hex), b = channels(other);
	return "#" + a.map((x, i) => Math.round(x + (b[i] - x) * share).toString(16).padStart(2, "0")).join("");
}
function inkOn(hex) {
	const [r, g, b] = channels(hex);
	return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#14171b" : "#ffffff";
}
/* Where regions nest, users want to see where each bubble is. */
let colourBy = bubbles.some((b) => b.parent >= 0) ? "bubble" : "region";
function hue(k) { const list = hues[isDark() ? "dark" : "light"]; return list[k % list.length]; }
const regionColour = (region) => region < 0 ? hue(7) : region < 7 ? hue(region) : mixed(hue(region), isDark() ? "#000000" : "#ffffff", 0.35);
function bubbleColour(bubble) {
	/* Neighbours in time have slightly different colours, so that users can tell one from the next. */
	const tint = (colour) => bubble.rank % 2 ? mixed(colour, isDark() ? "#000000" : "#ffffff", 0.22) : colour;
	if (colourBy === "bubble") return bubble.number % 16 < 8 ? hue(bubble.number) : mixed(hue(bubble.number), isDark() ? "#000000" : "#ffffff", 0.3);
	if (colourBy === "depth") return tint(hue(bubble.depth));
	return tint(regionColour(bubble.region));
}
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* ---- head, legend ---- */

$("command").textContent = model.command || "ForestGOMP trace";
document.title = (model.command || "trace") + " · ForestGOMP";
for (const [what, value] of [["took", duration(model.span)], ["regions met", number(model.met)], ["PUs", number(pus.length)], ["policy", model.policy],
	["carrier", model.carrier], ["host", model.host], ["begun", new Date(model.wall / 1e6).toISOString().slice(0, 19).replace("T", " ") + " UTC"]]) {
	if (!value) continue;
	const item = element("li", "", what + " ");
	item.append(element("b", "", value));
	$("facts").append(item);
}
$("note").textContent = [model.note, model.lost ? number(model.lost) + " of the oldest events were written over (FGOMP_TRACE_SIZE)" : "",
	windowFrom > 0 || windowTo < model.span ? "Shown: " + duration(windowFrom) + " to " + duration(windowTo) + " of " + duration(model.span) +
	"; others by `forestgomp trace --from TIME --to TIME`" : ""].filter(Boolean).join(". ");

function legendItem(list, style, text, kind) {
	const item = element("li"), swatch = element("span", "swatch " + (kind || ""));
	if (style) swatch.style.background = style;
	item.append(swatch, text);
	list.append(item);
}
const regionLegend = (list) => model.regions.slice(0, 12).forEach((region, i) => legendItem(list, regionColour(i), region.label));
function legend() {
	const list = $("legend"), add = (style, text, kind) => legendItem(list, style, text, kind);
	list.textContent = "";
	if (colourBy === "region") regionLegend(list);
	if (colourBy === "depth") for (let d = 0; d <= Math.max(0, ...bubbles.slice(0, 50000).map((b) => b.depth)); d++) add(hue(d), d ? "nested, depth " + d : "outermost");
	if (colourBy === "bubble") add("linear-gradient(90deg," + hues[isDark() ? "dark" : "light"].join(",") + ")", "each bubble has a colour, sixteen in turn");
	add("", "in a task", "task");
	add("", "waits at a barrier", "waits");
	add("", "nothing runs", "free");
}

/* ---- time line ---- */

const canvas = $("canvas"), context = canvas.getContext("2d");
const AXIS = 22;
let view = { from: windowFrom, to: Math.max(windowTo, windowFrom + 1) }, width = 800, rowHeight = 24, hatch = null, moment = windowFrom;
const toX = (t) => (t - view.from) / (view.to - view.from) * width;
const toTime = (x) => view.from + x / width * (view.to - view.from);

function layout() {
	rowHeight = Math.max(7, Math.min(26, Math.floor(620 / rows.length)));
	const box = $("rows");
	box.textContent = "";
	const every = Math.ceil(12 / rowHeight);
	rows.forEach((row, i) => {
		const label = element("div", "", i % every ? "" : row.name);
		label.style.height = rowHeight + "px";
		label.style.lineHeight = rowHeight + "px";
		box.append(label);
	});
	$("decisions").style.maxHeight = Math.max(200, AXIS + rows.length * rowHeight) + "px";
	const ratio = window.devicePixelRatio || 1;
	width = Math.max(200, $("canvas-box").clientWidth);
	canvas.style.height = AXIS + rows.length * rowHeight + 2 + "px";
	canvas.width = width * ratio;
	canvas.height = (AXIS + rows.length * rowHeight + 2) * ratio;
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	const tile = document.createElement("canvas");
	tile.width = tile.height = 6;
	const pen = tile.getContext("2d");
	pen.strokeStyle = colour("--card");
	pen.lineWidth = 2;
	pen.beginPath();
	for (const at of [-6, 0, 6]) { pen.moveTo(at - 1, 7); pen.lineTo(at + 7, -1); }
	pen.stroke();
	hatch = context.createPattern(tile, "repeat");
}

function firstVisible(slices) {
	let low = 0, high = slices.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (slices[middle].to < view.from) low = middle + 1; else high = middle;
	}
	return low;
}

function drawRow(row, y) {
	let until = -1;
	context.fillStyle = colour("--free");
	context.fillRect(0, y + 1, width, rowHeight - 2);
	for (let i = firstVisible(row.slices); i < row.slices.length && row.slices[i].from <= view.to; i++) {
		const slice = row.slices[i], left = Math.max(0, toX(slice.from)), right = Math.min(width, toX(slice.to));
		if (right - until < 0.4) continue;
		const bubble = bubbles[slice.bubble], fill = bubbleColour(bubble), wide = Math.max(right - left - (right - left > 4 ? 1 : 0), 0.6);
		context.fillStyle = fill;
		context.fillRect(left, y + 1, wide, rowHeight - 2);
		if (slice.doing === WAITS && wide > 1.5) {
			context.fillStyle = hatch;
			context.fillRect(left, y + 1, wide, rowHeight - 2);
		} else if (slice.doing === TASK && wide > 1.5) {
			context.fillStyle = colour("--ink");
			context.fillRect(left, y + 1, wide, Math.min(3, rowHeight / 4));
		}
		if (wide > 46 && rowHeight > 14 && slice.doing !== WAITS) {
			context.save();
			context.beginPath();
			context.rect(left, y, wide - 3, rowHeight);
			context.clip();
			context.fillStyle = inkOn(fill);
			context.fillText(labelOf(bubble) + " #" + bubble.number + " · " + slice.member, left + 5, y + rowHeight / 2 + 4);
			context.restore();
		}
		until = right;
	}
}

function axis() {
	const span = view.to - view.from, rough = span / Math.max(2, width / 110), power = Math.pow(10, Math.floor(Math.log10(rough)));
	const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough) || 10 * power;
	context.strokeStyle = colour("--line");
	context.fillStyle = colour("--soft");
	context.lineWidth = 1;
	for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
		const x = Math.round(toX(t)) + 0.5;
		context.beginPath();
		context.moveTo(x, 15);
		context.lineTo(x, AXIS + rows.length * rowHeight);
		context.stroke();
		context.fillText(tick(t, step), x + 3, 12);
	}
}
function tick(t, step) {
	const [unit, size] = view.to < 1e3 ? ["ns", 1] : view.to < 1e6 ? ["µs", 1e3] : view.to < 1e9 ? ["ms", 1e6] : ["s", 1e9];
	return (t / size).toFixed(Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / size) - 1e-9)))) + " " + unit;
}

let drawing = false;
function draw() {
	if (drawing) return;
	drawing = true;
	requestAnimationFrame(() => { drawing = false; drawNow(); });
}
function drawNow() {
	context.clearRect(0, 0, width, AXIS + rows.length * rowHeight + 2);
	context.font = "11.5px system-ui, 'DejaVu Sans', sans-serif";
	axis();
	rows.forEach((row, i) => drawRow(row, AXIS + i * rowHeight));
	context.fillStyle = colour("--soft");
	rows.forEach((row, i) => { if (i && borders.has(row.pu) && rows[i - 1].pu !== row.pu) context.fillRect(0, AXIS + i * rowHeight - 0.5, width, 1); });
	const x = toX(moment);
	if (x >= 0 && x <= width) {
		context.fillStyle = colour("--mark");
		context.fillRect(Math.round(x) - 0.75, 14, 1.5, AXIS + rows.length * rowHeight - 14);
		context.beginPath();
		context.moveTo(x - 5, 13);
		context.lineTo(x + 5, 13);
		context.lineTo(x, 20);
		context.fill();
	}
	listDecisions();
	canvas.dataset.view = Math.round(view.from) + "-" + Math.round(view.to);
}

function show(from, to) {
	const least = 20, most = windowTo - windowFrom || 1;
	let span = Math.min(most, Math.max(least, to - from));
	from = Math.max(windowFrom, Math.min(from, windowTo - span));
	view = { from, to: from + span };
	draw();
}
function zoom(factor, at) {
	at = at === undefined ? (view.from + view.to) / 2 : at;
	show(at - (at - view.from) * factor, at + (view.to - at) * factor);
}
const pan = (share) => show(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));

canvas.addEventListener("wheel", (event) => {
	event.preventDefault();
	if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) pan((event.deltaX || event.deltaY) / 1000);
	else zoom(Math.exp(event.deltaY / 400), toTime(event.offsetX));
}, { passive: false });
let drag = null;
canvas.addEventListener("pointerdown", (event) => { drag = { x: event.offsetX, from: view.from, to: view.to, moved: false }; canvas.setPointerCapture(event.pointerId); });
canvas.addEventListener("pointermove", (event) => {
	if (!drag) return hover(event);
	const by = (drag.x - event.offsetX) / width * (drag.to - drag.from);
	if (Math.abs(drag.x - event.offsetX) > 3) drag.moved = true;
	if (drag.moved) show(drag.from + by, drag.to + by);
});
canvas.addEventListener("pointerup", (event) => {
	if (drag && !drag.moved) stepAt(toTime(event.offsetX));
	drag = null;
});
canvas.addEventListener("pointerleave", () => { $("tip").style.display = "none"; });

function sliceAt(x, y) {
	const row = rows[Math.floor((y - AXIS) / rowHeight)];
	if (!row || y < AXIS) return null;
	const t = toTime(x), reach = 2 * (view.to - view.from) / width;
	for (let i = firstVisible(row.slices); i < row.slices.length && row.slices[i].from <= t + reach; i++)
		if (row.slices[i].to >= t - reach && (row.slices[i].to >= t || !row.slices[i + 1] || row.slices[i + 1].from > t + reach)) return { slice: row.slices[i], row };
	return null;
}
function tip(x, y, title, lines) {
	const box = $("tip");
	box.textContent = "";
	box.append(element("b", "", title));
	const list = element("dl");
	for (const [what, value] of lines) list.append(element("dt", "", what), element("dd", "", value));
	box.append(list);
	box.style.display = "block";
	box.style.left = Math.min(x + 14, innerWidth - box.offsetWidth - 8) + "px";
	box.style.top = Math.min(y + 16, innerHeight - box.offsetHeight - 8) + "px";
}
function chain(bubble) {
	const names = [];
	for (let b = bubble; b && names.length < 12; b = b.parent >= 0 ? bubbles[b.parent] : null) names.unshift(labelOf(b) + " #" + b.number);
	return names.join(" › ");
}
function hover(event) {
	const found = sliceAt(event.offsetX, event.offsetY);
	if (!found) { $("tip").style.display = "none"; return; }
	const slice = found.slice, bubble = bubbles[slice.bubble];
	tip(event.clientX, event.clientY, labelOf(bubble) + ", member " + slice.member + (bubble.members ? " of " + bubble.members : ""),
		[["does", ["runs", "runs a task", "waits at a barrier"][slice.doing]], ["on", found.row.name], ["for", duration(slice.to - slice.from)],
		["from", duration(slice.from) + " to " + duration(slice.to)], ["bubble", "#" + bubble.number + ", " + modes[bubble.mode]], ["within", chain(bubble)]]);
}

