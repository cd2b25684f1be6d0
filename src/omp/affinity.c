/* Routines about places (floor: omp; OpenMP 5.2, 18.3). The number of a place that does not exist gives an empty result
 * and no error, as in libgomp. The program calls these on any pthread, outside the runtime. They only read the list of
 * places and the place of the caller. */
#include "base/export.h"
#include "exec/thread/identity.h"
#include "omp/fortran.h"
#include "team/places/bind.h"

FG_EXPORT int
omp_get_num_places(void)
{
	return (int)fg_place_list.count;
}
FG_FORTRAN_GETTER(omp_get_num_places)

FG_EXPORT int
omp_get_place_num_procs(int place)
{
	if (place < 0 || (unsigned)place >= fg_place_list.count)
		return 0;
	return CPU_COUNT(fg_place_cpus((unsigned)place));
}
FG_FORTRAN_QUERY(omp_get_place_num_procs)

/* Returns the place's first CPU from `cpu` on, or CPU_SETSIZE. */
static int
next_cpu(int place, int cpu)
{
	if (place < 0 || (unsigned)place >= fg_place_list.count)
		return CPU_SETSIZE;
	while (cpu < CPU_SETSIZE && !CPU_ISSET(cpu, fg_place_cpus((unsigned)place)))
		cpu++;
	return cpu;
}

FG_EXPORT void
omp_get_place_proc_ids(int place, int *ids)
{
	for (int cpu = next_cpu(place, 0); cpu < CPU_SETSIZE; cpu = next_cpu(place, cpu + 1))
		*ids++ = cpu;
}

FG_EXPORT void
omp_get_place_proc_ids_(const int32_t *place, int32_t *ids)
{
	omp_get_place_proc_ids(*place, ids);
}

FG_EXPORT void
omp_get_place_proc_ids_8_(const int64_t *place, int64_t *ids)
{
	int number = fg_fortran_int(*place);
	for (int cpu = next_cpu(number, 0); cpu < CPU_SETSIZE; cpu = next_cpu(number, cpu + 1))
		*ids++ = cpu;
}

static struct fg_place_slot
current(void)
{
	return fg_place_current(fg_self());
}

FG_EXPORT int
omp_get_place_num(void)
{
	return fg_place_list.count ? (int)current().place : -1;
}
FG_FORTRAN_GETTER(omp_get_place_num)

FG_EXPORT int
omp_get_partition_num_places(void)
{
	return fg_place_list.count ? (int)current().count : 0;
}
FG_FORTRAN_GETTER(omp_get_partition_num_places)

FG_EXPORT void
omp_get_partition_place_nums(int *places)
{
	if (!fg_place_list.count)
		return;
	struct fg_place_slot slot = current();
	for (unsigned i = 0; i < slot.count; i++)
		places[i] = (int)(slot.first + i);
}
FG_ABI_ALIAS(void, omp_get_partition_place_nums_, (int32_t *places), omp_get_partition_place_nums)

FG_EXPORT void
omp_get_partition_place_nums_8_(int64_t *places)
{
	if (!fg_place_list.count)
		return;
	struct fg_place_slot slot = current();
	for (unsigned i = 0; i < slot.count; i++)
		places[i] = (int64_t)slot.first + i;
}
