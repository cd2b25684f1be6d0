/* Tables of `forestgomp sim`: policies and numbers of PUs. */
#include "sim.h"
#include "sim_child.h"
#include "command.h"
#include "draw/json.h"
#include "draw/curve_svg.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cell {
	uint64_t time, least, most, work; /* least, most: of repeated runs */
	double busy;			  /* the fraction of the PUs' time */
	uint64_t steals, migrations;
	int status; /* of the program */
	unsigned runs, bad;
};

static struct cell
cell_of(const struct sim_outcome *outcome)
{
	struct cell cell = {outcome->time,
			    outcome->least,
			    outcome->most,
			    sim_work(outcome),
			    0,
			    sim_sum(outcome->steals),
			    sim_sum(outcome->migrations),
			    outcome->status,
			    outcome->runs,
			    outcome->bad};
	if (outcome->time)
		cell.busy = (double)sim_busy(outcome) / (double)outcome->time / outcome->n_pus;
	return cell;
}

static int
no_input(void)
{
	complain("sim", "each run of a table needs the program's standard input: give it as a file (< FILE)");
	return 1;
}

static int
run_cell(const struct sim_request *request, const char *sched, unsigned n_pus, struct cell *cell)
{
	struct sim_call call = request->call;
	struct sim_outcome outcome;
	int status = 0;
	call.output = SIM_HIDE;
	call.input_again = true;
	call.sched = sched;
	call.n_pus = n_pus;
	if (!sim_run_repeated(&call, request->repeat, &outcome, &status))
		return status;
	if (outcome.input_missed)
		status = no_input();
	else if (!outcome.complete)
		status = sim_no_report(&call, &outcome);
	else if (outcome.other[0] && !outcome.regions && sim_is_foreign(&call, &outcome))
		status = 1;
	else
		*cell = cell_of(&outcome);
	sim_outcome_free(&outcome);
	return status;
}

/* The policy of the run on one PU. */
static const char *
policy_on_one(const struct sim_request *request)
{
	return request->call.sched ? request->call.sched : request->compare[0];
}

/* The run on one PU is not repeated if it is in the table, too. */
static int
run_cells(const struct sim_request *request, const struct sim_outcome *one, struct cell *cells)
{
	unsigned n = request->n_compare * request->n_sweep, done = 0;
	int status = 0;
	for (unsigned p = 0; !status && p < request->n_compare; p++)
		for (unsigned s = 0; !status && s < request->n_sweep; s++) {
			char what[64];
			struct cell *cell = &cells[p * request->n_sweep + s];
			snprintf(what, sizeof what, "%s on %u PUs", request->compare[p], request->sweep[s]);
			sim_progress(++done, n + 1, what);
			if (sim_interrupted())
				return 1;
			if (one->complete && request->sweep[s] == 1 &&
			    !strcmp(request->compare[p], policy_on_one(request)))
				*cell = cell_of(one);
			else
				status = run_cell(request, request->compare[p], request->sweep[s], cell);
		}
	return status;
}

/* Says it of the cell whose computing grew most. */
static void
print_growth(const struct sim_request *request, const struct cell *cells, const struct sim_outcome *one)
{
	unsigned most = 0;
	char where[64];
	for (unsigned i = 1; i < request->n_compare * request->n_sweep; i++)
		if (cells[i].work > cells[most].work)
			most = i;
	if (!sim_baseline_outgrown(one, cells[most].work))
		return;
	snprintf(where, sizeof where, " (%s on %u PUs)", request->compare[most / request->n_sweep],
		 request->sweep[most % request->n_sweep]);
	putchar('\n');
	sim_baseline_print_growth(one, cells[most].work, where);
}

static void
print_table(const struct sim_request *request, const struct cell *cells, const struct sim_outcome *one)
{
	char text[32];
	printf("%s%s%s\n", bold, request->model.name, plain);
	if (one)
		printf("on one PU %s (%s)%s\n", sim_time_text(one->time, text, sizeof text), policy_on_one(request),
		       one->runs > 1 ? ", the median of as many runs" : "");
	bool spread = request->repeat > 1;
	printf("\n%-12s %6s %12s%s %9s %6s %9s %11s\n", "policy", "PUs", spread ? "median" : "time",
	       spread ? "        least         most" : "", "speed-up", "busy", "steals", "migrations");
	for (unsigned p = 0; p < request->n_compare; p++)
		for (unsigned s = 0; s < request->n_sweep; s++) {
			const struct cell *cell = &cells[p * request->n_sweep + s];
			if (!cell->time)
				continue;
			printf("%-12s %6u %12s ", request->compare[p], request->sweep[s],
			       sim_time_text(cell->time, text, sizeof text));
			if (spread) {
				printf("%12s ", sim_time_text(cell->least, text, sizeof text));
				printf("%12s ", sim_time_text(cell->most, text, sizeof text));
			}
			if (one)
				printf("%9.2f", (double)one->time / (double)cell->time);
			else
				printf("%9s", "-");
			printf(" %5.0f%% %9llu %11llu\n", 100 * cell->busy, (unsigned long long)cell->steals,
			       (unsigned long long)cell->migrations);
		}
	if (one && request->n_sweep)
		print_growth(request, cells, one);
}

static void
print_table_json(const struct sim_request *request, const struct cell *cells, const struct sim_outcome *one)
{
	const char *comma = "";
	printf("{\"machine\": ");
	fg_json_string(stdout, request->model.name);
	if (one)
		printf(", \"one_pu_ns\": %llu, \"one_pu_work_ns\": %llu", (unsigned long long)one->time,
		       (unsigned long long)sim_work(one));
	else
		printf(", \"one_pu_ns\": null, \"one_pu_work_ns\": null");
	printf(", \"runs\": [");
	for (unsigned p = 0; p < request->n_compare; p++)
		for (unsigned s = 0; s < request->n_sweep; s++) {
			const struct cell *cell = &cells[p * request->n_sweep + s];
			if (!cell->time)
				continue;
			printf("%s\n {\"policy\": ", comma);
			fg_json_string(stdout, request->compare[p]);
			printf(", \"pus\": %u, \"time_ns\": %llu, \"time_least_ns\": %llu, \"time_most_ns\": %llu, "
			       "\"speedup\": ",
			       request->sweep[s], (unsigned long long)cell->time, (unsigned long long)cell->least,
			       (unsigned long long)cell->most);
			if (one)
				printf("%.4f", (double)one->time / (double)cell->time);
			else
				printf("null");
			printf(", \"work_ns\": %llu, \"busy\": %.4f, \"steals\": %llu, \"migrations\": %llu}",
			       (unsigned long long)cell->work, cell->busy, (unsigned long long)cell->steals,
			       (unsigned long long)cell->migrations);
			comma = ",";
		}
	puts("\n]}");
}

/* Half a drawing is removed. */
static int
end_drawing(const char *path, FILE *file)
{
	struct stat it;
	bool failed = ferror(file), ordinary = fstat(fileno(file), &it) == 0 && S_ISREG(it.st_mode);
	if (fclose(file) == 0 && !failed)
		return 0;
	complain("sim", "cannot write '%s': %s", path, strerror(errno));
	if (ordinary)
		unlink(path);
	return 1;
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
	return file == stdout ? 0 : end_drawing(request->svg, file);
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

static int
show_table(const struct sim_request *request, const struct cell *cells, const struct sim_outcome *one)
{
	bool valid = !request->no_baseline && sim_baseline_valid(one, cells->status);
	(request->json ? print_table_json : print_table)(request, cells, valid ? one : NULL);
	if (!request->no_baseline && !valid)
		sim_baseline_complain(one, cells->status);
	if (!request->svg)
		return 0;
	if (valid)
		return draw(request, cells, one->time);
	complain("sim", "--svg %s: without speed-ups nothing is drawn", request->svg);
	return 1;
}

/* A program that fails has a time all the same. Returns the exit status of the first cell whose program failed. */
static int
tell_failed(const struct sim_request *request, const struct cell *cells)
{
	for (unsigned i = 0; i < request->n_compare * request->n_sweep; i++) {
		char where[96];
		if (!cells[i].bad)
			continue;
		snprintf(where, sizeof where, "%s on %u PUs: ", request->compare[i / request->n_sweep],
			 request->sweep[i % request->n_sweep]);
		sim_tell_status(
			&(struct sim_outcome){.status = cells[i].status, .runs = cells[i].runs, .bad = cells[i].bad},
			where);
		return cells[i].status;
	}
	return 0;
}

/* A table that ends early shows the rows that it has. */
static int
show_rows(const struct sim_request *request, const struct cell *cells, const struct sim_outcome *one, int status)
{
	unsigned n = request->n_compare * request->n_sweep, done = 0;
	for (unsigned i = 0; i < n; i++)
		done += cells[i].time != 0;
	if (!status || done) {
		int shown = show_table(request, cells, one), failed = tell_failed(request, cells);
		status = status ? status : shown ? shown : failed;
	}
	if (sim_interrupted()) {
		fflush(stdout);
		complain("sim", "interrupted: %u of %u runs are done", done, n);
	}
	return status;
}

static void
set_rows(struct sim_request *request)
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
}

int
sim_table(struct sim_request *request)
{
	set_rows(request);
	unsigned n = request->n_compare * request->n_sweep;
	struct cell *cells = calloc(n + 1, sizeof *cells);
	struct sim_outcome one = {0};
	struct sim_call call = request->call;
	int status = 0;
	call.sched = policy_on_one(request);
	sim_progress(0, n + 1, "on one PU");
	if (!request->no_baseline && sim_baseline_run(&call, request->repeat, &one, &status) && one.input_missed)
		status = no_input();
	if (!status && one.complete && !one.regions && sim_is_foreign(&call, &one))
		status = 1;
	if (!status)
		status = run_cells(request, &one, cells);
	status = show_rows(request, cells, &one, status);
	sim_outcome_free(&one);
	free(cells);
	return status;
}
