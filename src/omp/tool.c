/* omp_control_tool (floor: omp; OpenMP 5.2, chapter 19). No tool is ever loaded. Nothing is read or written. */
#include "base/export.h"

#define NO_TOOL (-2)

FG_EXPORT int
omp_control_tool(int command, int modifier, void *arg)
{
	(void)command, (void)modifier, (void)arg;
	return NO_TOOL;
}

FG_EXPORT int32_t
omp_control_tool_(const int32_t *command, const int32_t *modifier)
{
	return omp_control_tool(*command, *modifier, NULL);
}

FG_EXPORT int32_t
omp_control_tool_8_(const int64_t *command, const int64_t *modifier)
{
	return omp_control_tool((int)*command, (int)*modifier, NULL);
}
