/* `forestgomp sim --calibrate` (to be filled in). */
#include "sim.h"
int
sim_calibrate(void)
{
	return 0;
}
