/* The part of the explorer that main.c sees. */
#pragma once
#include "interleave/model.h"

enum model_search {
	MODEL_SHORT,
	MODEL_THOROUGH, /* all runs with 3 preemptions, if they end within ten times the time */
	MODEL_HUNT	/* for a failure that exists: random runs early */
};

struct model_report {
	uint64_t exhaustive, random; /* runs */
	double seconds;		     /* of CPU time */
	char searched[80]; /* the bounds searched completely: " 2+1 3+0", preemptions + oddities */
	char failure[512], replay[8192];
};

/* Looks for a failing run for about `seconds` of CPU time. True: there is one. */
bool model_explore(const struct model_scenario *scenario, double seconds, enum model_search search,
		   struct model_report *report);
/* Runs the choices that `text` names, with a trace. True: the run fails. */
bool model_replay(const struct model_scenario *scenario, const char *text);
/* Puts the program's variables back to their values before the first run. */
void model_program_reset(void);

/* The linker's knowledge of the program: its operations and its scenarios. */
struct model_program {
	struct model_site *sites, *sites_end;
	const struct model_scenario *const *scenarios, *const *scenarios_end;
};
int model_main(int argc, char **argv, struct model_program program);
