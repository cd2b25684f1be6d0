/* ---- where each thread ran ---- */

function where() {
	const host = $("where"), span = windowTo - windowFrom || 1, { pus, levels, bubbles } = shown;
	host.textContent = "";
	const busy = pus.map(() => new Map());
	for (const track of shown.tracks) for (let i = 0; i < track.n; i++) {
		const key = bubbles[track.bubble[i]].colour * 2 + (track.doing[i] === WAITS ? 1 : 0), pu = busy[track.pu];
		pu.set(key, (pu.get(key) || 0) + Math.min(track.to[i], windowTo) - Math.max(track.from[i], windowFrom));
	}
	for (const level of levels) {
		if (levels.length > 80 && !level.below.length) continue;
		const sum = new Map();
		for (let pu = level.first; pu < level.first + level.n; pu++) for (const [key, t] of busy[pu]) sum.set(key, (sum.get(key) || 0) + t);
		const name = element("span", "", level.name), bar = element("span", "bar");
		name.style.paddingLeft = 14 * level.depth + "px";
		let works = 0;
		for (const key of [...sum.keys()].sort((x, y) => (x & 1) - (y & 1) || x - y)) {
			const waits = key & 1, region = key >> 1, part = element("i", waits ? "waits" : ""), share = sum.get(key) / (span * level.n);
			part.style.width = 100 * share + "%";
			part.style.backgroundColor = regionColour(region);
			part.title = (region < 0 ? "region" : regions[region]) + (waits ? ", waiting" : "") + ": " + percent(share);
			if (!waits) works += share;
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
		const i = list[k], bubble = shown.bubbles[i], part = element("i"), from = Math.max(bubble.meet, windowFrom), to = bubble.join < 0 ? windowTo : Math.min(bubble.join, windowTo);
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
	const bubble = shown.bubbles[i];
	const content = line(bubbleColour(bubble), bubble.label + " #" + bubble.number, (bubble.members ? bubble.members + (bubble.members === 1 ? " member, " : " members, ") : "") +
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
		if (!byRegion.has(shown.bubbles[i].region)) byRegion.set(shown.bubbles[i].region, []);
		byRegion.get(shown.bubbles[i].region).push(i);
	}
	const made = [];
	for (const all of byRegion.values()) {
		if (all.length < 6) { made.push(...all.map(node)); continue; }
		const time = all.reduce((sum, i) => sum + life(shown.bubbles[i]), 0);
		made.push(foldable(line(regionColour(shown.bubbles[all[0]].colour), shown.bubbles[all[0]].label + " × " + number(all.length), duration(time) + " in all, " + duration(time / all.length) + " each", all), () => some(all, 0), all.length));
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
	$("tree").append(...groups(shown.roots));
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
	shown.model.regions.map((r, i) => [r, i]).sort(([x], [y]) => (value(x) < value(y) ? -1 : value(x) > value(y) ? 1 : 0) * (down ? -1 : 1)).forEach(([region, i]) => {
		const row = element("tr");
		columns.forEach(([name, get, text], c) => {
			const cell = element("td", "", text ? text(get(region), region) : "");
			cell.dataset.name = name;
			if (c === 0) {
				const swatch = element("span", "swatch");
				swatch.style.cssText = "margin-right:8px;background:" + regionColour(shown.colour[i]);
				cell.append(swatch, region.label + " ", element("span", "soft", region.nested ? "nested" : ""));
				cell.title = region.name;
			}
			row.append(cell);
		});
		host.append(row);
	});
}

/* ---- decisions, by reason ---- */

function reasons() {
	const host = $("reasons"), head = element("tr");
	host.textContent = "";
	$("decided").hidden = !shown.model.decisions.length;
	const names = ["policy", "function", "event", "times", "reason"];
	for (const name of names) head.append(element("th", "", name));
	host.append(head);
	for (const [policy, decider, event, reason, count] of shown.model.decisions) {
		const row = element("tr");
		[policy, decider, event, number(count), reason].forEach((text, i) => { const cell = element("td", "", text); cell.dataset.name = names[i]; row.append(cell); });
		host.append(row);
	}
}
