// A program forbids itself to open files, on pain of death, before its first region. The default number of threads
// comes without the files of the control groups then.
// finding: 12
#include "crowd.h"
#include "sandbox.h"

int
main(void)
{
	sandbox("KILL:openat,openat2", SECCOMP_FILTER_FLAG_TSYNC);
	int members = 0;
#pragma omp parallel reduction(+ : members)
	members++;
	CHECK(members >= 1 && members <= omp_get_max_threads(), "%d members", members);
	return check_end();
}
