/* Dependences of a task (floor: team): see depend.h. */
#include "team/tasks/depend.h"

#include <assert.h>
#include <stdint.h>

#include "platform/memory.h"

/* The short form is {n, out, addresses: those of kind out first}. The long form is {0, n, out, mutexinoutset, in,
 * addresses, pointers to depend objects {address, kind}}. */
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
	if (count == 0) /* in both forms: the rest may be absent */
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

/* Leaves one item for each address. Two different kinds become inout, which orders most. Returns the items' number. */
static size_t
merge(struct fg_depend *items, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		size_t same = 0;
		while (same < kept && items[same].address != items[i].address)
			same++;
		if (same == kept)
			items[kept++] = items[i];
		else if (items[same].kind != items[i].kind)
			items[same].kind = FG_DEPEND_INOUT;
	}
	return kept;
}

bool
fg_depend_items_read(struct fg_depend_items *items, void **depend)
{
	size_t count = fg_depend_count(depend);
	items->item = count > FG_DEPEND_LOCAL ? fg_memory_get(count * sizeof *items->item) : items->local;
	if (!items->item) {
		items->item = items->local;
		items->local[0] = (struct fg_depend){NULL, FG_DEPEND_INOUT};
		items->count = 1;
		return false;
	}
	fg_depend_read(depend, items->item);
	items->count = merge(items->item, count);
	assert(items->count <= count); /* 0: an iterator with no value */
	return true;
}

void
fg_depend_items_free(struct fg_depend_items *items)
{
	if (items->item != items->local)
		fg_memory_free(items->item);
}

unsigned
fg_depend_mutexes(const struct fg_depend_items *items)
{
	unsigned n = 0;
	for (size_t i = 0; i < items->count; i++)
		n += items->item[i].kind == FG_DEPEND_MUTEX;
	return n;
}

void
fg_depend_order_mutexes(struct fg_depend_items *items)
{
	for (size_t i = 0; i < items->count; i++)
		if (items->item[i].kind == FG_DEPEND_MUTEX)
			items->item[i].kind = FG_DEPEND_INOUT;
}
