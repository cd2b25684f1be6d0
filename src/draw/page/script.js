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

/* ---- steps ---- */

const STRIDE = 7, moves = model.moves, nMoves = moves.length / STRIDE;
const eventName = model.events.map((e) => e[0]);
const ofThread = model.events.map((e) => e[2] === 1);
const shownEvents = { queues: new Set(["put", "take", "ready", "steal", "lend", "preempt", "relieve"]) };
let step = 0, state = null, playing = 0;
const stops = () => $("stops").value === "queues" ? shownEvents.queues : null;

function stateNew() {
	return { onPu: pus.map(() => []), queued: new Map(), lay: new Map(), threads: new Map(), met: new Map() };
}
function threadLeave(s, key) {
	for (const list of s.onPu) {
		const at = list.indexOf(key);
		if (at >= 0) list.splice(at, 1);
	}
	s.threads.delete(key);
}
function threadAt(s, key, how, where) {
	threadLeave(s, key);
	s.threads.set(key, { how, where });
	if (how === "runs" && s.onPu[where]) s.onPu[where].push(key);
}
function apply(s, k) {
	const [, event, b, member, pu, a, n] = moves.slice(k * STRIDE, (k + 1) * STRIDE), key = b + ":" + member;
	switch (eventName[event]) {
	case "meet": s.met.set(b, 0); break;
	case "put": s.queued.set(b, a + "+" + n); s.lay.set(b, a + "+" + n); break;
	case "take": s.queued.delete(b); break;
	case "begin": s.met.set(b, (s.met.get(b) || 0) + 1); threadAt(s, key, "runs", pu); break;
	case "resume": if (s.threads.has(key)) threadAt(s, key, "runs", pu); break;
	case "ready": if (s.threads.has(key)) threadAt(s, key, "ready", a + "+" + n); break;
	case "suspend": if (s.threads.has(key) && s.threads.get(key).how === "runs") threadAt(s, key, "suspended", pu); break;
	case "relieve": if (s.threads.has(key)) threadAt(s, key, "blocked in the kernel", pu); break;
	case "end": threadLeave(s, key); break;
	case "join": {
		const bubble = bubbles[b], outer = bubble.parent + ":" + bubble.parentMember;
		s.met.delete(b);
		s.queued.delete(b);
		s.lay.delete(b);
		for (const other of [...s.threads.keys()]) if (other.startsWith(b + ":")) threadLeave(s, other);
		if (bubble.parent >= 0 && s.threads.has(outer)) threadAt(s, outer, "runs", pu);
		break;
	}
	}
}
function stateAt(k) {
	if (!state || state.step > k) state = Object.assign(stateNew(), { step: 0 });
	for (; state.step < k; state.step++) apply(state, state.step);
	return state;
}

function sentence(k) {
	const [, event, b, member, pu, a, n] = moves.slice(k * STRIDE, (k + 1) * STRIDE), bubble = bubbles[b];
	const name = labelOf(bubble) + " #" + bubble.number, thread = "member " + member + " of " + name, on = (pus[pu] || { name: "PU " + pu }).name;
	const level = (levelOf.get(a + "+" + n) || { name: "PUs " + a + " to " + (a + n - 1) }).name;
	switch (eventName[event]) {
	case "meet": return bubble.parent < 0 ? on + ": the program meets the region " + name + ", a new bubble"
		: on + ": member " + member + " of " + labelOf(bubbles[bubble.parent]) + " #" + bubbles[bubble.parent].number + " meets the region " + name + ", a new bubble";
	case "team": return name + " has " + a + " member" + (a === 1 ? "" : "s") + " (" + modes[n] + ")";
	case "put": return name + " is put on the runqueue of " + level;
	case "take": return name + " leaves the runqueue of " + level + ": it moves, or all its members are born";
	case "begin": return on + " begins " + thread;
	case "end": return thread + " has come to its end on " + on;
	case "join": return name + " is over; " + on + " goes on with what met it";
	case "ready": return thread + " may go on, and lies on the runqueue of " + level;
	case "suspend": return thread + " leaves " + on + ", suspended";
	case "resume": return on + " goes on with " + thread;
	case "preempt": return thread + " is preempted on " + on + ": its time slice is over, and others wait";
	case "steal": return on + " had nothing to do and steals " + thread + (state.lay.has(b) ? " from the runqueue of " + levelOf.get(state.lay.get(b)).name : "");
	case "lend": return thread + " is lent to " + (pus[a] || { name: "PU " + a }).name + ", which is idle";
	case "relieve": return thread + " is blocked in the kernel; a spare takes over " + on;
	default: return on + ": " + model.events[event][1] + " (" + (ofThread[event] ? thread : name) + ")";
	}
}

/* The boxes stay, and their contents change. */
const boxes = new Map();
function box(level) {
	if (!level.below.length) {
		const made = element("div", "pu");
		const queue = element("div", "queue"), runs = element("div", "runs");
		made.append(element("span", "name", level.name), queue, runs);
		boxes.set(level, { made, queue, runs });
		return made;
	}
	const made = element("div", "level" + (level.depth % 2 ? " odd" : ""));
	const queue = element("div", "queue"), below = element("div", "below");
	made.append(element("span", "name", level.name), queue, below);
	level.below.forEach((l) => below.append(box(l)));
	boxes.set(level, { made, queue });
	return made;
}
function pill(text, bubble, kind) {
	const made = element("span", "pill " + kind, text), fill = bubbleColour(bubble);
	made.style.background = fill;
	made.style.color = inkOn(fill);
	return made;
}
const threadOf = (key) => { const [b, m] = key.split(":"); return [bubbles[Number(b)], Number(m)]; };

function showStep() {
	const s = stateAt(step), k = step - 1;
	for (const { made, queue, runs } of boxes.values()) {
		made.classList.remove("touched");
		queue.textContent = "";
		if (runs) { runs.textContent = "idle"; runs.style.background = ""; runs.style.color = ""; }
	}
	for (const [b, where] of s.queued) {
		const at = boxes.get(levelOf.get(where)), bubble = bubbles[b];
		const left = Math.max(0, bubble.members - Math.max(1, s.met.get(b) || 0));
		if (at) at.queue.append(pill(labelOf(bubble) + " #" + bubble.number + " · " + left + " unborn", bubble, "bubble"));
	}
	$("aside").textContent = "";
	const aside = [];
	for (const [key, at] of s.threads) {
		const [bubble, m] = threadOf(key);
		const queue = at.how === "ready" && boxes.get(levelOf.get(at.where));
		if (queue) queue.queue.append(pill(labelOf(bubble) + " #" + bubble.number + " · member " + m, bubble, "thread"));
		else if (at.how !== "runs") aside.push(pill(labelOf(bubble) + " #" + bubble.number + " · member " + m + (at.how === "suspended" ? "" : " · " + at.how), bubble, "thread"));
	}
	if (aside.length) $("aside").append("Without a PU: ", ...aside.slice(0, 40), aside.length > 40 ? " and " + (aside.length - 40) + " more" : "");
	s.onPu.forEach((list, pu) => {
		const runs = boxes.get(pus[pu]).runs;
		if (!list.length) return;
		const [bubble, m] = threadOf(list[list.length - 1]), fill = bubbleColour(bubble);
		runs.textContent = labelOf(bubble) + " #" + bubble.number + " · " + m;
		runs.title = list.length > 1 ? "on top of " + (list.length - 1) + " that met it" : "";
		runs.style.background = fill;
		runs.style.color = inkOn(fill);
	});
	const said = $("said");
	said.textContent = "";
	if (k >= 0) {
		const t = moves[k * STRIDE], event = eventName[moves[k * STRIDE + 1]], pu = pus[moves[k * STRIDE + 4]];
		const level = ["put", "take", "ready"].includes(event) ? levelOf.get(moves[k * STRIDE + 5] + "+" + moves[k * STRIDE + 6]) : pu;
		if (level && boxes.get(level)) boxes.get(level).made.classList.add("touched");
		said.append(element("span", "when", duration(t)), sentence(k));
		moment = t;
	} else {
		said.append(nMoves ? "Before the first event. Step on, or play." : "No bubble moved in the time shown.");
		moment = windowFrom;
	}
	$("seek").value = step;
	$("count").textContent = number(step) + " / " + number(nMoves);
	document.body.dataset.step = step;
	if (moment < view.from || moment > view.to) show(moment - (view.to - view.from) / 2, moment + (view.to - view.from) / 2);
	draw();
}
function go(to) { step = Math.max(0, Math.min(nMoves, to)); showStep(); }
function by(direction) {
	const stop = stops();
	let to = step + direction;
	while (stop && to > 0 && to < nMoves && !stop.has(eventName[moves[(to - 1) * STRIDE + 1]])) to += direction;
	go(to);
}
function stepAt(t) {
	let low = 0, high = nMoves;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (moves[middle * STRIDE] <= t) low = middle + 1; else high = middle;
	}
	go(low);
}
function play() {
	if (playing) { clearInterval(playing); playing = 0; } else {
		if (step >= nMoves) go(0);
		playing = setInterval(() => { by(1); if (step >= nMoves) play(); }, 320);
	}
	$("play").textContent = playing ? "pause" : "play";
}
$("first").onclick = () => go(0);
$("previous").onclick = () => by(-1);
$("next").onclick = () => by(1);
$("play").onclick = play;
$("seek").oninput = () => go(Number($("seek").value));
$("seek").max = nMoves;
$("zoom-in").onclick = () => zoom(0.5);
$("zoom-out").onclick = () => zoom(2);
$("zoom-fit").onclick = () => show(windowFrom, windowTo);
document.addEventListener("keydown", (event) => {
	if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|INPUT)$/.test(event.target.tagName)) return;
	const keys = { "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": () => show(windowFrom, windowTo), ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2),
		".": () => by(1), ",": () => by(-1), Home: () => go(0), " ": play };
	if (event.key === " " && event.target.tagName === "BUTTON") return;
	if (!keys[event.key]) return;
	event.preventDefault();
	keys[event.key]();
});

/* ---- where each thread ran ---- */

function where() {
	const host = $("where"), span = windowTo - windowFrom || 1;
	host.textContent = "";
	const busy = pus.map(() => new Map());
	for (const row of rows) for (const slice of row.slices) {
		const key = bubbles[slice.bubble].region + (slice.doing === WAITS ? "w" : "");
		busy[row.pu].set(key, (busy[row.pu].get(key) || 0) + Math.min(slice.to, windowTo) - Math.max(slice.from, windowFrom));
	}
	for (const level of levels) {
		if (levels.length > 80 && !level.below.length) continue;
		const sum = new Map();
		for (let pu = level.first; pu < level.first + level.n; pu++) for (const [key, t] of busy[pu]) sum.set(key, (sum.get(key) || 0) + t);
		const name = element("span", "", level.name), bar = element("span", "bar");
		name.style.paddingLeft = 16 * level.depth + "px";
		let works = 0;
		const keys = [...sum.keys()].sort((x, y) => x.endsWith("w") - y.endsWith("w") || parseInt(x) - parseInt(y));
		for (const key of keys) {
			const part = element("i", key.endsWith("w") ? "waits" : ""), share = sum.get(key) / (span * level.n), region = parseInt(key);
			part.style.width = 100 * share + "%";
			part.style.backgroundColor = regionColour(region);
			part.title = (region < 0 ? "region" : model.regions[region].label) + (key.endsWith("w") ? ", waiting" : "") + ": " + percent(share);
			if (!key.endsWith("w")) works += share;
			bar.append(part);
		}
		host.append(name, bar, element("span", "share", percent(works) + " at work"));
	}
	$("where-legend").textContent = "";
	regionLegend($("where-legend"));
}

/* ---- tree of bubbles ---- */

function extent(list) {
	const made = element("span", "extent"), span = windowTo - windowFrom || 1;
	const every = Math.ceil(list.length / 300);
	for (let k = 0; k < list.length; k += every) {
		const i = list[k], bubble = bubbles[i], part = element("i"), from = Math.max(bubble.meet, windowFrom), to = bubble.join < 0 ? windowTo : Math.min(bubble.join, windowTo);
		part.style.left = 100 * (from - windowFrom) / span + "%";
		part.style.width = 100 * Math.max(0, to - from) / span + "%";
		part.style.background = bubbleColour(bubble);
		made.append(part);
	}
	return made;
}
function line(fill, text, soft, list) {
	const swatch = element("span", "swatch"), words = element("span", "text");
	swatch.style.background = fill;
	words.append(swatch, text + " ", element("span", "soft", soft));
	return [words, extent(list)];
}
const life = (b) => b.join < 0 || b.meet < 0 ? 0 : b.join - b.meet;
function node(i) {
	const bubble = bubbles[i];
	const content = line(bubbleColour(bubble), labelOf(bubble) + " #" + bubble.number, (bubble.members ? bubble.members + (bubble.members === 1 ? " member, " : " members, ") : "") +
		(bubble.join < 0 ? "not over" : bubble.meet < 0 ? "begun before" : duration(life(bubble))) + (bubble.parent >= 0 ? ", met by member " + bubble.parentMember : ""), [i]);
	if (!bubble.below.length) {
		const leaf = element("div", "leaf");
		leaf.append(...content);
		return leaf;
	}
	return foldable(content, () => groups(bubble.below), bubble.below.length);
}
function foldable(content, inside, size) {
	const made = element("details"), summary = element("summary");
	made.size = size;
	summary.append(...content);
	made.append(summary);
	made.fill = () => { if (made.children.length === 1) made.append(...inside()); };
	made.addEventListener("toggle", () => { if (made.open) made.fill(); });
	return made;
}
/* Each line has one region: many bubbles of one kind are one line. */
function groups(list) {
	const byRegion = new Map();
	for (const i of list) {
		if (!byRegion.has(bubbles[i].region)) byRegion.set(bubbles[i].region, []);
		byRegion.get(bubbles[i].region).push(i);
	}
	const made = [];
	for (const [region, all] of byRegion) {
		if (all.length < 6) { made.push(...all.map(node)); continue; }
		const time = all.reduce((sum, i) => sum + life(bubbles[i]), 0);
		made.push(foldable(line(regionColour(region), labelOf(bubbles[all[0]]) + " × " + number(all.length), duration(time) + " in all, " + duration(time / all.length) + " each", all), () => some(all, 0), all.length));
	}
	return made;
}
function some(list, from) {
	const made = list.slice(from, from + 40).map(node);
	if (list.length > from + 40) {
		const more = element("button", "", (list.length - from - 40) + " more …");
		more.onclick = () => more.replaceWith(...some(list, from + 40));
		made.push(more);
	}
	return made;
}
function tree() {
	$("tree").textContent = "";
	$("tree").append(...groups(roots));
	let open = $("tree").querySelector("details");
	for (let depth = 0; open && open.size <= 16 && depth < 3; depth++) {
		open.open = true;
		open.fill();
		open = open.querySelector("details");
	}
}

/* ---- table ---- */

const columns = [
	["region", (r) => r.label, null], ["calls", (r) => r.calls, number], ["threads", (r) => r.most, (x, r) => r.fewest === r.most ? number(x) : number(r.fewest) + "–" + number(x)],
	["time", (r) => r.time, duration], ["mean", (r) => r.calls ? r.time / r.calls : 0, duration], ["CPU time", (r) => r.cpu, duration],
	["imbalance", (r) => r.imbalance, percent], ["waiting", (r) => r.work + r.waited ? r.waited / (r.work + r.waited) : 0, percent],
	["steals", (r) => r.steals, number], ["migrated", (r) => r.migrations, number], ["suspended", (r) => r.suspensions, number], ["preempted", (r) => r.preemptions, number], ["tasks", (r) => r.tasks, number]];
let sorted = 3, down = true;
function table() {
	const host = $("regions"), head = element("tr");
	host.textContent = "";
	columns.forEach(([name], i) => {
		const cell = element("th", "", name);
		cell.tabIndex = 0;
		if (i === sorted) cell.setAttribute("aria-sort", down ? "descending" : "ascending");
		cell.onclick = () => { down = i === sorted ? !down : i > 0; sorted = i; table(); };
		cell.onkeydown = (event) => { if (event.key === "Enter") cell.onclick(); };
		head.append(cell);
	});
	host.append(head);
	const value = columns[sorted][1];
	model.regions.map((r, i) => [r, i]).sort(([x], [y]) => (value(x) < value(y) ? -1 : value(x) > value(y) ? 1 : 0) * (down ? -1 : 1)).forEach(([region, i]) => {
		const row = element("tr");
		columns.forEach(([, get, text], c) => {
			const cell = element("td", "", text ? text(get(region), region) : "");
			if (c === 0) {
				const swatch = element("span", "swatch");
				swatch.style.cssText = "margin-right:8px;background:" + regionColour(i);
				cell.append(swatch, region.label + " ", element("span", "soft", region.nested ? "nested" : ""));
				cell.title = region.name;
			}
			row.append(cell);
		});
		host.append(row);
	});
}

/* ---- all of it ---- */

$("forest").append(box(levels[0]));
if (pus.length > 8) $("forest").classList.add("dense");
/* The first picture must not be empty. */
for (const name of ["put", "begin"])
	for (let k = 0; k < nMoves && k < 5000 && !step; k++)
		if (eventName[moves[k * STRIDE + 1]] === name) step = k + 1;
function everything() {
	layout();
	legend();
	where();
	tree();
	table();
	showStep();
	drawNow();
}
$("colour-by").value = colourBy;
$("colour-by").onchange = () => { colourBy = $("colour-by").value; legend(); tree(); showStep(); };
$("stops").onchange = () => showStep();
$("theme").onclick = () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; everything(); };
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", everything);
window.addEventListener("resize", () => { layout(); draw(); });
everything();
document.body.dataset.ready = "1";
