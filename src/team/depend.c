/* Dependences of a task (floor: team; called by task_depend.c). */
#include "team/depend.h"
#include <stdint.h>

/* Short form: {n, out, addresses: out ones first}. Long form: {0, n, out, mutexinoutset, in, addresses, pointers to depend
 * objects {address, kind}}. */
size_t
fg_depend_count(void **depend)
{
	return (uintptr_t)depend[0] ? (uintptr_t)depend[0] : (uintptr_t)depend[1];
}

static void
read_run(void **from, size_t count, unsigned kind, struct fg_depend *items)
{
	for (size_t i = 0; i < count; i++)
		items[i] = (struct fg_depend){from[i], kind};
}

void
fg_depend_read(void **depend, struct fg_depend *items)
{
	size_t count = fg_depend_count(depend);
	if (count == 0) /* in either form; the rest need not be there */
		return;
	if (depend[0]) {
		size_t out = (uintptr_t)depend[1];
		read_run(depend + 2, out, FG_DEPEND_INOUT, items);
		read_run(depend + 2 + out, count - out, FG_DEPEND_IN, items + out);
		return;
	}
	size_t out = (uintptr_t)depend[2], mutex = (uintptr_t)depend[3], in = (uintptr_t)depend[4];
	void **addresses = depend + 5;
	read_run(addresses, out, FG_DEPEND_INOUT, items);
	read_run(addresses + out, mutex, FG_DEPEND_MUTEX, items + out);
	read_run(addresses + out + mutex, in, FG_DEPEND_IN, items + out + mutex);
	for (size_t i = out + mutex + in; i < count; i++) {
		void **object = addresses[i];
		items[i] = (struct fg_depend){object[0], (unsigned)(uintptr_t)object[1]};
	}
}
