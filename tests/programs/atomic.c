// atomic: update, read, write, capture on all the sizes, those without a machine instruction included.
// threads: 1 2 8 64
#include <omp.h>

#include "check.h"

#define N 2000

int
main(void)
{
	int threads = omp_get_max_threads();
	char c = 0;
	short s = 0;
	int i = 0, tickets = 0, seen = 0;
	long l = 0;
	float f = 0;
	double d = 0;
	long double ld = 0;
	static unsigned char taken[64 * N];

#pragma omp parallel
	for (int k = 0; k < N; k++) {
		int ticket, now;
		long double copy;

#pragma omp atomic
		c++;
#pragma omp atomic
		s += 3;
#pragma omp atomic update
		i = i + 2;
#pragma omp atomic
		l -= 5;
#pragma omp atomic
		f += 1.0f;
#pragma omp atomic
		d += 0.5;
#pragma omp atomic
		ld += 1.0L;
#pragma omp atomic capture
		ticket = tickets++;
#pragma omp atomic read
		now = tickets;
#pragma omp atomic read seq_cst
		copy = ld;
#pragma omp atomic write
		seen = 1;
		CHECK(now > ticket && copy >= 1);
		taken[ticket]++;
	}
	int all = threads * N;
	CHECK(c == (char)all && s == (short)(3 * all) && i == 2 * all && l == -5l * all);
	CHECK(f == all && d == all * 0.5 && ld == all, "%g %g %Lg", f, d, ld);
	for (int k = 0; k < all; k++)
		CHECK(taken[k] == 1, "ticket %d: %d", k, taken[k]);
	CHECK(seen == 1);
	return check_end();
}
