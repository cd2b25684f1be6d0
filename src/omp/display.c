/* omp_display_env (floor: omp; OpenMP 5.2, 18.15). The program calls these on any pthread, outside the runtime. Nothing
 * but the text is written. */
#include "base/export.h"
#include "team/boot/display_env.h"

FG_EXPORT void
omp_display_env(int verbose)
{
	fg_env_display(verbose != 0);
}

FG_EXPORT void
omp_display_env_(const int32_t *verbose)
{
	fg_env_display(*verbose != 0);
}

FG_EXPORT void
omp_display_env_8_(const int64_t *verbose)
{
	fg_env_display(*verbose != 0);
}
