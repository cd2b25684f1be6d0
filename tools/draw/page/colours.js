/* ---- colours ---- */

/* After Okabe and Ito: people with any kind of colour vision can tell them apart. */
const hues = { light: ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#9a8700"],
	dark: ["#4a9fd8", "#e8ab2e", "#2fb58d", "#d68fb6", "#86cdf2", "#ec7a34", "#c9b730"] };
const OTHER = 21, PALE = 22, PAINTS = 23;
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
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* Paints: seven hues, the same lighter, the same darker; then grey for all others, and a pale one for all that a search
 * does not find. A waiting member has a paint between its region's and the ground. */
let colourBy = "region", paints = [], waitPaints = [], inks = [];
function mixPaints() {
	const list = hues[isDark() ? "dark" : "light"], free = colour("--free");
	paints = [];
	for (const [ground, share] of [["#ffffff", 0], ["#ffffff", 0.45], ["#000000", 0.35]]) for (const hue of list) paints.push(mixed(hue, ground, share));
	paints.push(isDark() ? "#9aa2ad" : "#6b7280", mixed(free, colour("--soft"), 0.22));
	waitPaints = paints.map((paint) => mixed(paint, free, 0.62));
	inks = paints.map(inkOn);
}
const paintOfRegion = (region) => region < 0 || region >= OTHER ? OTHER : region;
function paintOf(bubble) {
	if (!bubble.hit) return PALE;
	if (colourBy === "bubble") return bubble.number % OTHER;
	if (colourBy === "depth") return Math.min(bubble.depth, 6);
	return paintOfRegion(bubble.colour);
}
function paintAll() {
	for (const process of processes) for (const bubble of process.bubbles) bubble.paint = paintOf(bubble);
}
const regionColour = (region) => paints[paintOfRegion(region)];
const bubbleColour = (bubble) => paints[bubble.paint];

/* ---- head, legend ---- */

function legendItem(list, style, text, kind) {
	const item = element("li"), swatch = element("span", "swatch " + (kind || "")), words = element("span", "", short(text, 60));
	if (style) swatch.style.background = style;
	words.title = text;
	item.append(swatch, words);
	list.append(item);
}
function regionLegend(list) {
	regions.slice(0, Math.min(OTHER, 14)).forEach((label, i) => legendItem(list, regionColour(i), label));
	if (regions.length > 14) legendItem(list, paints[OTHER], "and " + number(regions.length - 14) + " more, in the table");
}
function legend() {
	const list = $("legend"), add = (style, text, kind) => legendItem(list, style, text, kind);
	list.textContent = "";
	if (colourBy === "region") regionLegend(list);
	if (colourBy === "depth") {
		let deepest = 0;
		for (const process of processes) for (const bubble of process.bubbles) deepest = Math.max(deepest, bubble.depth);
		for (let d = 0; d <= Math.min(6, deepest); d++) add(paints[d], d ? "nested, depth " + d + (d === 6 ? " and more" : "") : "outermost");
	}
	if (colourBy === "bubble") add("linear-gradient(90deg," + paints.slice(0, 7).join(",") + ")", "each bubble has a colour; there are 21 of them");
	add("", "in a task", "task");
	add("", "waits at a barrier", "waits");
	add("", "nothing runs", "free");
	if (processes.some((process) => process.hasSet)) add("", "nothing runs, and the process has chosen other PUs", "outside");
}
function facts() {
	const model = shown.model, host = $("facts");
	$("command").textContent = processes.length > 1 ? number(processes.length) + " processes: " + short(model.command, 120) : short(model.command || "ForestGOMP trace", 160);
	$("command").title = model.command;
	document.title = (model.command || "trace") + " · ForestGOMP";
	host.textContent = "";
	for (const [what, value] of [["took", duration(job.span)], ["regions met", number(processes.reduce((sum, p) => sum + p.model.met, 0))], ["PUs", number(machines.reduce((sum, machine) => sum + machine.n, 0))], ["policy", model.policy],
		["carrier", model.carrier], ["host", [...new Set(processes.map((p) => p.model.host))].slice(0, 4).join(", ")], ["begun", new Date(model.wall / 1e6).toISOString().slice(0, 19).replace("T", " ") + " UTC"]]) {
		if (!value) continue;
		const item = element("li", "", what + " ");
		item.append(element("b", "", value));
		host.append(item);
	}
	const notes = processes.flatMap((p) => [p.model.note, p.model.lost ? number(p.model.lost) + " of the oldest events were written over (FGOMP_TRACE_SIZE)" : ""].filter(Boolean)
		.map((text) => processes.length > 1 ? p.name + ": " + text : text));
	if (windowFrom > 0 || windowTo < job.span) notes.push("Details are here from " + duration(windowFrom) + " to " + duration(windowTo) + " of " + duration(job.span) +
		"; `forestgomp trace --from TIME --to TIME` makes a page of another part");
	$("note").textContent = notes.join(". ");
}
