/* ---- the machine's boxes ---- */

/* The boxes stay, and their contents change where they must. */
const boxes = new Map(), none = [];
let asideShown = none;
let cell = 0, crowded = false, tiny = false, GAP = 8, PAD = 9; /* as the style has them */
/* How many columns the children of a level get, so that rows are even and the whole is low. */
function columnsOf(level, room, known) {
	const n = level.below.length, key = level.n + " " + level.depth + " " + n + " " + Math.floor(room);
	if (known.has(key)) return known.get(key);
	let best = null;
	for (let columns = n; columns >= 1; columns--) {
		const lines = Math.ceil(n / columns);
		if (columns > 1 && Math.ceil(n / lines) < columns) continue;
		const own = (room - GAP * (columns - 1)) / columns;
		const leaf = level.below.every((l) => !l.below.length), least = leaf ? cell : cell + 2 * PAD;
		if (own < least && columns > 1) continue;
		let tall = 0;
		for (const l of level.below) tall = Math.max(tall, l.below.length ? columnsOf(l, own - 2 * PAD - 2, known).tall + (tiny ? 36 : crowded ? 40 : 74) : tiny ? 26 : crowded ? 42 : 92);
		const whole = lines * (tall + GAP), uneven = n % columns ? 1.7 : 1;
		if (!best || whole * uneven < best.cost * 0.999) best = { columns, tall: whole, cost: whole * uneven };
	}
	best = best || { columns: 1, tall: n * 60, cost: 0 };
	known.set(key, best);
	return best;
}
function box(level, room, known) {
	if (!level.below.length) {
		const made = element("div", "pu");
		const queue = element("div", "queue"), runs = element("div", "runs");
		made.append(element("span", "name", level.name), queue, runs);
		boxes.set(level, { made, queue, runs, list: none, ran: {} });
		return made;
	}
	const made = element("div", "level" + (level.depth % 2 ? " odd" : ""));
	const queue = element("div", "queue"), below = element("div", "below"), { columns } = columnsOf(level, room, known);
	below.style.gridTemplateColumns = "repeat(" + columns + ",minmax(0,1fr))";
	made.append(element("span", "name", level.name), queue, below);
	level.below.forEach((l) => below.append(box(l, (room - GAP * (columns - 1)) / columns - 2 * PAD - 2, known)));
	boxes.set(level, { made, queue, list: none });
	return made;
}
function machine() {
	const host = $("forest");
	crowded = shown.pus.length > 16;
	host.textContent = "";
	tiny = shown.pus.length > 64;
	host.classList.toggle("dense", crowded);
	host.classList.toggle("tiny", tiny);
	boxes.clear();
	asideShown = none;
	$("aside").textContent = "";
	GAP = crowded ? 5 : 8;
	PAD = crowded ? 5 : 9;
	const digits = shown.bubbles.reduce((most, b) => Math.max(most, String(b.number).length + String(Math.max(0, b.members - 1)).length), 2);
	cell = crowded ? 6.6 * (digits + 4) + 14 + (tiny ? 46 : 0) : 150;
	host.append(box(shown.levels[0], host.clientWidth - 2 * PAD - 2, new Map()));
}

/* ---- steps ---- */

let step = 0, playing = 0, touched = [];
const brief = (bubble) => crowded ? "#" + bubble.number : short(bubble.label, 12) + " #" + bubble.number;
const membersOf = (item) => item.members.length > 4 ? item.members.length + " members" : item.members.join(", ");
/* What an item says, and its title. Both are made when it is shown: most items were shown before. */
const says = {
	bubble: ({ bubble, left }) => brief(bubble) + " · " + left + " unborn",
	free: (item) => "#" + item.bubble.number + " · " + membersOf(item),
	ready: ({ bubble, member }) => brief(bubble) + " · " + member,
	aside: ({ bubble, member, how }) => short(bubble.label, 16) + " #" + bubble.number + " · " + member + (how === "suspended" ? "" : " · " + how),
};
const nameOf = (bubble) => bubble.label + " #" + bubble.number;
const titles = {
	bubble: ({ bubble, left }) => nameOf(bubble) + ": " + left + " of its members are not yet born",
	free: ({ bubble, members }) => (members.length > 1 ? "members " : "member ") + members.join(", ") + " of " + nameOf(bubble) + ", set free and not yet born",
	ready: ({ bubble, member }) => "member " + member + " of " + nameOf(bubble) + ": may go on",
	aside: ({ bubble, member, how }) => "member " + member + " of " + nameOf(bubble) + ": " + how,
};
const looks = { bubble: "bubble", free: "free", ready: "thread", aside: "thread" };
function pill(item) {
	const made = element("span", "pill " + looks[item.kind], says[item.kind](item));
	made.style.background = paints[item.paint];
	made.style.color = inks[item.paint];
	made.title = titles[item.kind](item);
	return made;
}
/* An item is a bubble with members that are not yet born, members of one that were set free, a thread that is ready, or
 * one without a PU. */
const itemOf = (kind, bubble, more) => ({ kind, bubble, paint: bubble.paint, left: 0, member: -1, members: none, how: "", ...more });
const isSame = (a, b) => a.kind === b.kind && a.bubble === b.bubble && a.paint === b.paint && a.left === b.left && a.member === b.member && a.how === b.how
	&& a.members.length === b.members.length && a.members.every((member, i) => member === b.members[i]);
const areSame = (list, other) => list.length === other.length && list.every((item, i) => isSame(item, other[i]));
/* What lies on each runqueue: bubbles, then members that were set free, then threads that are ready. */
function queuesOf(s) {
	const at = new Map(), aside = [];
	const add = (where, item) => {
		const level = shown.levelOf.get(where);
		if (!level) return aside.push(item);
		if (!at.has(level)) at.set(level, []);
		at.get(level).push(item);
	};
	for (const [b, where] of s.queued) {
		const bubble = shown.bubbles[b];
		add(where, itemOf("bubble", bubble, { left: Math.max(0, bubble.members - Math.max(1, s.met.get(b) || 0)) }));
	}
	for (const [b, free] of s.free) {
		const byQueue = new Map();
		for (const [member, where] of free) byQueue.set(where, [...(byQueue.get(where) || []), member]);
		for (const [where, members] of byQueue) if (where) add(where, itemOf("free", shown.bubbles[b], { members }));
	}
	for (const [b, members] of s.threads) for (const [member, { how, where }] of members) {
		if (how === "ready") add(where, itemOf("ready", shown.bubbles[b], { member }));
		else if (how !== "runs") aside.push(itemOf("aside", shown.bubbles[b], { member, how }));
	}
	return { at, aside };
}
/* Shows what a PU runs, if it was not this before. */
function showRuns(own, running) {
	const [b, member] = running ? running[running.length - 1] : nothing, bubble = b >= 0 ? shown.bubbles[b] : null;
	const paint = bubble ? bubble.paint : -1, deep = running ? running.length : 0, ran = own.ran;
	if (ran.b === b && ran.member === member && ran.paint === paint && ran.deep === deep) return;
	own.ran = { b, member, paint, deep };
	own.runs.textContent = bubble ? brief(bubble) + " · " + member : "idle";
	own.runs.title = bubble ? "member " + member + " of " + nameOf(bubble) + (deep > 1 ? ", on top of " + (deep - 1) + " that met it" : "") : "";
	own.runs.style.background = bubble ? paints[paint] : "";
	own.runs.style.color = bubble ? inks[paint] : "";
}
const nothing = [-1, -1];
function showBoxes(s) {
	const { at, aside } = queuesOf(s);
	for (const [level, own] of boxes) {
		const list = at.get(level) || none;
		if (!areSame(list, own.list)) {
			own.list = list;
			own.queue.replaceChildren(...list.slice(0, 24).map(pill), ...(list.length > 24 ? ["and " + (list.length - 24) + " more"] : []));
		}
		if (own.runs) showRuns(own, s.onPu.get(level.first));
	}
	if (areSame(aside, asideShown)) return;
	asideShown = aside;
	$("aside").replaceChildren(...(aside.length ? ["Without a PU: ", ...aside.slice(0, 40).map(pill)] : []), ...(aside.length > 40 ? [" and " + (aside.length - 40) + " more"] : []));
}
function mark(level, name) {
	const own = level && boxes.get(level);
	if (!own) return;
	own.made.classList.add(name);
	touched.push(own.made);
}
function showSaid(k) {
	const said = $("said"), moves = shown.moves;
	said.textContent = "";
	for (const made of touched.splice(0)) made.classList.remove("touched", "left");
	if (k < 0) {
		said.append(moves.n ? "Before the first event. Step on, or play." : "No bubble moved in the time shown.");
		return;
	}
	const event = eventName[moves.event[k]], by = byOf(k), a = moves.a[k], n = moves.b[k];
	const level = by ? shown.levelOf.get(queueOf(n)) : ["put", "take", "ready"].includes(event) ? shown.levelOf.get(a + "+" + n) : shown.pus[moves.pu[k]];
	const left = by && shown.levelOf.get(queueOf(a));
	mark(level, "touched");
	if (left !== level) mark(left, "left");
	said.append(element("span", "when", clock(moves.time[k])), sentence(k));
	if (by) said.append(element("span", "why", decided(by) + (why(by) ? ": " + why(by) : "")));
}
function showStep() {
	const k = step - 1, moves = shown.moves;
	hideTip();
	showBoxes(stateAt(step));
	moment = k >= 0 ? moves.time[k] : windowFrom;
	const seen = moment >= view.from && moment <= view.to;
	if (!seen) show(moment - (view.to - view.from) / 2, moment + (view.to - view.from) / 2);
	showSaid(k);
	$("seek").value = step;
	$("count").textContent = number(step) + " / " + number(moves.n);
	document.body.dataset.step = step;
	if (seen) drawCursor();
}

/* ---- the decisions beside the time line ---- */

const LISTED = 60;
let decisionSteps = [], listed = "";
function findDecisions() {
	decisionSteps = [];
	for (let k = 0; k < shown.moves.n; k++) if (byOf(k)) decisionSteps.push(k);
	$("line").classList.toggle("decided", decisionSteps.length > 0);
	listed = "";
}
/* Lists those in the part of the time line that is seen, and those around the moment if there are too many. */
function listDecisions() {
	if (!decisionSteps.length) return;
	const first = (t) => bisect(decisionSteps.length, (i) => shown.moves.time[decisionSteps[i]] >= t);
	let from = first(view.from), to = first(view.to + 1);
	const all = to - from;
	if (all > LISTED) {
		const half = LISTED / 2, at = Math.max(from, Math.min(to, bisect(decisionSteps.length, (i) => decisionSteps[i] >= step - 1)));
		from = Math.max(from, Math.min(Math.floor(at / half) * half - half / 2, to - LISTED));
		to = from + LISTED;
	}
	const host = $("decisions"), key = shown.index + " " + from + "-" + to + " " + all + " " + (view.to - view.from > 1e6);
	if (key !== listed) {
		listed = key;
		host.textContent = "";
		host.append(element("div", "soft", number(all) + " decisions in the time shown" + (all > LISTED ? "; here those around the moment" : "")));
		for (const k of decisionSteps.slice(from, to)) {
			const by = byOf(k), entry = element("button");
			entry.dataset.step = k + 1;
			entry.append(element("span", "when", clock(shown.moves.time[k])), sentence(k), element("span", "why", decided(by) + (why(by) ? ": " + why(by) : "")));
			entry.onclick = () => go(k + 1);
			host.append(entry);
		}
	}
	const before = host.querySelector(".now"), now = byOf(step - 1) && host.querySelector("[data-step='" + step + "']");
	if (before && before !== now) before.classList.remove("now");
	if (now) now.classList.add("now");
	const last = now || [...host.querySelectorAll("button")].filter((entry) => Number(entry.dataset.step) <= step).pop();
	if (last && last !== before) host.scrollTop = Math.max(0, last.offsetTop - host.offsetTop - host.clientHeight / 2);
}

/* ---- keys and buttons ---- */

function go(to) { step = Math.max(0, Math.min(shown.moves.n, to)); showStep(); }
function by(direction) {
	const stop = stopsAt[$("stops").value], n = shown.moves.n;
	let to = step + direction;
	while (to > 0 && to < n && !stop(to - 1)) to += direction;
	go(to);
}
function stepAt(t, row) {
	if (row && row.process && row.process !== shown) showProcess(row.process);
	go(bisect(shown.moves.n, (k) => shown.moves.time[k] > t));
}
function play() {
	if (playing) { clearInterval(playing); playing = 0; } else {
		if (step >= shown.moves.n) go(0);
		playing = setInterval(() => { by(1); if (step >= shown.moves.n) play(); }, 320);
	}
	$("play").textContent = playing ? "pause" : "play";
}
$("first").onclick = () => go(0);
$("previous").onclick = () => by(-1);
$("next").onclick = () => by(1);
$("play").onclick = play;
$("seek").oninput = () => go(Number($("seek").value));
$("zoom-in").onclick = () => zoom(0.5);
$("zoom-out").onclick = () => zoom(2);
$("zoom-fit").onclick = () => show(windowFrom, windowTo);
$("gap").onclick = () => nextGap(1);
$("search").oninput = () => searchFor($("search").value);
$("search").onkeydown = (event) => {
	if (event.key === "Enter") nextHit(event.shiftKey ? -1 : 1);
	if (event.key === "Escape") { $("search").value = ""; searchFor(""); $("search").blur(); }
};
document.addEventListener("keydown", (event) => {
	if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|INPUT)$/.test(event.target.tagName || "")) return;
	const keys = { "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": () => show(windowFrom, windowTo), ArrowLeft: () => pan(-0.2), ArrowRight: () => pan(0.2),
		".": () => by(1), ",": () => by(-1), Home: () => go(0), " ": play, "/": () => $("search").focus(), n: () => nextHit(1), N: () => nextHit(-1), g: () => nextGap(1), G: () => nextGap(-1) };
	if (event.key === " " && event.target.tagName === "BUTTON") return;
	if (!keys[event.key]) return;
	event.preventDefault();
	keys[event.key]();
});
