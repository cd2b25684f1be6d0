/* ---- the moves of bubbles, and what they have led to ---- */

const eventName = job.events.map((e) => e[0]);
const ofThread = job.events.map((e) => e[2] === 1);
/* A decision of a policy has `by`, the policy with its function and reason; `a` is from where, and `b` to where. */
const byOf = (k) => shown.moves.by[k];
const queueEvents = new Set(["put", "take", "ready", "steal", "lend", "preempt", "relieve", "burst", "place", "place_bubble", "gather"]);
const stopsAt = { all: () => true, queues: (k) => queueEvents.has(eventName[shown.moves.event[k]]), decisions: byOf };
/* The runqueue of a packed place, as a key of levelOf; a place without PUs has none. */
const queueOf = (packed) => packed & 0xffff ? Math.floor(packed / 65536) + "+" + (packed & 0xffff) : "";
/* A member of a flat team is placed in a plan, and lies nowhere. */
const isPlan = (by) => by > 0 && shown.deciders[by - 1][1] === "place";

/* Where all is: `threads` and `free` have a map of members for each bubble. A copy of the state shares those maps with it:
 * the state that made one may change it, and all others replace it first (`ownMap`). All else that the maps hold is never
 * changed but replaced. */
let state = null;
const stateNew = () => ({ step: 0, onPu: new Map(), queued: new Map(), lay: new Map(), threads: new Map(), met: new Map(), free: new Map(), made: new Set() });
function stateCopy(s) {
	s.made = new Set();
	return { step: s.step, onPu: new Map(s.onPu), queued: new Map(s.queued), lay: new Map(s.lay), threads: new Map(s.threads), met: new Map(s.met), free: new Map(s.free), made: new Set() };
}
function ownMap(s, maps, b) {
	let map = maps.get(b);
	if (!map || !s.made.has(map)) {
		maps.set(b, map = new Map(map));
		s.made.add(map);
	}
	return map;
}
const threadOf = (s, b, member) => s.threads.has(b) ? s.threads.get(b).get(member) : undefined;
function threadLeave(s, b, member) {
	const at = threadOf(s, b, member);
	if (!at) return;
	if (at.how === "runs") {
		const list = s.onPu.get(at.where).filter((other) => other[0] !== b || other[1] !== member);
		if (list.length) s.onPu.set(at.where, list); else s.onPu.delete(at.where);
	}
	ownMap(s, s.threads, b).delete(member);
}
function threadAt(s, b, member, how, where) {
	threadLeave(s, b, member);
	ownMap(s, s.threads, b).set(member, { how, where });
	if (how === "runs") s.onPu.set(where, [...(s.onPu.get(where) || []), [b, member]]);
}
function freeAt(s, b, member, where) { ownMap(s, s.free, b).set(member, where); }
function freeLeave(s, b, member) {
	if (s.free.has(b)) ownMap(s, s.free, b).delete(member);
}
function over(s, b, pu) {
	const bubble = shown.bubbles[b];
	for (const member of s.threads.has(b) ? [...s.threads.get(b).keys()] : []) threadLeave(s, b, member);
	for (const map of [s.met, s.queued, s.lay, s.free, s.threads]) map.delete(b);
	if (bubble.parent >= 0 && threadOf(s, bubble.parent, bubble.parentMember)) threadAt(s, bubble.parent, bubble.parentMember, "runs", pu);
}
function apply(s, k) {
	const moves = shown.moves, b = moves.bubble[k], member = moves.member[k], pu = moves.pu[k], a = moves.a[k], n = moves.b[k], by = moves.by[k];
	switch (eventName[moves.event[k]]) {
	case "meet": s.met.set(b, 0); break;
	case "put": s.queued.set(b, a + "+" + n); s.lay.set(b, a + "+" + n); break;
	case "take": s.queued.delete(b); break;
	case "place":
		if (isPlan(by)) break;
		if (threadOf(s, b, member)) threadAt(s, b, member, queueOf(n) ? "ready" : "put aside", queueOf(n));
		else freeAt(s, b, member, queueOf(n));
		break;
	case "steal": freeLeave(s, b, member); break;
	case "gather":
		for (const other of [...s.free.keys()]) if (isWithin(other, b)) s.free.delete(other);
		break;
	case "begin": freeLeave(s, b, member); s.met.set(b, (s.met.get(b) || 0) + 1); threadAt(s, b, member, "runs", pu); break;
	case "resume": if (threadOf(s, b, member)) threadAt(s, b, member, "runs", pu); break;
	case "ready": if (threadOf(s, b, member)) threadAt(s, b, member, "ready", a + "+" + n); break;
	case "suspend": if ((threadOf(s, b, member) || {}).how === "runs") threadAt(s, b, member, "suspended", pu); break;
	case "relieve": if (threadOf(s, b, member)) threadAt(s, b, member, "blocked in the kernel", pu); break;
	case "end": threadLeave(s, b, member); break;
	case "join": over(s, b, pu); break;
	}
}
/* Copies of earlier states, one each KEPT moves: a step back or a jump begins at the nearest. A test makes it less. */
let KEPT = 4096;
const keptOf = (process) => process.kept = process.kept || [stateNew()];
function stateAt(k) {
	const kept = keptOf(shown);
	if (!state || state.step > k || Math.floor(k / KEPT) > Math.floor(state.step / KEPT)) {
		const near = kept[Math.min(kept.length - 1, Math.floor(k / KEPT))];
		if (!state || state.step > k || near.step > state.step) state = stateCopy(near);
	}
	while (state.step < k) {
		apply(state, state.step++);
		if (state.step === kept.length * KEPT) kept.push(stateCopy(state));
	}
	return state;
}
/* Makes all copies in the background, some milliseconds each, so that the first jump need not. */
let copying = 0;
function keepCopies() {
	const kept = keptOf(shown), next = stateCopy(kept[kept.length - 1]), until = kept.length * KEPT;
	copying = 0;
	if (until > shown.moves.n) return;
	while (next.step < until) apply(next, next.step++);
	kept.push(next);
	copying = setTimeout(keepCopies, 5);
}

function isWithin(b, above) {
	while (b >= 0 && b !== above) b = shown.bubbles[b].parent;
	return b >= 0;
}
function placeName(packed) {
	const n = packed & 0xffff, first = Math.floor(packed / 65536);
	if (!n) return ["", "a bubble", "a runqueue put aside"][first] || "";
	return "the runqueue of " + (shown.levelOf.get(first + "+" + n) || { name: "PUs " + first + " to " + (first + n - 1) }).name;
}
const areaNews = ["", "the team uses", "the member uses", "the thread attaches itself to", "the thread detaches itself from", "an allocator makes", "an allocator frees"];
const why = (by) => by ? shown.deciders[by - 1][2] : "";
const decided = (by) => shown.deciders[by - 1][0] + ", " + shown.deciders[by - 1][1];

function sentence(k) {
	const { moves, bubbles, pus, levelOf } = shown, event = moves.event[k], b = moves.bubble[k], member = moves.member[k], pu = moves.pu[k], a = moves.a[k], n = moves.b[k], by = moves.by[k], bubble = bubbles[b];
	const name = short(bubble.label, 60) + " #" + bubble.number, thread = "member " + member + " of " + name, on = (pus[pu] || { name: "PU " + pu }).name;
	const level = (levelOf.get(a + "+" + n) || { name: "PUs " + a + " to " + (a + n - 1) }).name;
	switch (eventName[event]) {
	case "meet": return bubble.parent < 0 ? on + ": the program meets the region " + name + ", a new bubble"
		: on + ": member " + member + " of " + short(bubbles[bubble.parent].label, 60) + " #" + bubbles[bubble.parent].number + " meets the region " + name + ", a new bubble";
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
		: thread + " is put " + (queueOf(n) ? "on " : "into ") + placeName(n) + (queueOf(a) ? (shown.deciders[by - 1][1] === "woken" ? ", not on " : ", from ") + placeName(a) : "");
	case "place_bubble": return name + " is put " + (queueOf(n) ? "on " : "into ") + placeName(n) + (queueOf(a) ? ", from " + placeName(a) : "") + ", as a whole";
	case "gather": return "all that belongs to " + name + " goes back into it, from " + placeName(a) + " and those below";
	case "range": return thread + " has " + placeName(n).replace("the runqueue of ", "") + " for itself: its teams will lie there";
	case "seat": return thread + " sits on " + (pus[a] || { name: "PU " + a }).name + ": " + ["members go round the PUs", "the policy's plan", "OMP_PROC_BIND"][n];
	case "loads": return "the program has told loads for " + name + ": " + (a ? "of " + a + " members, " : "") + number(n) + " in all";
	case "area": return "memory of " + name + ": " + (areaNews[a] || "") + " " + number(n) + " bytes";
	case "steal": if (by) return on + " had nothing to do and steals " + thread + (placeName(a) ? " from " + placeName(a) : "");
		return on + " had nothing to do and steals " + thread + (state.lay.has(b) && levelOf.get(state.lay.get(b)) ? " from the runqueue of " + levelOf.get(state.lay.get(b)).name : "");
	case "lend": return thread + " is lent to " + (pus[a] || { name: "PU " + a }).name + ", which is idle";
	case "relieve": return thread + " is blocked in the kernel; a spare takes over " + on;
	default: return on + ": " + job.events[event][1] + " (" + (ofThread[event] ? thread : name) + ")";
	}
}
