/* ---- rows of the time line ---- */

const FOLD_ABOVE = 64, SHARES_HEIGHT = 38;
/* Rows are a tree: processes, if there are several; then the nodes of a machine that is large, then PUs. A row with
 * `inside` shows the share of its tracks' time, and can be opened. */
function nodesOf(process) {
	const nodes = process.levels.filter((l) => l.n > 1 && l.name.startsWith("NUMA node"));
	if (nodes.length > 1) return nodes;
	const outer = process.levels.filter((l) => l.depth === 1 && l.below.length);
	if (outer.length > 1) return outer;
	const list = [];
	for (let first = 0; first < process.pus.length; first += 16) {
		const n = Math.min(16, process.pus.length - first);
		list.push({ name: "PUs " + first + "–" + (first + n - 1), first, n });
	}
	return list;
}
function rowsOf(process, large) {
	const leaf = (name, track, border) => ({ name, tracks: track ? [track] : [], inside: null, process, border });
	if (process.model.threads === "kernel")
		return process.tracks.map((track) => Object.assign(leaf("thread " + track.key, track), { title: "kernel thread " + track.key }));
	const trackAt = new Map(process.tracks.map((track) => [track.key, track]));
	const borders = new Set(process.levels.filter((l) => l.depth === 1 && l.below.length).map((l) => l.first));
	const pus = process.pus.map((pu) => Object.assign(leaf(pu.name, trackAt.get(pu.first), borders.has(pu.first)), { os: pu.os }));
	if (!large) return pus;
	return nodesOf(process).map((node) => {
		const inside = pus.slice(node.first, node.first + node.n);
		return { name: node.name, note: node.n + " PUs", tracks: inside.flatMap((row) => row.tracks), n: node.n, inside, open: false, process, depth: 0 };
	});
}
const large = nPus > FOLD_ABOVE;
const rowTree = grantRows().concat(processes.length === 1 ? rowsOf(processes[0], large) : processes.map((process) => {
	const inside = rowsOf(process, process.pus.length > FOLD_ABOVE);
	return { name: process.name, note: process.pus.length + " PUs", tracks: process.tracks, n: process.pus.length, inside, open: !large, process };
}));
let rows = [];

/* ---- the time line ---- */

const canvas = $("canvas"), context = canvas.getContext("2d");
let view = { from: windowFrom, to: Math.max(windowTo, windowFrom + 1) }, width = 800, height = 100, hatch = null, moment = windowFrom, gap = null;
const toX = (t) => (t - view.from) / (view.to - view.from) * width;
const toTime = (x) => view.from + x / width * (view.to - view.from);

/* Lists the rows that are to be seen, and gives each its place. */
function listRows() {
	const list = [];
	const walk = (row, depth) => {
		row.depth = depth;
		list.push(row);
		if (row.inside && row.open) for (const inner of row.inside) walk(inner, depth + 1);
	};
	for (const row of rowTree) walk(row, 0);
	const leaves = list.filter((row) => !row.inside && !row.grants).length;
	const leafHeight = Math.max(15, Math.min(26, Math.floor(620 / Math.max(1, leaves))));
	let top = 0;
	for (const row of list) {
		row.top = top;
		row.height = row.grants ? GRANTS_HEIGHT : row.inside ? SHARES_HEIGHT : leafHeight;
		top += row.height;
	}
	height = Math.max(top, leafHeight);
	return list;
}
function rowLabel(row) {
	const label = element(row.inside ? "button" : "div", "row" + (row.inside ? " folder" : ""), row.inside ? undefined : row.name);
	label.style.height = row.height + "px";
	label.style.paddingLeft = 6 + 10 * row.depth + "px";
	label.title = row.title || row.name;
	if (!row.inside) return label;
	label.setAttribute("aria-expanded", row.open);
	label.append(element("span", "fold", row.open ? "▾" : "▸"));
	if (row.depth === 0 && rowTree[0].grants) label.append(element("span", "swatch"));
	if (label.lastChild.className === "swatch") label.lastChild.style.background = paints[processPaint(row.process)];
	label.append(element("span", "words", short(row.name, 34)), element("span", "soft", row.note));
	label.onclick = () => { row.open = !row.open; layout(); drawNow(); };
	return label;
}
function layout() {
	rows = listRows();
	const host = $("rows"), at = document.activeElement && [...host.children].indexOf(document.activeElement);
	host.textContent = "";
	for (const row of rows) host.append(rowLabel(row));
	if (at >= 0 && host.children[at]) host.children[at].focus();
	$("decisions").style.maxHeight = Math.max(240, Math.min(900, height + 22)) + "px";
	const ratio = Math.min(window.devicePixelRatio || 1, 32000 / height);
	width = Math.max(160, $("canvas-box").clientWidth);
	canvas.style.height = height + "px";
	canvas.width = width * ratio;
	canvas.height = height * ratio;
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
	overviewLayout();
}
const firstVisible = (track) => bisect(track.n, (i) => track.to[i] >= view.from);

/* ---- shares: what each pixel's time went to ---- */

let sums = new Float32Array(0), picture = document.createElement("canvas");
const rgb = (hex) => { const [r, g, b] = channels(hex); return 0xff000000 | b << 16 | g << 8 | r; };
function addShare(from, to, kind, weight = 1) {
	let x = Math.max(0, Math.floor(from));
	const end = Math.min(width, to);
	for (; x < end; x++) sums[x * 2 * PAINTS + kind] += weight * (Math.min(end, x + 1) - Math.max(from, x));
}
/* Draws the sums as stacked columns: members at work from below, then those that wait, in their paler paints. */
function drawShares(target, top, tall, all) {
	const w = Math.ceil(width), h = Math.max(1, Math.round(tall));
	picture.width = w;
	picture.height = h;
	const pen = picture.getContext("2d"), image = pen.createImageData(w, h), pixels = new Uint32Array(image.data.buffer);
	const free = rgb(colour("--free")), ink = [...paints.map(rgb), ...waitPaints.map(rgb)];
	pixels.fill(free);
	for (let x = 0; x < w; x++) {
		let sum = 0, y = h;
		for (let kind = 0; kind < 2 * PAINTS; kind++) {
			const own = sums[x * 2 * PAINTS + kind];
			if (!own) continue;
			sum += own / all;
			for (const until = Math.max(0, h - Math.round(h * Math.min(1, sum))); y > until;) pixels[--y * w + x] = ink[kind];
		}
	}
	pen.putImageData(image, 0, 0);
	target.imageSmoothingEnabled = false;
	target.drawImage(picture, 0, top, w, tall);
}
function sumsClear() {
	const n = Math.ceil(width) * 2 * PAINTS;
	if (sums.length < n) sums = new Float32Array(n); else sums.fill(0, 0, n);
}
function drawRowShares(row) {
	const scale = width / (view.to - view.from);
	sumsClear();
	for (const track of row.tracks) {
		const bubbles = row.process.bubbles;
		for (let i = firstVisible(track); i < track.n && track.from[i] <= view.to; i++)
			addShare((track.from[i] - view.from) * scale, (track.to[i] - view.from) * scale, bubbles[track.bubble[i]].paint + (track.doing[i] === WAITS ? PAINTS : 0));
	}
	drawShares(context, row.top + 2, row.height - 4, row.n || 1);
}

/* Texts that may stand on a piece of work, the longest that fits. */
function labelOn(bubble, member, room) {
	for (const text of [bubble.label + " #" + bubble.number + " · " + member, short(bubble.label, 18) + " #" + bubble.number, "#" + bubble.number + " · " + member, "#" + bubble.number])
		if (text.length * 4.5 < room && context.measureText(text).width <= room) return text;
	return "";
}
function drawRow(row) {
	if (row.grants) return drawGrants(row);
	if (row.inside) return drawRowShares(row);
	const track = row.tracks[0], y = row.top + 1, tall = row.height - 2;
	const free = colour("--free"), ink = colour("--ink");
	context.fillStyle = free;
	context.fillRect(0, y, width, tall);
	drawOutside(row, y, tall);
	if (!track) return;
	const start = firstVisible(track), end = bisect(track.n, (i) => track.from[i] > view.to);
	if (end - start > 1.2 * width) return drawRowShares(row);
	for (let i = start; i < end; i++) {
		const left = Math.max(0, toX(track.from[i])), right = Math.min(width, toX(track.to[i])), bubble = row.process.bubbles[track.bubble[i]];
		const wide = Math.max(right - left - (right - left > 4 ? 1 : 0), 0.6), doing = track.doing[i];
		context.fillStyle = paints[bubble.paint];
		context.fillRect(left, y, wide, tall);
		if (doing === WAITS && wide > 1.5) {
			context.fillStyle = hatch;
			context.fillRect(left, y, wide, tall);
		} else if (doing === TASK && wide > 1.5) {
			context.fillStyle = ink;
			context.fillRect(left, y, wide, Math.min(3, tall / 4));
		}
		if (wide < 24 || doing === WAITS) continue;
		const text = labelOn(bubble, track.member[i], wide - 9);
		context.fillStyle = inks[bubble.paint];
		if (text) context.fillText(text, left + 5, y + tall / 2 + 4);
	}
}

/* ---- axes ---- */

function stepOf(span, wide) {
	const rough = span / Math.max(1, wide / 96), power = Math.pow(10, Math.floor(Math.log10(rough)));
	return [1, 2, 5, 10].map((k) => k * power).find((s) => s >= rough) || 10 * power;
}
const unitOf = (t) => t < 1e3 ? ["ns", 1] : t < 1e6 ? ["µs", 1e3] : t < 1e9 ? ["ms", 1e6] : ["s", 1e9];
const digitsOf = (step, size) => Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / size) - 1e-9)));
function tick(t, step, most) {
	const [unit, size] = unitOf(most);
	return (t / size).toFixed(digitsOf(step, size)) + " " + unit;
}
/* A moment as the time line's axis has it, as exact as a pixel is, and always to the nanosecond where that is short. */
const clock = (t) => tick(t, Math.max(1, Math.min(stepOf(view.to - view.from, width) / 100, (view.to - view.from) / width)), view.to);
function axis(host, from, to, wide, lines) {
	const step = stepOf(to - from, wide);
	host.textContent = "";
	for (let k = Math.ceil(from / step); k * step <= to; k++) {
		const x = (k * step - from) / (to - from) * wide, label = element("span", "tick", tick(k * step, step, to));
		label.style.left = x + "px";
		host.append(label);
		if (x + label.offsetWidth > wide) label.remove();
		if (lines) lines(Math.round(x) + 0.5);
	}
}

let drawing = false;
function draw() {
	if (drawing) return;
	drawing = true;
	requestAnimationFrame(() => { if (drawing) drawNow(); });
}
function drawNow() {
	drawing = false;
	context.clearRect(0, 0, width, height);
	context.font = "11.5px system-ui, 'DejaVu Sans', sans-serif";
	rows.forEach(drawRow);
	context.strokeStyle = colour("--line");
	context.lineWidth = 1;
	context.globalAlpha = 0.3;
	axis($("axis"), view.from, view.to, width, (x) => { context.beginPath(); context.moveTo(x, 0); context.lineTo(x, height); context.stroke(); });
	context.globalAlpha = 1;
	context.fillStyle = colour("--soft");
	for (const row of rows) if (row.border && row.top) context.fillRect(0, row.top - 0.5, width, 1);
	drawGap();
	canvas.dataset.view = Math.round(view.from) + "-" + Math.round(view.to);
	drawCursor();
	overviewFrame();
}
/* The moment is an element above the picture, because a step must not draw all anew. */
function drawCursor() {
	const x = toX(moment), seen = x >= 0 && x <= width;
	$("cursor").style.display = seen ? "block" : "none";
	if (seen) $("cursor").style.transform = "translateX(" + x.toFixed(1) + "px)";
	listDecisions();
}

function show(from, to) {
	const least = 20, most = windowTo - windowFrom || 1;
	let span = Math.min(most, Math.max(least, to - from));
	from = Math.max(windowFrom, Math.min(from, windowTo - span));
	view = { from, to: from + span };
	hideTip();
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
	if (drag && !drag.moved) stepAt(toTime(event.offsetX), rowAt(event.offsetY));
	drag = null;
});
canvas.addEventListener("pointerleave", hideTip);

const rowAt = (y) => rows[bisect(rows.length, (i) => rows[i].top + rows[i].height > y)];
function sliceAt(x, y) {
	const row = rowAt(y), track = row && !row.inside && row.tracks[0];
	if (!track) return null;
	const t = toTime(x), reach = 2 * (view.to - view.from) / width;
	for (let i = bisect(track.n, (k) => track.to[k] >= t - reach); i < track.n && track.from[i] <= t + reach; i++)
		if (track.to[i] >= t || i + 1 >= track.n || track.from[i + 1] > t + reach) return { row, track, i };
	return null;
}
function hideTip() { $("tip").style.display = "none"; }
function tip(x, y, title, lines) {
	const box = $("tip");
	box.textContent = "";
	box.append(element("b", "", title));
	const list = element("dl");
	for (const [what, value] of lines) list.append(element("dt", "", what), element("dd", "", value));
	box.append(list);
	box.style.display = "block";
	box.style.left = Math.max(4, Math.min(x + 14, innerWidth - box.offsetWidth - 8)) + "px";
	box.style.top = Math.max(4, Math.min(y + 16, innerHeight - box.offsetHeight - 8)) + "px";
}
function chain(bubble) {
	const names = [], bubbles = bubble.process.bubbles;
	for (let b = bubble; b && names.length < 12; b = b.parent >= 0 ? bubbles[b.parent] : null) names.unshift(short(b.label, 40) + " #" + b.number);
	return names.join(" › ");
}
function hover(event) {
	const row = rowAt(event.offsetY), found = sliceAt(event.offsetX, event.offsetY);
	if (row && row.grants) return tipOfGrants(event, row);
	if (row && row.inside) return tip(event.clientX, event.clientY, row.name, [["at", clock(toTime(event.offsetX))], ["shows", "the share of its PUs' time; click opens it"]]);
	if (!found) return hideTip();
	const { track, i } = found, bubble = row.process.bubbles[track.bubble[i]];
	tip(event.clientX, event.clientY, bubble.label + ", member " + track.member[i] + (bubble.members ? " of " + bubble.members : ""),
		[["does", ["runs", "runs a task", "waits at a barrier"][track.doing[i]]], ["on", row.title || row.name], ["for", duration(track.to[i] - track.from[i])],
			["from", clock(track.from[i]) + " to " + clock(track.to[i])], ["within", chain(bubble)]]);
}

/* ---- the whole run ---- */

const whole = $("overview"), OVERVIEW_HEIGHT = 64;
function overviewLayout() {
	const ratio = window.devicePixelRatio || 1, wide = width;
	width = Math.max(160, $("overview-box").clientWidth);
	whole.style.height = OVERVIEW_HEIGHT + "px";
	whole.width = width * ratio;
	whole.height = OVERVIEW_HEIGHT * ratio;
	const pen = whole.getContext("2d");
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	sumsClear();
	for (const process of processes) {
		const parts = process.model.overview, scale = width / (job.span || 1), each = process.model.span / parts.length * scale, begin = process.model.begin * scale;
		parts.forEach((part, k) => {
			for (let at = 0; at < part.length; at += 2) {
				const paint = paintOfRegion((part[at] >> 1) < process.colour.length ? process.colour[part[at] >> 1] : -1), share = part[at + 1] / 1e4 * process.pus.length;
				const left = begin + k * each, right = left + each;
				for (let x = Math.max(0, Math.floor(left)); x < Math.min(width, right); x++)
					sums[x * 2 * PAINTS + paint + (part[at] & 1 ? PAINTS : 0)] += share * (Math.min(right, x + 1) - Math.max(left, x));
			}
		});
	}
	drawShares(pen, 0, OVERVIEW_HEIGHT, nPus);
	axis($("overview-axis"), 0, job.span || 1, width);
	width = wide;
}
function overviewFrame() {
	const frame = $("frame").style, known = $("known").style, of = (t) => 100 * t / (job.span || 1);
	frame.left = of(view.from) + "%";
	frame.width = "max(5px, " + of(view.to - view.from) + "%)";
	known.left = of(windowFrom) + "%";
	known.width = of(windowTo - windowFrom) + "%";
	known.display = windowFrom > 0 || windowTo < job.span ? "block" : "none";
}
function overviewSeek(event) {
	const box = $("overview-box").getBoundingClientRect(), t = (event.clientX - box.left) / box.width * job.span, half = (view.to - view.from) / 2;
	show(t - half, t + half);
}
$("overview-box").addEventListener("pointerdown", (event) => { $("overview-box").setPointerCapture(event.pointerId); overviewSeek(event); });
$("overview-box").addEventListener("pointermove", (event) => { if (event.buttons) overviewSeek(event); });
