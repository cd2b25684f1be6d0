/* The start of a scenario program. It hands the checker (a library) the things that the linker has gathered. It also
 * stands in for the functions that the code under test expects from its floor below. */
#include "base/log.h"
#include "explore.h"

extern struct model_site __start_model_sites[], __stop_model_sites[];
extern const struct model_scenario *const __start_model_scenarios[], *const __stop_model_scenarios[];

const struct fg_carrier *fg_carrier = &model_carrier;

__attribute__((weak)) _Noreturn void
fg_fatal(const char *format, ...)
{
	model_fail("fg_fatal: %s", format);
}

__attribute__((weak)) void
fg_error(const char *format, ...)
{
	model_fail("fg_error: %s", format);
}

__attribute__((weak)) void
fg_note(const char *format, ...)
{
	(void)format;
}

int
main(int argc, char **argv)
{
	return model_main(argc, argv,
			  (struct model_program){__start_model_sites, __stop_model_sites, __start_model_scenarios,
						 __stop_model_scenarios});
}
