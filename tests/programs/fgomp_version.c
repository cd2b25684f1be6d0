// A program finds out whether ForestGOMP serves it: fgomp_version is a weak symbol there.
// stock: fails (it has no fgomp_version)
#include <stdio.h>
#include <string.h>

#include "../../include/forestgomp.h"
#include "check.h"

#pragma weak fgomp_version

int
main(void)
{
	int sum = 0;
	unsigned numbers[3];
	char more;
#pragma omp parallel reduction(+ : sum)
	sum++;
	CHECK(sum > 0);
	if (!fgomp_version)
		check_fail(__FILE__, __LINE__, "fgomp_version", "there is none");
	else
		CHECK(sscanf(fgomp_version(), "ForestGOMP %u.%u.%u%c", &numbers[0], &numbers[1], &numbers[2], &more) ==
			      3,
		      "%s", fgomp_version());
	return check_end();
}
