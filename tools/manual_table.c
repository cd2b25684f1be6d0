/* Manual: the tables (manual.h). Those of `run` that the library's options give are filled in when the command
 * starts. */
#include "manual.h"
#include "base/options.h"
#include "command.h"
#include <ctype.h>
#include <string.h>

#define N(array) (sizeof array / sizeof *array)
#define OPTION(name_, ...) {.name = name_, __VA_ARGS__}
#define MACHINE                                                                                                        \
	"a name out of `forestgomp sim --list`, a machine file, an hwloc XML file (*.xml), or a list such as "         \
	"'numa:4 l3:1 core:4' with the levels numa, package, die, group, l3, l2, core, pu"
#define PROGRAM_STATUS "the program's; 127 if there is no such program, 126 if it cannot be run, "

/* ---- run ---- */

#define FIRST_OF_LIBRARY 15 /* the options before it are listed here */

static struct manual_option run_options[] = {
	OPTION("threads", .letter = 'n', .value = "N[,N...]", .variable = "OMP_NUM_THREADS",
	       .help = "threads of a region, at each level of nesting", .kind = MANUAL_ANYTHING),
	OPTION("levels", .letter = 'l', .value = "N", .variable = "OMP_MAX_ACTIVE_LEVELS",
	       .help = "levels of nested regions that get several threads", .kind = MANUAL_ANYTHING),
	OPTION("bind", .letter = 'b', .value = "HOW", .variable = "OMP_PROC_BIND",
	       .help = "true, false, spread, close or primary", .words = "true,false,spread,close,primary"),
	OPTION("places", .letter = 'p', .value = "PLACES", .variable = "OMP_PLACES",
	       .help = "threads, cores, sockets, or a list such as {0,1},{2,3}", .words = "threads,cores,sockets"),
	OPTION("schedule", .value = "KIND[,CHUNK]", .variable = "OMP_SCHEDULE", .help = "loops with schedule(runtime)",
	       .words = "static,dynamic,guided,auto"),
	OPTION("stats", .variable = "FGOMP_STATS",
	       .help = "tell at the end, on stderr or with --stats=FILE there, where the time went: outside of "
		       "regions, and in each"),
	OPTION("memory", .variable = "FGOMP_MEMORY",
	       .help = "bring pages to the NUMA node whose threads use them, and tell at the end, on stderr, what was "
		       "remote; --memory=WORD: as that word of FGOMP_MEMORY says",
	       .words = "auto,auto+report,hints,report,off"),
	OPTION("mpi",
	       .help = "a rank that waits in MPI leaves its PUs to others; --mpi=openmpi or --mpi=mpich says which "
		       "MPI, where PROGRAM's file does not tell",
	       .words = "openmpi,mpich"),
	OPTION("emulate",
	       .help = "run PROGRAM under QEMU, so that the trace tells which data threads use, for `forestgomp pin "
		       "--from`; needs --trace"),
	OPTION("top", .value = "N", .help = "of --stats: only the N regions that take longest"),
	OPTION("json", .help = "of --stats: the table as JSON"),
	OPTION("check", .help = "say what would serve the program, and do not run it"),
	OPTION("print", .help = "show the variables and the program, do not run it"),
	OPTION("module", .letter = 'm', .value = "MODULE",
	       .help = "run a module of Python, as `python -m MODULE`; what follows are its arguments",
	       .kind = MANUAL_ANYTHING),
	OPTION("code", .letter = 'c', .value = "CODE",
	       .help = "run code of Python, as `python -c CODE`; what follows are its arguments",
	       .kind = MANUAL_ANYTHING),
	[FIRST_OF_LIBRARY... FIRST_OF_LIBRARY + FG_OPTION_COUNT - 3] = {0}, /* two stand above */
};

static const struct manual run = {
	.command = "run",
	.summary = "run a program that gcc built with -fopenmp on it",
	.arguments = "[OPTIONS] PROGRAM [ARGUMENTS]",
	.text = "Runs PROGRAM, built by gcc with -fopenmp, on ForestGOMP. It need not be rebuilt. Programs with a "
		"libgomp of their own under another name, such as Python wheels, are served too.\n\n"
		"`python -m forestgomp run SCRIPT.py` runs a script, -m MODULE or -c CODE by the same Python.",
	.options = run_options,
	.n_options = N(run_options),
	.after = "`--` ends the options: what follows is the program, even if it starts with a dash.\n\n"
		 "The FILE of a trace may have %p (process), %h (host), %q{VARIABLE}, and %n (.2, .3 and so on for "
		 "further programs).",
	.status = PROGRAM_STATUS
	"125 if the call is wrong; with --check 1 if ForestGOMP would not serve it, or complains.",
	.operand = MANUAL_PROGRAM,
	.see = "moving.md environment.md tracing.md schedulers.md",
};

/* ---- sim ---- */

static const struct manual_option sim_options[] = {
	OPTION("machine", .letter = 'm', .value = "M", .help = MACHINE, .kind = MANUAL_MACHINE),
	OPTION("cores", .value = "N",
	       .help = "the same machine with N PUs: cut down, or with more of its outermost level"),
	OPTION("sched", .value = "POLICY", .help = "bubble scheduler, as FGOMP_SCHED", .kind = MANUAL_POLICY),
	OPTION("seed", .value = "N", .help = "decides which of several PUs goes first at the same time", .preset = "1"),
	OPTION("given", .help = "only what the program gives with fgomp_sim_work(), _read() and _write() counts: "
				"exactly repeatable"),
	OPTION("repeat", .value = "N",
	       .help = "N runs with seeds that follow each other: their median, the least and the most"),
	OPTION("no-baseline", .help = "do not run it on one simulated PU first: then there is no speed-up"),
	OPTION("baseline", .help = "run it there; this is the default"),
	OPTION("compare", .value = "P,...",
	       .help = "a table of policies; on one PU it runs under the first, or under --sched",
	       .kind = MANUAL_POLICY),
	OPTION("sweep", .value = "S",
	       .help = "a table over numbers of PUs: cores=A..B doubles them, cores=A..B,STEP goes in steps; with "
		       "--compare: for each policy"),
	OPTION("svg", .value = "FILE", .help = "draw the curves of --sweep", .kind = MANUAL_FILE),
	OPTION("trace", .value = "FILE",
	       .help = "write what happens, in virtual time; `forestgomp trace FILE -o PAGE.html` draws it",
	       .kind = MANUAL_FILE),
	OPTION("stats", .help = "a table of the parallel regions at the end, on standard error"),
	OPTION("json", .help = "print the result as JSON; what the program prints goes to standard error"),
	OPTION("list", .help = "the machines that are there"),
	OPTION("show", .value = "MACHINE", .help = "each figure of a machine, and its source", .kind = MANUAL_MACHINE),
	OPTION("calibrate",
	       .help = "measure what lines, memory, switches, wake-ups cost on this machine; prints a machine file"),
};

static const struct manual sim = {
	.command = "sim",
	.summary = "run it as if on another machine: predicted time and speed-up",
	.arguments = "--machine MACHINE [OPTIONS] PROGRAM [ARGUMENTS]",
	.text = "Runs PROGRAM, built by gcc with -fopenmp, on the unmodified runtime as if on MACHINE. It tells the "
		"time that the program would take there, how busy each PU is, and what moves between them. The "
		"program's computing is timed on this machine, or given. What passes between PUs is charged by the "
		"machine's figures.",
	.options = sim_options,
	.n_options = N(sim_options),
	.after = "The run on one PU comes first and is not seen. It reads the same standard input if that is a file, "
		 "else one empty line.\n\n"
		 "All PUs share one kernel thread. So a run takes as long as its computing in all, and for each second "
		 "that a PU computes, looks for work or spins 1 to 3 s more. A terminal shows how far it is.\n\n"
		 "`--` ends the options: what follows is the program, even if it starts with a dash.",
	.status = PROGRAM_STATUS
	"2 if the call is wrong, 1 if it left no report, if its regions ran on another OpenMP runtime, or if the "
	"output could not be written.",
	.operand = MANUAL_PROGRAM,
	.see = "reading-the-simulator.md simulator.md",
};

/* ---- topo, info ---- */

static const struct manual_option topo_options[] = {
	OPTION("machine", .letter = 'm', .value = "M", .help = "another machine: " MACHINE "; also -t, --topology",
	       .kind = MANUAL_MACHINE),
	OPTION("svg", .letter = 'o', .value = "FILE", .help = "draw it to FILE ('-': standard output)",
	       .kind = MANUAL_FILE),
	OPTION("json", .help = "print it as JSON"),
	OPTION("threads", .letter = 'n', .value = "N,...",
	       .help = "where would this sit? members of the outermost team, of the teams in it, and so on: 4,4"),
	OPTION("places", .letter = 'p', .value = "PLACES",
	       .help = "as OMP_PLACES: threads, cores, sockets, or a list such as {0,1},{2,3}",
	       .words = "threads,cores,sockets"),
	OPTION("bind", .letter = 'b', .value = "BIND,...",
	       .help = "as OMP_PROC_BIND: true, false, spread, close, primary",
	       .words = "true,false,spread,close,primary"),
	OPTION("sched", .value = "POLICY", .help = "bubble scheduler, as FGOMP_SCHED", .kind = MANUAL_POLICY),
};

static const struct manual topo = {
	.command = "topo",
	.summary = "show the tree of levels of this machine, or of another",
	.arguments = "[OPTIONS]",
	.text = "Shows the tree of levels on which ForestGOMP schedules: this machine's, cut down to the PUs that this "
		"process may use. Levels that cover the same PUs are shown as one. With -n: where the members of such "
		"teams would sit.",
	.options = topo_options,
	.n_options = N(topo_options),
	.after = "For -n the runtime places such teams on the machine, simulated, where each member works for 0.2 ms. "
		 "With places (-p, -b) a member sits in the one that OpenMP gives it.",
	.status = "0; 1 if a file cannot be written; 2 if the call is wrong.",
	.see = "schedulers.md",
};

static const struct manual_option info_options[] = {OPTION("json", .help = "print it as JSON")};

static const struct manual info = {
	.command = "info",
	.summary = "version, options and where they come from, what the machine offers",
	.arguments = "[OPTIONS]",
	.text = "Shows the version and the library, each FGOMP_ option with its value and where it comes from, the "
		"OpenMP variables that are set, and what the machine offers to this process: PUs, quota, NUMA nodes, "
		"limits.",
	.options = info_options,
	.n_options = N(info_options),
	.status = "0; 2 if the call is wrong.",
	.see = "environment.md",
};

/* ---- trace, replay ---- */

static const struct manual_option trace_options[] = {
	OPTION("output", .letter = 'o', .value = "PAGE",
	       .help = "a page for any browser, all in one file: time line, bubbles, runqueues step by step, table",
	       .kind = MANUAL_FILE),
	OPTION("perfetto", .value = "FILE",
	       .help = "for ui.perfetto.dev or chrome://tracing; compressed if it ends in .gz", .kind = MANUAL_FILE),
	OPTION("json", .help = "the table as JSON; of several files: a list of them"),
	OPTION("top", .value = "N", .help = "only the N regions that take longest"),
	OPTION("from", .value = "TIME",
	       .help = "what -o and --perfetto write begins here, counted from the first event: 250us, 1.5ms, 2s; a "
		       "number without a unit is in ms"),
	OPTION("to", .value = "TIME", .help = "and ends here; default: the end, or as much as a browser can bear"),
};

static const struct manual trace = {
	.command = "trace",
	.summary = "what `run --trace FILE` wrote: a table, or a page for the browser",
	.arguments = "FILE... [OPTIONS]",
	.text = "Shows what `forestgomp run --trace FILE PROGRAM` wrote. Without an option: the table of regions. "
		"Several files are processes that ran at a time, and stand on one page: it shows which had how many "
		"PUs. A FILE to write may be '-': standard output.",
	.options = trace_options,
	.n_options = N(trace_options),
	.status = "0; 1 if there is no such trace, or a file cannot be written; 2 if the call is wrong.",
	.operand = MANUAL_FILE,
	.see = "tracing.md",
};

static const struct manual_option replay_options[] = {
	OPTION("sched", .value = "P,...", .help = "policies to try, as FGOMP_SCHED; may be said several times",
	       .kind = MANUAL_POLICY, .preset = "the recorded one"),
	OPTION("machine", .letter = 'm', .value = "M", .help = "another machine, as of `forestgomp sim`",
	       .kind = MANUAL_MACHINE, .preset = "the recorded one"),
	OPTION("cores", .value = "N", .help = "the same machine with N PUs"),
	OPTION("pin", .value = "FILE", .help = "each policy also under a pin file, which must be of that machine",
	       .kind = MANUAL_FILE),
	OPTION("runs", .value = "N",
	       .help = "replays of each policy, with seeds one after the other; the median counts", .preset = "5"),
	OPTION("seed", .value = "N",
	       .help = "the first seed: it decides which of several PUs goes first at the same time",
	       .preset = "the recorded one, or 1"),
	OPTION("trace", .value = "OUT",
	       .help = "write the trace of the first replay, for `forestgomp trace`; with one policy",
	       .kind = MANUAL_FILE),
	OPTION("computing-only",
	       .help = "replay no data: the time that they took is computing, which takes as long everywhere"),
	OPTION("json", .help = "print the result as JSON"),
};

static const struct manual replay = {
	.command = "replay",
	.summary = "run a trace again under another policy, without the program",
	.arguments = "FILE [OPTIONS]",
	.text = "Runs what FILE has recorded again, without the program: its tree of regions and tasks, with barriers, "
		"and with the time that each thread itself computed. FILE is of `forestgomp run --trace FILE`, or of "
		"`forestgomp sim` with FGOMP_TRACE=FILE. The runtime is the real one, on the simulated machine. First "
		"the recorded run itself is replayed, which shows how good a replay of it is.",
	.options = replay_options,
	.n_options = N(replay_options),
	.after = "A prediction is the time of the replays, changed by what the replays of the recorded run "
		 "miss. A simulated run records which data its members read and write, and these are replayed, "
		 "too. Other traces do not tell that. So on several NUMA nodes they are replayed with "
		 "--computing-only alone. Not in a trace: locks, and iterations that a loop deals out as it "
		 "goes.",
	.status = "0; 2 if the call is wrong; 1 if nothing can be replayed, or if no replay could tell how long a run "
		  "takes.",
	.operand = MANUAL_FILE,
	.see = "tracing.md",
};

/* ---- pin ---- */

static const struct manual_option pin_options[] = {
	OPTION("machine", .letter = 'm', .value = "M", .help = "measure on a simulated machine: " MACHINE,
	       .kind = MANUAL_MACHINE),
	OPTION("runs", .letter = 'n', .value = "N",
	       .help = "runs of the program in all, from 6 to 512; more where placements are many, because the best "
		       "has three of its own",
	       .preset = "12"),
	OPTION("from", .value = "FILE",
	       .help = "plan from a recording, too: of `forestgomp run --trace FILE --trace-uses`, or of `forestgomp "
		       "sim --trace FILE`; without PROGRAM nothing is run",
	       .kind = MANUAL_FILE),
	OPTION("perf", .value = "FILE",
	       .help = "with --from: samples of the same run, by `perf mem record -k CLOCK_MONOTONIC`, as `perf "
		       "script` prints them",
	       .kind = MANUAL_FILE),
	OPTION("output", .letter = 'o', .value = "FILE",
	       .help = "write what pays, for `forestgomp run --pin FILE`; nothing is written that does not pay",
	       .kind = MANUAL_FILE),
	OPTION("svg", .value = "FILE", .help = "draw what members share, as they sit by `compact` and as planned",
	       .kind = MANUAL_FILE),
	OPTION("seed", .value = "N", .help = "of the first simulated run; those that follow count on", .preset = "1"),
	OPTION("given", .help = "as of `forestgomp sim`"),
	OPTION("json", .help = "print it as JSON"),
};

static const struct manual pin = {
	.command = "pin",
	.summary = "find where a program's threads should sit, by running it",
	.arguments = "[OPTIONS] PROGRAM [ARGUMENTS]",
	.text = "Runs PROGRAM several times, with its threads on PUs as the machine suggests: compact, scattered, "
		"scattered by 2, 4 and so on, one a core. Then each region has the placement that is best for it, if "
		"there is more than one. The best of all runs on in turns with the program by itself. It counts if "
		"chance makes such a lead in at most one of twenty cases.\n\n"
		"The first run is recorded, and its time does not count: samples tell which threads share data. On a "
		"simulated machine that is exact, if PROGRAM calls fgomp_sim_read and fgomp_sim_write. From that run, "
		"or from the trace of one (--from), placements are planned, too.\n\n"
		"PROGRAM must do the same work in each run. What it writes, it writes each time; its standard output "
		"is not shown.",
	.options = pin_options,
	.n_options = N(pin_options),
	.after = "A placement that is the same for all regions is printed as OMP_PLACES, which any OpenMP runtime "
		 "reads. Those of single regions need ForestGOMP.",
	.status =
		"0; 1 if a run of PROGRAM failed, no region of it could be pinned, or the recording is not whole or of "
		"another program; 2 if the call is wrong; 127 if there is no such program, 126 if it cannot be run.",
	.operand = MANUAL_PROGRAM,
	.see = "pinning.md",
};

/* ---- top, limit ---- */

static const struct manual_option top_options[] = {
	OPTION("once", .help = "one picture, of a quarter of a second"),
	OPTION("json", .help = "print it as JSON: an object on each line"),
};

static const struct manual top = {
	.command = "top",
	.summary = "the programs that share their PUs now, and who uses what",
	.arguments = "[OPTIONS]",
	.text = "Shows the user's programs that run with FGOMP_SHARE=on, once a second until it is ended (Ctrl-C). On "
		"a terminal each picture takes the place of the last one. The bar shows the PUs of the machine: each "
		"program's by its letter, those that other programs use as #, and idle ones as dots.",
	.options = top_options,
	.n_options = N(top_options),
	.after =
		"STATE: `region`: in a parallel region. `busy`: it computes, and tells nothing, because it is alone or "
		"outside of regions. `idle`, `stopped`; `elsewhere`: in another container.\n\n"
		"WANTS: PUs that it could keep busy, as a mean. GRANTED: PUs that it may keep busy now. USES: granted "
		"ones that it kept busy. LOST: PUs that it could have kept busy as well. CPU: the CPU time that it "
		"used, as the system tells. LIMIT: by `forestgomp limit`. MAY USE: the numbers of its PUs. A dash: it "
		"has not told.",
	.status = "0; 1 if there is no board, because no program has run with FGOMP_SHARE=on; 2 if the call is wrong.",
	.see = "sharing.md",
};

static const struct manual limit = {
	.command = "limit",
	.summary = "let a program that runs use fewer PUs from now on",
	.arguments = "PID N|off",
	.text = "The user's process PID, which runs with FGOMP_SHARE=on, keeps at most N PUs busy from now on, in the "
		"midst of a region as well. Its teams keep their sizes. `off` ends that. `forestgomp top` shows PIDs "
		"and limits.",
	.after = "The program sees it within some milliseconds, once a thread of it waits: at a barrier, say. The "
		 "limit ends with the process, and a child of it has none.",
	.status = "0; 1 if the process is not there, is another user's, shares nothing or is bound; 2 if the call is "
		  "wrong, or N is more than the process has.",
	.operand = MANUAL_ANYTHING,
	.see = "sharing.md",
};

/* ---- serve ---- */

static const struct manual_option serve_options[] = {
	OPTION("limit-user", .value = "[USER=]N",
	       .help = "the programs of a user, or of each user, use at most N PUs in all; may be given several times",
	       .kind = MANUAL_ANYTHING),
	OPTION("as-published", .help = "a reply holds until the region ends, as in the paper: for comparisons"),
	OPTION("own", .help = "as root: serve the programs of this board only, as other users do"),
	OPTION("status", .help = "tell what the server holds that runs here, and end"),
	OPTION("json", .help = "of --status: print it as JSON"),
};

static const struct manual serve = {
	.command = "serve",
	.summary = "a server that says how many PUs each program uses, also of several users",
	.arguments = "[OPTIONS]",
	.text = "Runs until it is ended (Ctrl-C, SIGTERM). Programs with FGOMP_SHARE=server ask it while they are in "
		"regions. As root it serves all users at /run/forestgomp/server: the users share the PUs equally, "
		"then the programs of each. Another user's server serves that user's programs, from the folder of "
		"the board.",
	.options = serve_options,
	.n_options = N(serve_options),
	.after = "If the server ends, hangs or is stopped, its programs go on by the board, as with FGOMP_SHARE=on, "
		 "within 30 ms. They come back to it when it answers again.",
	.status = "0; 1 if it cannot listen, if another server runs there, or if none answers --status; 2 if the call "
		  "is wrong.",
	.see = "sharing.md",
};

/* ---- doctor, jupyter ---- */

static const struct manual_option doctor_options[] = {
	OPTION("json", .help = "print it as JSON"),
	OPTION("facts", .value = "FILE",
	       .help = "judge what `forestgomp info --json` wrote to FILE, on another machine, say",
	       .kind = MANUAL_FILE),
};

static const struct manual doctor = {
	.command = "doctor",
	.summary = "which OpenMP libraries are there, which would serve, what is in the way",
	.arguments = "[OPTIONS] [PROGRAM|SCRIPT.py|PID]",
	.text = "Looks at the OpenMP libraries that the packages of Python bring, that PROGRAM loads, or that the "
		"process PID has. It also looks at the limits of this process and at its variables. Nothing is run. "
		"Each finding is one line, with what to do about it.",
	.options = doctor_options,
	.n_options = N(doctor_options),
	.after = "The Python is the one to which ForestGOMP belongs, or the first python3 on the PATH.",
	.status = "0 if nothing is in the way; 1 if something is; 2 if the call is wrong, or there is no such program, "
		  "script or process.",
	.operand = MANUAL_PROGRAM,
	.see = "python.md moving.md",
};

static const struct manual_option jupyter_options[] = {
	OPTION("user", .help = "for the user's every Jupyter, not only that of this environment"),
	OPTION("remove", .help = "take the kernel away again"),
};

static const struct manual jupyter = {
	.command = "jupyter",
	.summary = "install a kernel for notebooks, which runs on ForestGOMP",
	.arguments = "[OPTIONS]",
	.text = "Installs a kernel called `Python (ForestGOMP)` for Jupyter. Notebooks with it run on ForestGOMP, as "
		"with `python -m forestgomp run`. It is of the Python package.",
	.options = jupyter_options,
	.n_options = N(jupyter_options),
	.status = "0; 1 if the kernel cannot be written or removed; 2 if the call is wrong.",
	.see = "python.md",
};

/* ---- man, completion ---- */

static const struct manual man = {
	.command = "man",
	.summary = "write a manual page: `forestgomp man run | man -l -`",
	.arguments = "[PAGE]",
	.text = "Writes a page in the form of man(7): of a command, `forestgomp` (the default), or `variables`.",
	.status = "0; 2 if the call is wrong.",
	.operand = MANUAL_COMMAND,
	.see = "environment.md",
};

static const struct manual completion = {
	.command = "completion",
	.summary = "write what bash, zsh or fish must know: `eval \"$(forestgomp completion bash)\"`",
	.arguments = "bash|zsh|fish",
	.text = "Writes a file for the completion of a shell. An installed ForestGOMP has it in the folders of the "
		"shells already.",
	.status = "0; 2 if the call is wrong.",
	.operand = MANUAL_SHELL,
	.see = "environment.md",
};

const struct manual *const manuals[] = {&run, &doctor, &topo,  &sim,   &info,	 &trace, &replay,
					&pin, &top,    &limit, &serve, &jupyter, &man,	 &completion};
const unsigned n_manuals = N(manuals);

/* FGOMP_TRACE_SIZE: trace-size. FGOMP_THREADS would clash with --threads, which must be a number. */
const char *
manual_option_of_variable(unsigned index)
{
	static char names[FG_OPTION_COUNT][32];
	if (index == FG_OPTION_threads)
		return "thread-kind";
	char *name = names[index];
	size_t i = 0;
	for (const char *p = fg_option_table[index].name + strlen("FGOMP_"); *p && i < sizeof *names - 1; p++)
		name[i++] = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	return name;
}

/* The words of a choice. */
static void
add_of_library(struct manual_option *entry, unsigned index)
{
	const struct fg_option *option = &fg_option_table[index];
	bool flag = option->type == FG_OPTION_FLAG;
	bool is_file = option->type == FG_OPTION_TEXT && strcmp(option->accepted, "a file's name") == 0;
	*entry = (struct manual_option){
		.name = manual_option_of_variable(index),
		.value = flag				  ? NULL
			 : is_file			  ? "FILE"
			 : option->type == FG_OPTION_TEXT ? "TEXT"
							  : "VALUE",
		.help = option->help,
		.variable = option->name,
		.accepted = flag ? NULL : option->accepted,
		.preset = flag ? NULL : option->preset,
		.kind = option->type == FG_OPTION_POLICY ? MANUAL_POLICY
			: is_file			 ? MANUAL_FILE
							 : MANUAL_ANYTHING,
		.words = option->type == FG_OPTION_CHOICE ? option->accepted : NULL,
	};
}

void
manual_begin(void)
{
	unsigned n = FIRST_OF_LIBRARY;
	for (unsigned i = 0; i < FG_OPTION_COUNT; i++)
		if (i != FG_OPTION_stats && i != FG_OPTION_memory)
			add_of_library(&run_options[n++], i);
}
