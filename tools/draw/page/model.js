"use strict";
document.body.dataset.errors = "0";
window.addEventListener("error", function (event) {
	document.body.dataset.errors = String(Number(document.body.dataset.errors) + 1);
	document.getElementById("note").textContent = "The page has an error: " + event.message;
});

const $ = (id) => document.getElementById(id);
const job = JSON.parse($("model").textContent);
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
/* Long names are cut in the middle: their begin and their end tell them apart. */
const short = (text, most) => text.length <= most ? text : text.slice(0, Math.ceil(most / 2) - 1) + "…" + text.slice(text.length - Math.floor(most / 2));
/* Returns the place of the first of n items for which `test` holds; the test must hold for all behind it. */
function bisect(n, test) {
	let low = 0, high = n;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (test(middle)) high = middle; else low = middle + 1;
	}
	return low;
}

/* ---- the model, unpacked ---- */

const modes = ["one member", "flat team", "nested team", "kernel threads"];
const RUNS = 0, TASK = 1, WAITS = 2;
const STRIDE = 8;
const [windowFrom, windowTo] = job.window;

function bubblesOf(packed) {
	const list = [];
	let meet = 0;
	for (let at = 0, i = 0; at < packed.length; at += 8, i++) {
		const begun = packed[at + 6] !== null;
		if (begun) meet += packed[at + 6];
		list.push({ number: packed[at], parent: packed[at + 1] ? i - packed[at + 1] : -1, parentMember: packed[at + 2], region: packed[at + 3], members: packed[at + 4],
			mode: packed[at + 5], meet: begun ? meet : -1, join: packed[at + 7] === null ? -1 : (begun ? meet : 0) + packed[at + 7], below: [], depth: 0, hit: true, paint: 0 });
	}
	return list;
}
/* A track is the work of one row, in the order of time. */
function trackOf(packed) {
	const n = (packed.length - 2) / 4, track = { key: packed[0], pu: packed[1], n, from: new Float64Array(n), to: new Float64Array(n), bubble: new Int32Array(n), member: new Int32Array(n), doing: new Uint8Array(n) };
	let from = 0;
	for (let i = 0, at = 2; i < n; i++, at += 4) {
		from += packed[at];
		track.from[i] = from;
		track.to[i] = from + packed[at + 1];
		track.bubble[i] = trackOf.bubble += packed[at + 2];
		track.member[i] = Math.floor(packed[at + 3] / 3);
		track.doing[i] = packed[at + 3] % 3;
	}
	return track;
}
function levelsOf(list) {
	const levels = list.map((l, i) => ({ name: l[0], depth: l[1], first: l[2], n: l[3], os: l[4], below: [], index: i }));
	const path = [];
	for (const level of levels) {
		path.length = level.depth;
		if (level.depth) path[level.depth - 1].below.push(level);
		path.push(level);
	}
	return levels;
}
/* The moves, as one array for each field. */
function movesOf(packed) {
	const n = packed.length / STRIDE, moves = { n, time: new Float64Array(n), event: new Uint8Array(n), bubble: new Int32Array(n), member: new Int32Array(n), pu: new Uint16Array(n), a: new Float64Array(n), b: new Float64Array(n), by: new Uint16Array(n) };
	let time = 0, bubble = 0;
	for (let k = 0, at = 0; k < n; k++, at += STRIDE) {
		moves.time[k] = time += packed[at];
		moves.event[k] = packed[at + 1];
		moves.bubble[k] = bubble += packed[at + 2];
		moves.member[k] = packed[at + 3];
		moves.pu[k] = packed[at + 4];
		moves.a[k] = packed[at + 5];
		moves.b[k] = packed[at + 6];
		moves.by[k] = packed[at + 7];
	}
	return moves;
}

/* The regions of all processes: those of one label have one colour. */
const regions = [], regionAt = new Map();
function unpack(model, i) {
	const process = { model, index: i, bubbles: bubblesOf(model.bubbles), levels: levelsOf(model.levels), moves: movesOf(model.moves), roots: [], deciders: model.deciders };
	process.name = job.processes.length > 1 ? "process " + i + " · " + programOf(model) + (model.pid ? " (" + model.pid + ")" : "") : programOf(model);
	process.colour = model.regions.map((region) => {
		if (!regionAt.has(region.label)) { regionAt.set(region.label, regions.length); regions.push(region.label); }
		return regionAt.get(region.label);
	});
	process.bubbles.forEach((bubble, b) => {
		bubble.process = process;
		bubble.label = bubble.region < 0 ? "region" : model.regions[bubble.region].label;
		bubble.colour = bubble.region < 0 ? -1 : process.colour[bubble.region];
		(bubble.parent >= 0 ? process.bubbles[bubble.parent].below : process.roots).push(b);
		if (bubble.parent >= 0) bubble.depth = process.bubbles[bubble.parent].depth + 1;
	});
	trackOf.bubble = 0;
	process.tracks = model.rows.map(trackOf);
	process.pus = process.levels.filter((l) => l.below.length === 0);
	process.grants = model.grants.map(([time, pus, set]) => ({ time, pus, set: new Set(set) }));
	process.hasSet = process.grants.some((grant) => grant.set.size > 0);
	process.levelOf = new Map(process.levels.map((l) => [l.first + "+" + l.n, l]));
	for (const key of ["bubbles", "moves", "rows"]) model[key] = null;
	return process;
}
function programOf(model) { return (model.command || "program").split(" ")[0].split("/").pop(); }
const processes = job.processes.map(unpack);
const nPus = processes.reduce((sum, process) => sum + process.pus.length, 0);
/* The process that the panels below the time line show. */
let shown = processes[0];
