// reduction: all scalar operators, array sections, user-defined, on parallel, for, sections and scope; in nested
// regions.
// threads: 1 2 8 64
#include <omp.h>
#include <stdbool.h>
#include <string.h>

#include "check.h"

struct span {
	int low, high;
};
#pragma omp declare reduction(join : struct span : omp_out.low = omp_in.low < omp_out.low ? omp_in.low : omp_out.low,  \
				      omp_out.high = omp_in.high > omp_out.high ? omp_in.high : omp_out.high)          \
	initializer(omp_priv = {1 << 30, -(1 << 30)})

int
main(void)
{
	int threads = omp_get_max_threads();
	int sum = 1, low = 1 << 30, high = -1, bits = 0, ones = ~0, odd = 0;
	double product = 1;
	bool any = false, all = true;
	long bins[16] = {0}, section[100];
	struct span span = {1 << 30, -(1 << 30)};

	memset(section, 0, sizeof section);
#pragma omp parallel for reduction(+ : sum, bins, section[10 : 80]) reduction(* : product) reduction(min : low)        \
	reduction(max : high) reduction(| : bits) reduction(& : ones) reduction(^ : odd) reduction(|| : any)           \
	reduction(&& : all) reduction(join : span)
	for (int i = 0; i < 1000; i++) {
		int v = i * 37 % 1000;

		sum += v;
		product *= i % 100 ? 1 : 2;
		low = v - 5 < low ? v - 5 : low;
		high = v > high ? v : high;
		bits |= 1 << i % 20;
		ones &= ~(1 << i % 9);
		odd ^= i;
		any = any || i == 777;
		all = all && i != 333;
		bins[i % 16]++;
		section[10 + i % 80] += i;
		span.low = v < span.low ? v : span.low;
		span.high = v > span.high ? v : span.high;
	}
	CHECK(sum == 1 + 499500, "%d", sum);
	CHECK(product == 1024 && low == -5 && high == 999, "%g %d %d", product, low, high);
	CHECK(bits == (1 << 20) - 1 && ones == (~0 & ~0x1ff) && odd == 0, "%x %x %x", bits, ones, odd);
	CHECK(any && !all);
	CHECK(span.low == 0 && span.high == 999, "%d %d", span.low, span.high);
	for (int b = 0; b < 16; b++)
		CHECK(bins[b] == 1000 / 16 + (b < 1000 % 16), "bin %d: %ld", b, bins[b]);
	for (int b = 0; b < 100; b++) {
		long want = 0;
		for (int i = b - 10; i < 1000 && b >= 10 && b < 90; i += 80)
			want += i;
		CHECK(section[b] == want, "%d: %ld", b, section[b]);
	}

	sum = 0;
#pragma omp parallel reduction(+ : sum)
	{
		int part = 0;

		sum += omp_get_thread_num();
#pragma omp parallel for reduction(+ : part) num_threads(2)
		for (int i = 0; i < 10; i++)
			part += i;
		CHECK(part == 45);
	}
	CHECK(sum == threads * (threads - 1) / 2, "%d", sum);

	int total = 0, scoped = 0;
#pragma omp parallel
	for (int round = 1; round <= 20; round++) {
#pragma omp for reduction(+ : total) schedule(dynamic)
		for (int i = 0; i < 50; i++)
			total += i;
		CHECK(total == 1225 * round, "%d", total);
#pragma omp barrier
#pragma omp scope reduction(+ : scoped)
		scoped++;
		CHECK(scoped == threads * round, "%d", scoped);
#pragma omp barrier
	}

	/* An inclusive scan. */
	int running = 0, out[200];
#pragma omp parallel for reduction(inscan, + : running)
	for (int i = 0; i < 200; i++) {
		running += i;
#pragma omp scan inclusive(running)
		out[i] = running;
	}
	for (int i = 0; i < 200; i++)
		CHECK(out[i] == i * (i + 1) / 2, "%d: %d", i, out[i]);
	return check_end();
}
