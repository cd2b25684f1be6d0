/* What a region costs whose members sit elsewhere than in the region before: `seatings MEMBERS REGIONS [data]` prints
 * the ns of a region, less its work. REGIONS regions, at most 20, come by turns. With `data` each uses a line. */
#include <forestgomp.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 20
#define WORK_NS 100000 /* long enough that all members wait for the next region side by side */

static int members, data, wrong;
static char line[64];
static unsigned long mine; /* of each member: how often it has run */
#pragma omp threadprivate(mine)

static void
member_runs(unsigned long region)
{
	if (data)
		fgomp_sim_write(line, sizeof line);
	if (mine++ != region)
		wrong = 1;
	fgomp_sim_work(WORK_NS);
}

#define REGION(k)                                                                                                      \
	static void region_##k(unsigned long number)                                                                   \
	{                                                                                                              \
		_Pragma("omp parallel num_threads(members)") member_runs(number);                                      \
	}
REGION(0)
REGION(1)
REGION(2)
REGION(3)
REGION(4)
REGION(5)
REGION(6)
REGION(7)
REGION(8)
REGION(9)
REGION(10)
REGION(11)
REGION(12)
REGION(13)
REGION(14)
REGION(15)
REGION(16)
REGION(17)
REGION(18)
REGION(19)

static void (*const regions[])(unsigned long number) = {
	region_0,  region_1,  region_2,	 region_3,  region_4,  region_5,  region_6,  region_7,	region_8,  region_9,
	region_10, region_11, region_12, region_13, region_14, region_15, region_16, region_17, region_18, region_19,
};

int
main(int argc, char **argv)
{
	members = argc > 1 ? atoi(argv[1]) : 2;
	unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 1, number = 0;
	data = argc > 3;
	double begin = 0;
	for (int round = -2; round < ROUNDS; round++) {
		if (round == 0)
			begin = omp_get_wtime();
		for (unsigned long k = 0; k < n; k++)
			regions[k](number++);
	}
	printf("%.0f\n", (omp_get_wtime() - begin) * 1e9 / ROUNDS / (double)n - WORK_NS);
	return wrong;
}
