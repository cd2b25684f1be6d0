/* The calls of include/forestgomp.h (floor: gomp). */
#include "forestgomp.h"
#include "gomp/abi.h"

FG_ABI(const char *, fgomp_version, (void))
{
	return "ForestGOMP " FG_VERSION;
}
