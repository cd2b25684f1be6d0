/* ABI: OpenACC constructs, which the host runs (floor: acc). A parallel or kernels construct is one gang of one worker,
 * the caller. Data constructs have nothing to do. The program calls these on any pthread, outside the runtime, without
 * a lock of it. */
#include "base/export.h"

FG_EXPORT void
GOACC_parallel_keyed(int flags, void (*fn)(void *), size_t count, void **addresses, size_t *sizes,
		     unsigned short *kinds, ...)
{
	fn(addresses);
}

/* GCC 5 calls this form. */
FG_EXPORT void
GOACC_parallel(int flags, void (*fn)(void *), size_t count, void **addresses, size_t *sizes, unsigned short *kinds,
	       int gangs, int workers, int vector_length, int queue, int waits, ...)
{
	fn(addresses);
}

FG_EXPORT int
GOACC_get_num_threads(void)
{
	return 1;
}

FG_EXPORT int
GOACC_get_thread_num(void)
{
	return 0;
}

#define NOTHING(name, arguments)                                                                                       \
	FG_EXPORT void name arguments                                                                                  \
	{                                                                                                              \
	}
#define DATA int flags, size_t count, void **addresses, size_t *sizes, unsigned short *kinds
NOTHING(GOACC_data_start, (DATA))
NOTHING(GOACC_data_end, (void))
NOTHING(GOACC_enter_exit_data, (DATA, int queue, int waits, ...))
NOTHING(GOACC_enter_data, (DATA, int queue, int waits, ...))
NOTHING(GOACC_exit_data, (DATA, int queue, int waits, ...))
NOTHING(GOACC_update, (DATA, int queue, int waits, ...))
NOTHING(GOACC_declare, (DATA))
NOTHING(GOACC_wait, (int queue, int waits, ...))
