/* "NAME=value": the options of ForestGOMP. A refused value leaves the default. */
#include "base/options.h"
#include "fuzz.h"
#include <string.h>

void
fuzz_text(const char *text)
{
	char *environment[] = {(char *)text, NULL};
	fg_options_read(environment);
	HOLDS(fg_options.slice <= UINT64_C(10000000000) && fg_options.spin <= UINT64_C(3600000000000));
	HOLDS(fg_options.stacksize == 0 ||
	      (fg_options.stacksize >= 65536 && fg_options.stacksize <= UINT64_C(64) << 30));
	HOLDS(fg_options.signal > 0 && fg_options.signal <= 64);
	HOLDS(fg_options.sched[0] &&
	      strstr("user kernel", fg_options.threads)); /* team/boot/sched_option.c reads the former */
	for (unsigned i = 0; i < FG_OPTION_COUNT; i++)
		HOLDS(fg_option_table[i].text);
}
