/* Routines for device memory, which is the host's memory (floor: omp; OpenMP 5.2, 18.8). The host is the only device:
 * for any other number a routine returns EINVAL or its null result. The program calls these on any pthread, outside the
 * runtime. Nothing is kept. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/export.h"
#include "exec/roots/self.h"
#include "omp/device.h"
#include "team/tasks/depend_wait.h"

FG_EXPORT void *
omp_target_alloc(size_t size, int device)
{
	return fg_device_is_host(device) ? malloc(size) : NULL;
}

FG_EXPORT void
omp_target_free(void *memory, int device)
{
	if (fg_device_is_host(device))
		free(memory);
}

FG_EXPORT int
omp_target_is_present(const void *address, int device)
{
	return !address || fg_device_is_host(device);
}

FG_EXPORT int
omp_target_is_accessible(const void *address, size_t size, int device)
{
	return fg_device_is_host(device);
}

FG_EXPORT void *
omp_get_mapped_ptr(const void *address, int device)
{
	return fg_device_is_host(device) ? (void *)address : NULL;
}

/* Host memory cannot be associated with a device that is the host itself. */
FG_EXPORT int
omp_target_associate_ptr(const void *address, const void *device_address, size_t size, size_t offset, int device)
{
	return EINVAL;
}

FG_EXPORT int
omp_target_disassociate_ptr(const void *address, int device)
{
	return EINVAL;
}

FG_EXPORT int
omp_target_memcpy(void *to, const void *from, size_t length, size_t to_offset, size_t from_offset, int to_device,
		  int from_device)
{
	if (!fg_device_is_host(to_device) || !fg_device_is_host(from_device))
		return EINVAL;
	memcpy((char *)to + to_offset, (const char *)from + from_offset, length);
	return 0;
}

/* A box inside an array: its offsets, and the dimensions of the array. */
struct box {
	char *base;
	const size_t *offsets, *dimensions;
};

/* Computes the bytes between two neighbours of the outermost dimension. Returns false on overflow. */
static bool
slice_of(const struct box *box, size_t element, int dims, size_t *slice)
{
	*slice = element;
	for (int i = 1; i < dims; i++)
		if (__builtin_mul_overflow(*slice, box->dimensions[i], slice))
			return false;
	size_t begin;
	return !__builtin_mul_overflow(*slice, box->offsets[0], &begin);
}

static int
copy_box(struct box to, struct box from, size_t element, int dims, const size_t *volume)
{
	size_t to_slice, from_slice, bytes;
	if (!slice_of(&to, element, dims, &to_slice) || !slice_of(&from, element, dims, &from_slice))
		return EINVAL;
	to.base += to_slice * to.offsets[0];
	from.base += from_slice * from.offsets[0];
	if (dims == 1) {
		if (__builtin_mul_overflow(element, volume[0], &bytes))
			return EINVAL;
		memcpy(to.base, from.base, bytes);
		return 0;
	}
	for (size_t i = 0; i < volume[0]; i++) {
		struct box to_inner = {to.base + i * to_slice, to.offsets + 1, to.dimensions + 1};
		struct box from_inner = {from.base + i * from_slice, from.offsets + 1, from.dimensions + 1};
		int error = copy_box(to_inner, from_inner, element, dims - 1, volume + 1);
		if (error)
			return error;
	}
	return 0;
}

FG_EXPORT int
omp_target_memcpy_rect(void *to, const void *from, size_t element, int dims, const size_t *volume,
		       const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
		       const size_t *from_dimensions, int to_device, int from_device)
{
	if (!to && !from)
		return INT_MAX; /* the number of dimensions supported */
	if (!fg_device_is_host(to_device) || !fg_device_is_host(from_device) || dims < 1)
		return EINVAL;
	return copy_box((struct box){to, to_offsets, to_dimensions},
			(struct box){(char *)from, from_offsets, from_dimensions}, element, dims, volume);
}

FG_EXPORT void *
omp_target_memset(void *memory, int value, size_t count, int device)
{
	return fg_device_is_host(device) && memory ? memset(memory, value, count) : memory;
}

/* Waits for the depend objects. The routine then does its work at once, as an undeferred task would. */
static void
wait_objects(int count, void *objects)
{
	if (count <= 0)
		return;
	struct fg_identity *self = fg_self_or_root();
	fg_enter(self);
	for (int i = 0; i < count; i++) {
		void *depend[6] = {[1] = (void *)1, [5] = (void **)objects + 2 * i};
		fg_task_wait_depend(self, depend);
	}
	fg_leave(self);
}

FG_EXPORT int
omp_target_memcpy_async(void *to, const void *from, size_t length, size_t to_offset, size_t from_offset, int to_device,
			int from_device, int count, void *objects)
{
	wait_objects(count, objects);
	return omp_target_memcpy(to, from, length, to_offset, from_offset, to_device, from_device);
}

FG_EXPORT int
omp_target_memcpy_rect_async(void *to, const void *from, size_t element, int dims, const size_t *volume,
			     const size_t *to_offsets, const size_t *from_offsets, const size_t *to_dimensions,
			     const size_t *from_dimensions, int to_device, int from_device, int count, void *objects)
{
	wait_objects(count, objects);
	return omp_target_memcpy_rect(to, from, element, dims, volume, to_offsets, from_offsets, to_dimensions,
				      from_dimensions, to_device, from_device);
}

FG_EXPORT void *
omp_target_memset_async(void *memory, int value, size_t size, int device, int count, void *objects)
{
	wait_objects(count, objects);
	return omp_target_memset(memory, value, size, device);
}
