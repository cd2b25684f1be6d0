/* Sampled uses: what blocks of joined lines tell of pairs, against counts that are known. */
#include "plan/chance.h"
#include "plan/graph.h"
#include "plan/sampled.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { MEMBERS = 8, PORTION = 1000 /* lines */, UNITS = 1000000 };
#define AT UINT64_C(0x7f1234567000)

/* As tests/sim/shared.c: member k goes through its own portion, and through a part of that of k ^ 4. */
static unsigned
part_of(unsigned member)
{
	return PORTION * (member % 4 + 1) / 8;
}

static void
draw(struct fg_sampled *sampled, unsigned n, uint64_t *chance)
{
	unsigned all = MEMBERS * PORTION;
	for (unsigned k = 0; k < MEMBERS; k++)
		all += part_of(k);
	for (unsigned i = 0; i < n; i++) {
		unsigned member = 0, line = fg_chance(chance) % all;
		for (; line >= PORTION + part_of(member); member++)
			line -= PORTION + part_of(member);
		unsigned portion = line < PORTION ? member : member ^ 4;
		fg_sampled_add(sampled, 0, member, AT + 64 * (portion * PORTION + line % PORTION), UNITS,
			       fg_chance(chance) & 1);
	}
}

struct shares {
	double off, stray, sum; /* of the pairs: the worst, in points; per cent of those that share nothing; all */
};

static struct shares
shares_of(const double *weights)
{
	struct shares shares = {0, 0, 0};
	for (unsigned i = 0; i < MEMBERS; i++)
		for (unsigned k = i + 1; k < MEMBERS; k++)
			shares.sum += weights[i * MEMBERS + k];
	for (unsigned i = 0; i < MEMBERS; i++)
		for (unsigned k = i + 1; k < MEMBERS; k++) {
			double share = 100 * weights[i * MEMBERS + k] / shares.sum;
			double off = fabs(share - (k == (i ^ 4) ? 10.0 * (i % 4 + 1) : 0));
			shares.off = off > shares.off ? off : shares.off;
			shares.stray += k == (i ^ 4) ? 0 : share;
		}
	return shares;
}

static struct fg_graph
graph_of(struct fg_sampled *sampled, enum fg_sampled_part part)
{
	struct fg_uses uses = {0};
	struct fg_graph graph;
	fg_sampled_join(sampled, MEMBERS, part, &uses);
	fg_uses_sort(&uses);
	fg_graph_make(&uses, 0, MEMBERS, &graph);
	fg_uses_free(&uses);
	return graph;
}

static struct fg_graph
graph_without_blocks(const struct fg_sampled *sampled)
{
	struct fg_uses uses = {0};
	struct fg_graph graph;
	for (size_t i = 0; i < sampled->n; i++)
		fg_uses_count(&uses, 0, sampled->list[i].member, sampled->list[i].block * FG_USE_BLOCK, UNITS,
			      sampled->list[i].writes);
	fg_uses_sort(&uses);
	fg_graph_make(&uses, 0, MEMBERS, &graph);
	fg_uses_free(&uses);
	return graph;
}

/* Reads and writes are half of each, so three smaller ones of four counts are half of the samples of each in a shared
 * part. */
static double
truth(unsigned n)
{
	unsigned shared = 0, all = MEMBERS * PORTION;
	for (unsigned k = 0; k < MEMBERS; k++) {
		shared += part_of(k);
		all += part_of(k);
	}
	return 3 * 0.5 * UNITS * n * shared / all;
}

/* The same seeds each time, so no test fails by chance. By single lines nearly nothing is shared. */
static void
pairs(void **state)
{
	static const struct {
		unsigned samples;
		double off, stray, sum;
	} wanted[] = {{250, 30, 35, 0.5}, {1000, 12, 3, 0.65}, {4000, 5, 1, 0.8}, {16000, 2.5, 1, 0.9}};
	(void)state;
	for (unsigned i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		unsigned n = wanted[i].samples;
		struct shares worst = {0, 0, INFINITY};
		double by_lines = 0;
		for (uint64_t seed = 1; seed <= 50; seed++) {
			struct fg_sampled sampled = {0};
			uint64_t chance = seed;
			draw(&sampled, n, &chance);
			struct fg_graph graph = graph_of(&sampled, FG_SAMPLED_ALL),
					lines = graph_without_blocks(&sampled);
			struct shares shares = shares_of(graph.rwm);
			worst.off = fmax(worst.off, shares.off);
			worst.stray = fmax(worst.stray, shares.stray);
			worst.sum = fmin(worst.sum, shares.sum / truth(n));
			by_lines = fmax(by_lines, shares_of(lines.rwm).sum / truth(n));
			fg_graph_free(&graph);
			fg_graph_free(&lines);
			fg_sampled_free(&sampled);
		}
		print_message("%u samples: off by %.1f points, stray %.1f%%, %.2f of what is shared; by lines %.2f\n",
			      n, worst.off, worst.stray, worst.sum, by_lines);
		assert_true(worst.off <= wanted[i].off);
		assert_true(worst.stray <= wanted[i].stray);
		assert_true(worst.sum >= wanted[i].sum && worst.sum <= 1.05);
		assert_true(by_lines < 0.6 * worst.sum);
	}
}

/* Each half tells about the same as the whole, from other samples. */
static void
halves(void **state)
{
	(void)state;
	struct fg_sampled sampled = {0};
	uint64_t chance = 7;
	draw(&sampled, 8000, &chance);
	for (enum fg_sampled_part part = FG_SAMPLED_FIRST; part <= FG_SAMPLED_ALL; part++) {
		struct fg_graph graph = graph_of(&sampled, part);
		struct shares shares = shares_of(graph.rwm);
		assert_true(shares.off < 5 && shares.stray < 1);
		assert_true(shares.sum > 0.85 * truth(8000) && shares.sum < 1.05 * truth(8000));
		fg_graph_free(&graph);
	}
	fg_sampled_free(&sampled);
}

/* Two arrays of one member are one block, but the lines between them are not of it. */
static void
gap(void **state)
{
	(void)state;
	struct fg_sampled sampled = {0};
	struct fg_uses uses = {0};
	uint64_t chance = 1, lines = 0, units = 0;
	for (unsigned i = 0; i < 1000; i++)
		fg_sampled_add(&sampled, 3, 5, AT + (i % 2) * 0x40000000 + 64 * (fg_chance(&chance) % 100), UNITS,
			       false);
	fg_sampled_join(&sampled, MEMBERS, FG_SAMPLED_ALL, &uses);
	for (size_t i = 0; i < uses.n; i++) {
		assert_true(uses.list[i].region == 3 && uses.list[i].member == 5 && uses.list[i].writes == 0);
		lines += uses.list[i].n;
		units += (uint64_t)uses.list[i].n * uses.list[i].reads;
	}
	assert_true(lines >= 190 && lines <= 200);
	assert_true(units > 990 * (uint64_t)UNITS && units <= 1000 * (uint64_t)UNITS);
	fg_uses_free(&uses);
	fg_sampled_free(&sampled);
}

/* A block of few samples has one that is far away: the block is not the longer for it. */
static void
outlier(void **state)
{
	(void)state;
	struct fg_sampled sampled = {0};
	struct fg_uses uses = {0};
	uint64_t lines = 0;
	for (unsigned i = 0; i < 20; i++)
		fg_sampled_add(&sampled, 0, i % MEMBERS, i ? AT + 64 * i : 0x10000, UNITS, true);
	fg_sampled_join(&sampled, MEMBERS, FG_SAMPLED_ALL, &uses);
	for (size_t i = 0; i < uses.n; i++)
		lines += uses.list[i].n;
	assert_true(lines == MEMBERS * 20);
	fg_uses_free(&uses);
	fg_sampled_free(&sampled);
}

/* No line is cut, and no sample lost, whatever comes: one hot line, and many small pieces by turns. */
static void
all_are_told(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 3; kind++) {
		struct fg_sampled sampled = {0};
		struct fg_uses uses = {0};
		uint64_t chance = 1, units = 0;
		for (unsigned i = 0; i < 50000; i++) {
			uint64_t line = kind == 0 ? 0 : fg_chance(&chance) % 100000;
			unsigned member = kind == 2 ? line / 32 % MEMBERS : fg_chance(&chance) % MEMBERS;
			fg_sampled_add(&sampled, i % 3, member, AT + 64 * line, 1 << 17, true);
		}
		fg_sampled_join(&sampled, MEMBERS, FG_SAMPLED_ALL, &uses);
		for (size_t i = 0; i < uses.n; i++) {
			units += (uint64_t)uses.list[i].n * uses.list[i].writes;
			for (size_t k = 0; kind == 0 && k < i; k++)
				assert_true(uses.list[k].region != uses.list[i].region ||
					    uses.list[k].member != uses.list[i].member);
		}
		assert_true(units <= UINT64_C(50000) << 17);
		assert_true(units > UINT64_C(49900) << 17);
		fg_uses_free(&uses);
		fg_sampled_free(&sampled);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs),   cmocka_unit_test(halves),	   cmocka_unit_test(gap),
		cmocka_unit_test(outlier), cmocka_unit_test(all_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
