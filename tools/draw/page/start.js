/* ---- all of it ---- */

/* The first picture must not be empty. */
function firstStep() {
	for (const name of ["put", "begin"])
		for (let k = 0; k < shown.moves.n && k < 5000; k++)
			if (eventName[shown.moves.event[k]] === name) return k + 1;
	return 0;
}
function showProcess(process) {
	shown = process;
	state = null;
	step = firstStep();
	$("process").value = process.index;
	$("seek").max = shown.moves.n;
	findDecisions();
	facts();
	machine();
	where();
	tree();
	table();
	reasons();
	showStep();
	copying = copying || setTimeout(keepCopies, 100);
}
function everything() {
	mixPaints();
	paintAll();
	findDecisions();
	layout();
	legend();
	const at = step;
	showProcess(shown);
	go(at);
	drawNow();
}
for (const process of processes) {
	const choice = element("option", "", process.name);
	choice.value = process.index;
	$("process").append(choice);
}
$("process").hidden = processes.length < 2;
$("process").onchange = () => showProcess(processes[Number($("process").value)]);
$("colour-by").onchange = () => { colourBy = $("colour-by").value; paintAll(); legend(); tree(); showStep(); drawNow(); };
$("stops").onchange = () => showStep();
$("theme").onclick = () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; everything(); };
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", everything);
let wide = innerWidth;
window.addEventListener("resize", () => { if (innerWidth === wide) return; wide = innerWidth; layout(); machine(); showStep(); drawNow(); });
step = firstStep();
everything();
document.body.dataset.ready = "1";
