/* ---- grants: how many PUs each process might keep busy ---- */

const GRANTS_HEIGHT = 64;
const processPaint = (process) => process.index % OTHER;
const cpusOf = (list) => new Set(list.flatMap((process) => process.pus.map((pu) => pu.os)));
/* Processes of one machine, each with its PUs. */
const machines = [...new Set(processes.map((process) => process.model.machine))].map((number) => {
	const list = processes.filter((process) => process.model.machine === number);
	return { processes: list, n: Math.max(cpusOf(list).size, ...list.map((process) => process.pus.length)) };
});
/* The times in which the process has a region of several members in flight, one after the other. */
function regionTimes(process) {
	const end = process.model.begin + process.model.span, times = [];
	const lives = process.roots.map((b) => process.bubbles[b]).filter((bubble) => bubble.members !== 1)
		.map((bubble) => [Math.max(bubble.meet, windowFrom), bubble.join < 0 ? end : bubble.join]).sort((a, b) => a[0] - b[0]);
	for (const [from, to] of lives) {
		const last = times[times.length - 1];
		if (last && from <= last[1]) last[1] = Math.max(last[1], to); else times.push([from, to]);
	}
	return times;
}
/* The grant that holds at this time; -1: none. */
const grantAt = (process, t) => bisect(process.grants.length, (i) => process.grants[i].time > t) - 1;
/* Calls add(from, to, PUs) for all times in a region between `from` and `to`. */
function eachGrant(process, from, to, add) {
	const times = process.regionTimes = process.regionTimes || regionTimes(process), grants = process.grants;
	for (let k = bisect(times.length, (i) => times[i][1] > from); k < times.length && times[k][0] < to; k++) {
		const last = Math.min(times[k][1], to);
		let at = Math.max(times[k][0], from);
		for (let i = Math.max(0, grantAt(process, at)); i < grants.length && at < last; i++) {
			const until = Math.min(last, i + 1 < grants.length ? grants[i + 1].time : Infinity);
			if (until > at) add(at, until, grants[i].pus);
			at = Math.max(at, until);
		}
	}
}
/* The most PUs that processes had at a time, as a mean over a 400th of the whole. The row is as high. */
function mostGranted(row) {
	const parts = 400, sum = new Float64Array(parts + 1), part = (windowTo - windowFrom || 1) / parts;
	for (const process of row.grants) eachGrant(process, windowFrom, windowTo, (from, to, pus) => {
		for (let k = Math.floor((from - windowFrom) / part); k < parts && windowFrom + k * part < to; k++)
			sum[k] += pus * (Math.min(to, windowFrom + (k + 1) * part) - Math.max(from, windowFrom + k * part)) / part;
	});
	return Math.max(row.n, Math.ceil(sum.reduce((a, b) => Math.max(a, b)) - 0.05));
}
/* A row for each machine on which PUs can change hands. */
function grantRows() {
	return machines.filter((machine) => machine.processes.length > 1 || machine.processes[0].grants.length > 1).map((machine) => ({
		name: "PUs granted", title: "How many PUs each process might keep busy while it was in a region. Where the processes do not share, they stack above the PUs that are there.",
		grants: machine.processes, n: machine.n, tracks: [], inside: null, process: null }));
}
function drawGrants(row) {
	const scale = width / (view.to - view.from), tall = row.height - 6;
	row.most = row.most || mostGranted(row);
	sumsClear();
	for (const process of row.grants) eachGrant(process, view.from, view.to, (from, to, pus) => addShare((from - view.from) * scale, (to - view.from) * scale, processPaint(process), pus));
	drawShares(context, row.top + 2, tall, row.most);
	if (row.most === row.n) return;
	context.fillStyle = colour("--ink");
	context.fillRect(0, Math.round(row.top + 2 + tall * (1 - row.n / row.most)) - 0.5, width, 1);
}
function tipOfGrants(event, row) {
	const t = toTime(event.offsetX), lines = [["at", clock(t)]];
	for (const process of row.grants) {
		let said = "no region in flight";
		eachGrant(process, t, t + 1, (from, to, pus) => { said = pus + " of " + process.pus.length + " PUs"; });
		lines.push([short(process.name, 40), said]);
	}
	tip(event.clientX, event.clientY, row.name + " (" + row.n + " PUs)", lines);
}
/* On the row of a PU: the times in which it is in no set that its process has. */
function drawOutside(row, y, tall) {
	const grants = row.process.grants;
	if (row.os === undefined || !row.process.hasSet) return;
	context.fillStyle = colour("--card");
	grants.forEach((grant, i) => {
		const left = Math.max(0, toX(grant.time)), right = i + 1 < grants.length ? Math.min(width, toX(grants[i + 1].time)) : width;
		if (grant.set.size && !grant.set.has(row.os) && right > left) context.fillRect(left, y, right - left, tall);
	});
}
