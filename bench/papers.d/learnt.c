/* Does a program learn how many PUs its regions make use of? `learnt PUS SEED NOISE < PROFILE`, by bench/papers.py and
 * tests/sim/test_scales.py. A line of the profile: a region's name, a number of PUs, ns. The region begins with all
 * PUs, and goes through the runtime's own trials (share/want.h). Each run takes what the profile says, up to so much
 * longer, a part of 1.
 *
 * Prints for each region: its name, optimal and best number by the whole profile, the same as learnt, and how many
 * numbers of PUs were tried. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "given.h"
#include "share/want.h"

enum { PROFILE_POINTS = FG_CURVE_POINTS, LOOKS = 400, RUNS = 8 };

static uint64_t chance;
static unsigned pus;
static double noise;

static void
learn(const char *name, const struct fg_curve *profile)
{
	struct fg_lesson lesson = {0};
	struct fg_want want = {0};
	unsigned trials = 0, before = 0;
	for (unsigned look = 0; look < LOOKS; look++) {
		unsigned has = fg_want_bound(&want, pus);
		struct fg_curve sum = {0};
		for (unsigned i = 0; i < RUNS; i++)
			fg_lesson_note(&lesson, 64 * has,
				       fg_curve_ns(profile, has) * (1 + noise * given_part(&chance)));
		fg_lesson_read(&lesson, &sum);
		fg_curve_fill(&sum, pus);
		fg_want_look(&want, look * UINT64_C(2000000), &lesson, &sum, has, pus);
		trials += want.tries && want.tries != before;
		before = want.tries;
	}
	printf("%s %u %u %u %u %u\n", name, fg_curve_optimal(profile), fg_curve_best(profile), want.optimal, want.best,
	       trials);
}

int
main(int argc, char **argv)
{
	char name[64], last[64] = "";
	unsigned n;
	double ns;
	struct fg_curve profile = {0};
	if (argc != 4) {
		fprintf(stderr, "usage: learnt PUS SEED NOISE < PROFILE\n");
		return 2;
	}
	pus = (unsigned)atoi(argv[1]);
	chance = (uint64_t)atoi(argv[2]);
	noise = atof(argv[3]);
	while (scanf("%63s %u %lf", name, &n, &ns) == 3) {
		if (strcmp(name, last) != 0 && profile.n)
			learn(last, &profile);
		if (strcmp(name, last) != 0)
			profile.n = 0;
		if (profile.n == PROFILE_POINTS)
			return 1;
		profile.point[profile.n++] = (struct fg_curve_point){n, ns};
		strcpy(last, name);
	}
	if (profile.n)
		learn(last, &profile);
	return 0;
}
