/* ABI: OpenACC data (floor: acc; OpenACC 2.6, 3.2.18 and later). Host and device share their memory. So data are always
 * present at the same address, and the library copies only for acc_memcpy_*. The program calls these on any pthread,
 * outside the runtime, without a lock of it. */
#include "base/log.h"
#include "base/export.h"
#include <stdlib.h>
#include <string.h>

FG_EXPORT void *
acc_malloc(size_t size)
{
	return size ? malloc(size) : NULL;
}

FG_EXPORT void
acc_free(void *memory)
{
	free(memory);
}

static void
check_range(const void *address, size_t size)
{
	if (!address || !size)
		fg_fatal("[%p,+%zu] is a bad range", address, size);
}

/* These return the device address of the data. */
#define ADDRESS(name)                                                                                                  \
	FG_EXPORT void *name(void *address, size_t size)                                                               \
	{                                                                                                              \
		check_range(address, size);                                                                            \
		return address;                                                                                        \
	}
ADDRESS(acc_copyin)
ADDRESS(acc_present_or_copyin)
ADDRESS(acc_pcopyin)
ADDRESS(acc_create)
ADDRESS(acc_present_or_create)
ADDRESS(acc_pcreate)

#define NOTHING(name, arguments)                                                                                       \
	FG_EXPORT void name arguments                                                                                  \
	{                                                                                                              \
	}
#define DATA (void *address, size_t size)
#define DATA_ASYNC (void *address, size_t size, int queue)
#define CHECKED_ASYNC(name)                                                                                            \
	FG_EXPORT void name DATA_ASYNC                                                                                 \
	{                                                                                                              \
		check_range(address, size);                                                                            \
	}
CHECKED_ASYNC(acc_copyin_async)
CHECKED_ASYNC(acc_create_async)
NOTHING(acc_copyout, DATA)
NOTHING(acc_copyout_async, DATA_ASYNC)
NOTHING(acc_copyout_finalize, DATA)
NOTHING(acc_copyout_finalize_async, DATA_ASYNC)
NOTHING(acc_delete, DATA)
NOTHING(acc_delete_async, DATA_ASYNC)
NOTHING(acc_delete_finalize, DATA)
NOTHING(acc_delete_finalize_async, DATA_ASYNC)
NOTHING(acc_update_device, DATA)
NOTHING(acc_update_device_async, DATA_ASYNC)
NOTHING(acc_update_self, DATA)
NOTHING(acc_update_self_async, DATA_ASYNC)
NOTHING(acc_attach, (void **address))
NOTHING(acc_attach_async, (void **address, int queue))
NOTHING(acc_detach, (void **address))
NOTHING(acc_detach_async, (void **address, int queue))
NOTHING(acc_detach_finalize, (void **address))
NOTHING(acc_detach_finalize_async, (void **address, int queue))

FG_EXPORT void
acc_map_data(void *host, void *device, size_t size)
{
	if (host != device)
		fg_fatal("cannot map data on shared-memory system: acc_map_data(%p, %p) wants two addresses for one "
			 "memory",
			 host, device);
}

NOTHING(acc_unmap_data, (void *host))

FG_EXPORT void *
acc_deviceptr(void *host)
{
	return host;
}

FG_EXPORT void *
acc_hostptr(void *device)
{
	return device;
}

FG_EXPORT int
acc_is_present(void *address, size_t size)
{
	return address != NULL;
}

/* memmove, because source and target may overlap. */
#define COPY(name)                                                                                                     \
	FG_EXPORT void name(void *to, void *from, size_t size)                                                         \
	{                                                                                                              \
		memmove(to, from, size);                                                                               \
	}                                                                                                              \
	FG_EXPORT void name##_async(void *to, void *from, size_t size, int queue)                                      \
	{                                                                                                              \
		memmove(to, from, size);                                                                               \
	}
COPY(acc_memcpy_to_device)
COPY(acc_memcpy_from_device)
COPY(acc_memcpy_device)

/* Fortran's forms take a reference to a size of 4 or 8 bytes, or an array's descriptor. */
#define FORTRAN(name)                                                                                                  \
	NOTHING(name##_32_h_, (void *address, const int32_t *size))                                                    \
	NOTHING(name##_64_h_, (void *address, const int64_t *size))                                                    \
	NOTHING(name##_array_h_, (void *descriptor))
#define FORTRAN_ASYNC(name)                                                                                            \
	NOTHING(name##_32_h_, (void *address, const int32_t *size, const int32_t *queue))                              \
	NOTHING(name##_64_h_, (void *address, const int64_t *size, const int32_t *queue))                              \
	NOTHING(name##_array_h_, (void *descriptor, const int32_t *queue))
FORTRAN(acc_copyin)
FORTRAN(acc_present_or_copyin)
FORTRAN(acc_create)
FORTRAN(acc_present_or_create)
FORTRAN(acc_copyout)
FORTRAN(acc_copyout_finalize)
FORTRAN(acc_delete)
FORTRAN(acc_delete_finalize)
FORTRAN(acc_update_device)
FORTRAN(acc_update_self)
FORTRAN_ASYNC(acc_copyin_async)
FORTRAN_ASYNC(acc_create_async)
FORTRAN_ASYNC(acc_copyout_async)
FORTRAN_ASYNC(acc_copyout_finalize_async)
FORTRAN_ASYNC(acc_delete_async)
FORTRAN_ASYNC(acc_delete_finalize_async)
FORTRAN_ASYNC(acc_update_device_async)
FORTRAN_ASYNC(acc_update_self_async)

FG_EXPORT int32_t
acc_is_present_32_h_(void *address, const int32_t *size)
{
	return address != NULL;
}

FG_EXPORT int32_t
acc_is_present_64_h_(void *address, const int64_t *size)
{
	return address != NULL;
}

FG_EXPORT int32_t
acc_is_present_array_h_(void *descriptor)
{
	return 1;
}
