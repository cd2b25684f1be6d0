/* ---- steps ---- */

const STRIDE = 8, moves = model.moves, nMoves = moves.length / STRIDE;
const eventName = model.events.map((e) => e[0]);
const ofThread = model.events.map((e) => e[2] === 1);
/* A decision of a policy has `by`, the policy with its function and reason; `a` is from where, and `n` to where. */
const byOf = (k) => moves[k * STRIDE + 7];
const queueEvents = new Set(["put", "take", "ready", "steal", "lend", "preempt", "relieve", "burst", "place", "place_bubble", "gather"]);
const stopsAt = { all: () => true, queues: (k) => queueEvents.has(eventName[moves[k * STRIDE + 1]]), decisions: byOf };
/* The runqueue of a packed place, as a key of levelOf; a place without PUs has none. */
const queueOf = (packed) => packed & 0xffff ? Math.floor(packed / 65536) + "+" + (packed & 0xffff) : "";
/* A member of a flat team is placed in a plan, and lies nowhere. */
const isPlan = (by) => by > 0 && model.deciders[by - 1][1] === "place";
let step = 0, state = null, playing = 0;

function stateNew() {
	return { onPu: pus.map(() => []), queued: new Map(), lay: new Map(), threads: new Map(), met: new Map(), free: new Map() };
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
	const [, event, b, member, pu, a, n, by] = moves.slice(k * STRIDE, (k + 1) * STRIDE), key = b + ":" + member;
	switch (eventName[event]) {
	case "meet": s.met.set(b, 0); break;
	case "put": s.queued.set(b, a + "+" + n); s.lay.set(b, a + "+" + n); break;
	case "take": s.queued.delete(b); break;
	case "place":
		if (isPlan(by)) break;
		if (s.threads.has(key)) threadAt(s, key, queueOf(n) ? "ready" : "put aside", queueOf(n));
		else s.free.set(key, queueOf(n));
		break;
	case "steal": s.free.delete(key); break;
	case "gather":
		for (const other of [...s.free.keys()]) if (isWithin(Number(other.split(":")[0]), b)) s.free.delete(other);
		break;
	case "begin": s.free.delete(key); s.met.set(b, (s.met.get(b) || 0) + 1); threadAt(s, key, "runs", pu); break;
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
		for (const other of [...s.free.keys()]) if (other.startsWith(b + ":")) s.free.delete(other);
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

function isWithin(b, above) {
	while (b >= 0 && b !== above) b = bubbles[b].parent;
	return b >= 0;
}
function placeName(packed) {
	const n = packed & 0xffff, first = Math.floor(packed / 65536);
	if (!n) return ["", "a bubble", "a runqueue put aside"][first] || "";
	return "the runqueue of " + (levelOf.get(first + "+" + n) || { name: "PUs " + first + " to " + (first + n - 1) }).name;
}
const areaNews = ["", "the team uses", "the member uses", "the thread attaches itself to", "the thread detaches itself from", "an allocator makes", "an allocator frees"];
const why = (by) => by ? model.deciders[by - 1][2] : "";
const decided = (by) => model.deciders[by - 1][0] + ", " + model.deciders[by - 1][1];

function sentence(k) {
	const [, event, b, member, pu, a, n, by] = moves.slice(k * STRIDE, (k + 1) * STRIDE), bubble = bubbles[b];
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
	case "burst": return name + " is burst: its members, and all else in it, are entities by themselves";
	case "place": return isPlan(by) ? "the plan for " + thread + " is " + placeName(n).replace("the runqueue of ", "")
		: thread + " is put " + (queueOf(n) ? "on " : "into ") + placeName(n) + (queueOf(a) ? (model.deciders[by - 1][1] === "woken" ? ", not on " : ", from ") + placeName(a) : "");
	case "place_bubble": return name + " is put " + (queueOf(n) ? "on " : "into ") + placeName(n) + (queueOf(a) ? ", from " + placeName(a) : "") + ", as a whole";
	case "gather": return "all that belongs to " + name + " goes back into it, from " + placeName(a) + " and those below";
	case "range": return thread + " has " + placeName(n).replace("the runqueue of ", "") + " for itself: its teams will lie there";
	case "seat": return thread + " sits on " + (pus[a] || { name: "PU " + a }).name + ": " + ["members go round the PUs", "the policy's plan", "OMP_PROC_BIND"][n];
	case "loads": return "the program has told loads for " + name + ": " + (a ? "of " + a + " members, " : "") + number(n) + " in all";
	case "area": return "memory of " + name + ": " + (areaNews[a] || "") + " " + number(n) + " bytes";
	case "steal": if (by) return on + " had nothing to do and steals " + thread + (placeName(a) ? " from " + placeName(a) : "");
		return on + " had nothing to do and steals " + thread + (state.lay.has(b) ? " from the runqueue of " + levelOf.get(state.lay.get(b)).name : "");
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
function pill(text, bubble, kind, title) {
	const made = element("span", "pill " + kind, text), fill = bubbleColour(bubble);
	made.style.background = fill;
	made.style.color = inkOn(fill);
	made.title = title || text;
	return made;
}
const threadOf = (key) => { const [b, m] = key.split(":"); return [bubbles[Number(b)], Number(m)]; };

function showStep() {
	const s = stateAt(step), k = step - 1;
	for (const { made, queue, runs } of boxes.values()) {
		made.classList.remove("touched", "left");
		queue.textContent = "";
		if (runs) { runs.textContent = "idle"; runs.style.background = ""; runs.style.color = ""; }
	}
	for (const [b, where] of s.queued) {
		const at = boxes.get(levelOf.get(where)), bubble = bubbles[b];
		const left = Math.max(0, bubble.members - Math.max(1, s.met.get(b) || 0));
		if (at) at.queue.append(pill(labelOf(bubble) + " #" + bubble.number + " · " + left + " unborn", bubble, "bubble"));
	}
	/* Members that were set free: one pill for those of one bubble on one runqueue. */
	const groups = new Map();
	for (const [key, where] of s.free) {
		const [b, m] = key.split(":"), group = where + " " + b;
		if (!groups.has(group)) groups.set(group, { where, b: Number(b), members: [] });
		groups.get(group).members.push(m);
	}
	$("aside").textContent = "";
	for (const { where, b, members } of groups.values()) {
		const at = where && boxes.get(levelOf.get(where));
		if (at) at.queue.append(pill("#" + bubbles[b].number + " · " + members.join(", "), bubbles[b], "free",
			(members.length > 1 ? "members " : "member ") + members.join(", ") + " of " + labelOf(bubbles[b]) + " #" + bubbles[b].number + ", set free and not yet born"));
	}
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
		const by = byOf(k), a = moves[k * STRIDE + 5], n = moves[k * STRIDE + 6];
		const level = by ? levelOf.get(queueOf(n)) : ["put", "take", "ready"].includes(event) ? levelOf.get(a + "+" + n) : pu;
		const left = by && levelOf.get(queueOf(a));
		if (level && boxes.get(level)) boxes.get(level).made.classList.add("touched");
		if (left && left !== level && boxes.get(left)) boxes.get(left).made.classList.add("left");
		said.append(element("span", "when", duration(t)), sentence(k));
		if (by) said.append(element("span", "why", decided(by) + (why(by) ? ": " + why(by) : "")));
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

/* ---- the decisions beside the time line ---- */

const LISTED = 120;
const decisionSteps = [];
for (let k = 0; k < nMoves; k++) if (byOf(k)) decisionSteps.push(k);
$("line").classList.toggle("decided", decisionSteps.length > 0);
let listed = "";
/* Lists those in the part of the time line that is seen, nearest to the moment if there are too many. */
function listDecisions() {
	const first = (t) => {
		let low = 0, high = decisionSteps.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (moves[decisionSteps[middle] * STRIDE] < t) low = middle + 1; else high = middle;
		}
		return low;
	};
	let from = first(view.from), to = first(view.to + 1);
	const all = to - from, at = Math.max(from, Math.min(to, first(moment)));
	if (all > LISTED) {
		from = Math.max(from, Math.min(at - LISTED / 2, to - LISTED));
		to = from + LISTED;
	}
	const key = from + "-" + to + " " + all + " " + step;
	if (key === listed) return;
	listed = key;
	const host = $("decisions");
	host.textContent = "";
	host.append(element("div", "soft", number(all) + " decisions in the time shown" + (all > LISTED ? "; here those around the moment" : "")));
	for (let i = from; i < to; i++) {
		const k = decisionSteps[i], by = byOf(k), entry = element("button", k === step - 1 ? "now" : "");
		entry.append(element("span", "when", duration(moves[k * STRIDE])), sentence(k), element("span", "why", decided(by) + (why(by) ? ": " + why(by) : "")));
		entry.onclick = () => go(k + 1);
		host.append(entry);
	}
	const now = host.querySelector(".now");
	if (now) host.scrollTop = Math.max(0, now.offsetTop - host.offsetTop - host.clientHeight / 2);
}

function go(to) { step = Math.max(0, Math.min(nMoves, to)); showStep(); }
function by(direction) {
	const stop = stopsAt[$("stops").value];
	let to = step + direction;
	while (to > 0 && to < nMoves && !stop(to - 1)) to += direction;
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

