/* The calls of include/forestgomp/memory.h (floor: omp). The program calls these on any pthread, outside the runtime.
 * team/alloc/manager.h carries them out. */
#include "forestgomp/memory.h"
#include "base/export.h"
#include "memory/where.h"
#include "team/alloc/manager.h"
#include "team/alloc/mover.h"

FG_EXPORT void *
fgomp_pages_alloc(size_t bytes, enum fgomp_pages_placement how, const struct fgomp_pages_wish *wish)
{
	return fg_manager_alloc(&(struct fg_wish){__func__, how, wish}, bytes);
}

FG_EXPORT int
fgomp_pages_free(void *start)
{
	return fg_manager_drop(__func__, start, true);
}

FG_EXPORT int
fgomp_pages_register(void *start, size_t bytes)
{
	return fg_manager_register(&(struct fg_managed){__func__, start, bytes});
}

FG_EXPORT int
fgomp_pages_unregister(void *start)
{
	return fg_manager_drop(__func__, start, false);
}

FG_EXPORT int
fgomp_pages_split(void *start, unsigned n, void **parts)
{
	return fg_manager_split(&(struct fg_managed){__func__, start, 0}, n, parts);
}

FG_EXPORT int
fgomp_pages_locate(const void *start, size_t bytes, size_t *on_node, unsigned n)
{
	return fg_manager_locate(&(struct fg_managed){__func__, start, bytes}, on_node, n);
}

FG_EXPORT int
fgomp_pages_move(void *start, size_t bytes, enum fgomp_pages_placement how, const struct fgomp_pages_wish *wish,
		 enum fgomp_pages_when when)
{
	return fg_manager_move(&(struct fg_wish){__func__, how, wish}, &(struct fg_managed){__func__, start, bytes},
			       when);
}

FG_EXPORT int
fgomp_pages_wait(void)
{
	fg_mover_wait();
	return 0;
}

FG_EXPORT unsigned
fgomp_pages_nodes(void)
{
	return fg_where->nodes();
}

FG_EXPORT size_t
fgomp_pages_room(unsigned node)
{
	return fg_manager_room(node);
}

FG_EXPORT unsigned
fgomp_pages_access_cost(unsigned from, unsigned to)
{
	unsigned n = fg_where->nodes();
	return from < n && to < n ? fg_where_distance(from, to) : 0;
}

FG_EXPORT unsigned long long
fgomp_pages_move_cost(size_t bytes, unsigned from, unsigned to)
{
	return fg_manager_move_cost(bytes, from, to);
}
