// The auto schedule: each iteration once.
// threads: 1 2 8 64
#include "loops.h"

LOOP_CASES(plain, schedule(auto))

int
main(void)
{
	plain();
	return check_end();
}
