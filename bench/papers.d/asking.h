/* How many PUs each program of the event simulation has, and which: by the runtime's own functions of the floor share,
 * by a server that knows all, and by what a program has learnt of its region. Called by programs.c. */
#pragma once
#include "given.h"
#include "programs.h"

static unsigned load[FG_CHOICE_PUS];

static inline void
load_count(void)
{
	memset(load, 0, sizeof load);
	for (unsigned i = 0; i < n_programs; i++) {
		const struct program *program = &programs[i];
		load[program->pu] += program->phase == SERIAL;
		for (unsigned k = 0; program->phase == REGION && k < program->n; k++)
			load[program->set.pus[k]]++;
	}
}

/* The kernel moves a root that shares its PU to the nearest idle one. */
static inline void
root_move(struct program *program)
{
	unsigned best = pus;
	if (load[program->pu] < 2)
		return;
	for (unsigned pu = 0; pu < pus; pu++)
		if (load[pu] == 0 && (best == pus || fg_distance(&distances, program->pu, pu) <
							     fg_distance(&distances, program->pu, best)))
			best = pu;
	if (best == pus)
		return;
	load[program->pu]--;
	load[best]++;
	program->pu = best;
}

static inline void
add_set(struct fg_pus *pus, const struct program *program)
{
	for (unsigned k = 0; k < program->n; k++)
		fg_pus_add(pus, program->set.pus[k]);
}

/* Chooses as the runtime would (share/own_set.c): by what others have told. The root goes to its set. Returns whether
 * it has other PUs now. */
static inline bool
choose(struct program *program, unsigned wanted)
{
	struct fg_pus lower = {{0}}, others = {{0}};
	struct fg_request request = {.largest = wanted};
	for (struct program *other = programs; other < programs + n_programs; other++) {
		if (other == program || !joined[other - programs] || !client_is_young(&other->client, now))
			continue;
		add_set(&others, other);
		if (other < program)
			add_set(&lower, other);
	}
	program->pu = request.pu = fg_set_origin(&program->set, &distances, program->pu, wanted, &lower, &others);
	bool anew = fg_set_look(&program->set, choice, &distances, &request, wanted, &lower, &others);
	program->n = program->set.n;
	unsigned uses = fg_set_uses(&program->set, wanted);
	program->client.uses = uses < wanted ? uses : 0;
	return anew;
}

/* The server chooses, and knows what each program has. */
static inline void
ask_server(struct program *program)
{
	struct fg_pus taken = {{0}};
	struct fg_request request = {program->pu, program->optimal, program->largest, queues};
	for (struct program *other = programs; other < programs + n_programs; other++)
		if (other != program && other->phase == REGION)
			add_set(&taken, other);
	unsigned wanted = fg_choice_wanted(&request, fg_choice_free(&distances, &taken, program->pu), pus);
	program->n = fg_choice_make(choice, &distances, &taken, &request, wanted, program->set.pus);
}

/* Returns how many of the PUs of its share it uses. */
static inline unsigned
ask(struct program *program)
{
	unsigned share = program->client.limit;
	struct fg_curve sum = {0};
	fg_lesson_read(&program->lesson, &sum);
	if (knows) {
		program->want.optimal = program->optimal;
		program->want.best = program->largest;
	} else if (learns && sum.n) {
		fg_curve_fill(&sum, pus);
		fg_want_look(&program->want, now, &program->lesson, &sum, program->n, share);
	}
	program->client.want = program->want.best;
	if (requests) { /* N of the slides */
		struct fg_request request = {.optimal = program->optimal, .largest = program->largest};
		program->client.want = fg_choice_wanted(&request, program->client.free, pus);
	}
	program->asks = fg_want_bound(&program->want, program->client.want ? program->client.want : pus);
	return program->asks < share ? program->asks : share;
}

/* The region has ended. */
static inline void
learn(struct program *program)
{
	double ns = (double)(now - program->begun);
	if (program->most <= 2 * program->least && ns > 0)
		fg_lesson_note(&program->lesson, (unsigned)(64 * program->had / ns + .5),
			       ns * (.95 + .1 * given_part(&chance)));
}

/* Returns whether it uses other PUs now. */
static inline bool
look(struct program *program)
{
	unsigned before = program->n;
	client_look(&program->client, now, pus, pus);
	if (program->phase != REGION)
		return false;
	unsigned wanted = ask(program);
	if (choice == FG_CHOICES) {
		program->n = wanted;
		return program->n != before;
	}
	return choose(program, wanted);
}
