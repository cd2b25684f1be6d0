/* ---- search ---- */

let sought = "", hits = 0;
/* "leaf" finds regions, "#59" one bubble, "#59 3" or "leaf 3" one member. */
function searchFor(text) {
	sought = text.trim().toLowerCase();
	hits = 0;
	const wanted = /^#(\d+)$/.exec(sought);
	for (const process of processes) for (const bubble of process.bubbles) {
		bubble.hit = !sought || (wanted ? bubble.number === Number(wanted[1]) : bubble.label.toLowerCase().includes(sought) || bubble.process.name.toLowerCase().includes(sought));
		if (bubble.hit) hits++;
	}
	paintAll();
	$("found").textContent = !sought ? "" : hits === 0 ? "no bubble" : number(hits) + (hits === 1 ? " bubble" : " bubbles");
	draw();
}
/* Shows the next bubble that was found, after the moment or before it. */
function nextHit(direction) {
	if (!sought || !hits) return;
	let best = null;
	for (const process of processes) for (const bubble of process.bubbles) {
		const t = Math.max(bubble.meet, windowFrom);
		if (bubble.hit && (t - moment) * direction > 0 && (!best || (t - best.meet) * direction < 0)) best = bubble;
	}
	if (!best) { $("found").textContent = direction > 0 ? "no more after this moment" : "none before this moment"; return; }
	const life = (best.join < 0 ? windowTo : best.join) - best.meet, span = Math.min(view.to - view.from, Math.max(20 * life, 20));
	if (best.process !== shown) showProcess(best.process);
	stepAt(best.meet);
	moment = best.meet;
	show(best.meet - span / 4, best.meet + 3 * span / 4);
	$("found").textContent = short(best.label, 24) + " #" + best.number + ", one of " + number(hits);
}

/* ---- idle gaps ---- */

let gaps = null, gapAt = -1;
/* All times in which a PU does no work, because nothing runs there or the member waits. The longest come first. */
function findGaps() {
	const list = [];
	const walk = (row) => {
		if (row.grants) return;
		if (row.inside) return row.inside.forEach(walk);
		const track = row.tracks[0];
		let until = windowFrom;
		for (let i = 0; track && i < track.n; i++) {
			if (track.doing[i] === WAITS) continue;
			if (track.from[i] > until) list.push({ row, from: until, to: track.from[i] });
			until = Math.max(until, track.to[i]);
		}
		if (until < windowTo) list.push({ row, from: until, to: windowTo });
	};
	rowTree.forEach(walk);
	return list.sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, 5000);
}
function nextGap(direction) {
	gaps = gaps || findGaps();
	if (!gaps.length) { $("gap-said").textContent = "no PU is idle"; return; }
	gapAt = (gapAt + direction + gaps.length) % gaps.length;
	gap = gaps[gapAt];
	const margin = (gap.to - gap.from) * 0.4;
	for (const row of rowTree) openTo(row, gap.row);
	layout();
	show(gap.from - margin, gap.to + margin);
	$("gap-said").textContent = (gapAt + 1) + ". " + gap.row.name + ": " + duration(gap.to - gap.from);
}
function openTo(row, wanted) {
	const found = row === wanted || (row.inside && row.inside.some((inner) => openTo(inner, wanted)));
	if (found && row.inside) row.open = true;
	return found;
}
function drawGap() {
	if (!gap || !rows.includes(gap.row)) return;
	context.strokeStyle = colour("--mark");
	context.lineWidth = 2;
	const left = Math.max(-4, toX(gap.from)), right = Math.min(width + 4, toX(gap.to));
	if (right > left) context.strokeRect(left + 1, gap.row.top + 1, Math.max(1, right - left - 2), gap.row.height - 2);
}
