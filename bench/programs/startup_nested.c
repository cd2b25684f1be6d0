/* startup.c starts it. The process begins with an outer region. Its two members open FIRST inner regions of 4 each, go
   on for WARM_NS, and open FIRST more. It prints these ns: from the outer region's start until both members are in it;
   the first inner region of the slower member; the median of all the first regions by themselves; the time of them
   together, by their number; the same two of the late ones. */
#include <omp.h>
#include "bench.h"

enum { MEMBERS = 2, INNER = 4, FIRST = 500, WARM_NS = 20000000 };

/* Stamps of one member: of its start, and of the end of each region. */
static double early[MEMBERS][FIRST + 1], late[MEMBERS][FIRST + 1];

static void
regions_run(double *stamp)
{
	stamp[0] = bench_now();
	for (int i = 1; i <= FIRST; i++) {
#pragma omp parallel num_threads(INNER)
		bench_delay(1);
		stamp[i] = bench_now();
	}
}

static double
median_of(double (*stamps)[FIRST + 1])
{
	static double took[MEMBERS * FIRST];
	int n = 0;
	for (int m = 0; m < MEMBERS; m++)
		for (int i = 0; i < FIRST; i++)
			took[n++] = stamps[m][i + 1] - stamps[m][i];
	qsort(took, n, sizeof *took, bench_compare);
	return took[n / 2];
}

static double
together(double (*stamps)[FIRST + 1])
{
	double begin = stamps[0][0], end = stamps[0][FIRST];
	for (int m = 1; m < MEMBERS; m++) {
		begin = stamps[m][0] < begin ? stamps[m][0] : begin;
		end = stamps[m][FIRST] > end ? stamps[m][FIRST] : end;
	}
	return (end - begin) / (MEMBERS * FIRST);
}

int
main(void)
{
	memset(early, 1, sizeof early); /* so that no page is new when the clock runs */
	memset(late, 1, sizeof late);
	omp_set_max_active_levels(2);
	double start = bench_now();
#pragma omp parallel num_threads(MEMBERS)
	{
		int me = omp_get_thread_num();
		regions_run(early[me]);
		while (bench_now() - start < WARM_NS) {
#pragma omp parallel num_threads(INNER)
			bench_delay(1);
		}
		regions_run(late[me]);
	}
	double in = early[0][0] > early[1][0] ? early[0][0] : early[1][0];
	double one = early[0][1] - early[0][0], other = early[1][1] - early[1][0];
	printf("%.0f %.0f %.0f %.1f %.0f %.1f\n", in - start, one > other ? one : other, median_of(early),
	       together(early), median_of(late), together(late));
	return 0;
}
