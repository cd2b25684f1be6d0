/* Tables of `forestgomp sim`: policies and numbers of PUs. */
#include "sim.h"
#include "command.h"
#include "draw/json.h"
#include "draw/curve_svg.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void
progress(unsigned done, unsigned all, const char *what)
{
	enum { WIDTH = 30 };
	if (!isatty(STDERR_FILENO))
		return;
	unsigned filled = done * WIDTH / all;
	fprintf(stderr, "\r\033[K[%.*s%*s] %u/%u %s", (int)filled, "##############################",
		(int)(WIDTH - filled), "", done, all, what);
	if (done == all)
		fputs("\r\033[K", stderr);
}

struct cell {
	uint64_t time;
	double busy; /* the fraction of the PUs' time */
	uint64_t steals, migrations;
};

static int
run_cell(const struct sim_request *request, const char *sched, unsigned n_pus, struct cell *cell)
{
	struct sim_call call = request->call;
	struct sim_outcome outcome;
	int status = 0;
	call.output = SIM_HIDE;
	call.sched = sched;
	call.n_pus = n_pus;
	if (!sim_run(&call, &outcome, &status))
		return status;
	if (!outcome.complete)
		status = sim_no_report(&outcome);
	*cell = (struct cell){
		.time = outcome.time, .steals = sim_sum(outcome.steals), .migrations = sim_sum(outcome.migrations)};
	if (outcome.time)
		cell->busy = (double)sim_busy(&outcome) / (double)outcome.time / outcome.n_pus;
	sim_outcome_free(&outcome);
	return status;
}

static void
print_table(const struct sim_request *request, const struct cell *cells, uint64_t base)
{
	char text[32];
	printf("%s%s%s\non one PU %s\n\n", bold, request->model.name, plain, sim_time_text(base, text, sizeof text));
	printf("%-12s %6s %12s %9s %6s %9s %11s\n", "policy", "PUs", "time", "speed-up", "busy", "steals", "migrations");
	for (unsigned p = 0; p < request->n_compare; p++)
		for (unsigned s = 0; s < request->n_sweep; s++) {
			const struct cell *cell = &cells[p * request->n_sweep + s];
			if (cell->time)
				printf("%-12s %6u %12s %9.2f %5.0f%% %9llu %11llu\n", request->compare[p],
				       request->sweep[s], sim_time_text(cell->time, text, sizeof text),
				       (double)base / (double)cell->time, 100 * cell->busy,
				       (unsigned long long)cell->steals, (unsigned long long)cell->migrations);
		}
}

static void
print_table_json(const struct sim_request *request, const struct cell *cells, uint64_t base)
{
	const char *comma = "";
	printf("{\"machine\": ");
	fg_json_string(stdout, request->model.name);
	printf(", \"one_pu_ns\": %llu, \"runs\": [", (unsigned long long)base);
	for (unsigned p = 0; p < request->n_compare; p++)
		for (unsigned s = 0; s < request->n_sweep; s++) {
			const struct cell *cell = &cells[p * request->n_sweep + s];
			if (!cell->time)
				continue;
			printf("%s\n {\"policy\": ", comma);
			fg_json_string(stdout, request->compare[p]);
			printf(", \"pus\": %u, \"time_ns\": %llu, \"speedup\": %.4f, \"busy\": %.4f, \"steals\": %llu, "
			       "\"migrations\": %llu}",
			       request->sweep[s], (unsigned long long)cell->time, (double)base / (double)cell->time,
			       cell->busy, (unsigned long long)cell->steals, (unsigned long long)cell->migrations);
			comma = ",";
		}
	puts("\n]}");
}

static int
draw(const struct sim_request *request, const struct cell *cells, uint64_t base)
{
	double x[SIM_POINTS], y[SIM_POLICIES][SIM_POINTS];
	struct fg_curve curves[SIM_POLICIES];
	for (unsigned p = 0; p < request->n_compare; p++) {
		for (unsigned s = 0; s < request->n_sweep; s++) {
			uint64_t time = cells[p * request->n_sweep + s].time;
			x[s] = request->sweep[s];
			y[p][s] = time ? (double)base / (double)time : -1;
		}
		curves[p] = (struct fg_curve){request->compare[p], request->n_sweep, x, y[p]};
	}
	FILE *file = strcmp(request->svg, "-") == 0 ? stdout : fopen(request->svg, "w");
	if (!file) {
		complain("sim", "cannot write '%s': %s", request->svg, strerror(errno));
		return 1;
	}
	fg_draw_speedups(request->model.name, curves, request->n_compare, file);
	if (file != stdout)
		fclose(file);
	return 0;
}

/* Leaves out sizes that the machine cannot have, with a message. */
static void
drop_misfits(struct sim_request *request)
{
	unsigned kept = 0;
	for (unsigned s = 0; s < request->n_sweep; s++) {
		struct fg_model model;
		if (fg_model_read(&model, request->call.machine) && fg_model_resize(&model, request->sweep[s]))
			request->sweep[kept++] = request->sweep[s];
		else
			complain("sim", "%u PUs are left out: %s", request->sweep[s], model.why);
		fg_model_free(&model);
	}
	request->n_sweep = kept;
}

int
sim_table(struct sim_request *request)
{
	if (!request->n_compare) {
		char *usual = strdup(request->call.sched     ? request->call.sched
				     : getenv("FGOMP_SCHED") ? getenv("FGOMP_SCHED")
							     : "default");
		request->compare[request->n_compare++] = usual;
	}
	if (request->n_sweep)
		drop_misfits(request);
	else
		request->sweep[request->n_sweep++] = request->model.machine->n_pus;
	unsigned n = request->n_compare * request->n_sweep, done = 0;
	struct cell *cells = calloc(n + 1, sizeof *cells);
	int status = 0;
	progress(done, n + 1, "on one PU");
	uint64_t base = sim_base_time(request, &status);
	for (unsigned p = 0; !status && p < request->n_compare; p++)
		for (unsigned s = 0; !status && s < request->n_sweep; s++) {
			char what[64];
			snprintf(what, sizeof what, "%s on %u PUs", request->compare[p], request->sweep[s]);
			progress(++done, n + 1, what);
			status = run_cell(request, request->compare[p], request->sweep[s],
					  &cells[p * request->n_sweep + s]);
		}
	progress(n + 1, n + 1, "");
	if (!status) {
		(request->json ? print_table_json : print_table)(request, cells, base);
		if (request->svg)
			status = draw(request, cells, base);
	}
	free(cells);
	return status;
}
