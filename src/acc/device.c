/* ABI: OpenACC devices and queues (floor: acc; OpenACC 2.6, 3.2.1 to 3.2.17). The host is the only device. Asynchronous
 * operations are done at once, so queues are always empty. The program calls these on any pthread, outside the runtime,
 * without a lock of it. */
#include "base/log.h"
#include "base/export.h"
#include <string.h>

/* acc_device_t */
enum { DEVICE_CURRENT = -1, DEVICE_NONE = 0, DEVICE_DEFAULT = 1, DEVICE_HOST = 2 };

static bool
is_host(int type)
{
	return type == DEVICE_CURRENT || type == DEVICE_DEFAULT || type == DEVICE_HOST;
}

static void
check_device(const char *routine, int number, int type)
{
	if (!is_host(type))
		fg_fatal("%s: device type %d not supported; the host (%d) is the only device", routine, type,
			 DEVICE_HOST);
	if (number > 0)
		fg_fatal("%s: device %d out of range; the host's number is 0", routine, number);
}

FG_EXPORT int
acc_get_num_devices(int type)
{
	return is_host(type);
}

FG_EXPORT void
acc_set_device_type(int type)
{
	check_device("acc_set_device_type", 0, type);
}

FG_EXPORT int
acc_get_device_type(void)
{
	return DEVICE_HOST;
}

FG_EXPORT void
acc_set_device_num(int number, int type)
{
	check_device("acc_set_device_num", number, type);
}

FG_EXPORT int
acc_get_device_num(int type)
{
	check_device("acc_get_device_num", 0, type);
	return 0;
}

FG_EXPORT int
acc_on_device(int type)
{
	return type == DEVICE_HOST || type == DEVICE_NONE;
}

FG_EXPORT void
acc_init(int type)
{
	check_device("acc_init", 0, type);
}

FG_EXPORT void
acc_shutdown(int type)
{
	check_device("acc_shutdown", 0, type);
}

/* The properties are acc_property_memory and acc_property_free_memory, and 0 means unknown. */
FG_EXPORT size_t
acc_get_property(int number, int type, int property)
{
	check_device("acc_get_property", number, type);
	return 0;
}

/* The strings are libgomp's for the host. */
FG_EXPORT const char *
acc_get_property_string(int number, int type, int property)
{
	static const char *const strings[] = {"GOMP", "GNU", "1.0"}; /* name, vendor, driver: from 0x10001 on */
	check_device("acc_get_property_string", number, type);
	unsigned index = (unsigned)property - 0x10001;
	return index < 3 ? strings[index] : NULL;
}

FG_EXPORT int
acc_async_test(int queue)
{
	return 1;
}

FG_EXPORT int
acc_async_test_all(void)
{
	return 1;
}

#define NOTHING(name, arguments)                                                                                       \
	FG_EXPORT void name arguments                                                                                  \
	{                                                                                                              \
	}
NOTHING(acc_wait, (int queue))
NOTHING(acc_async_wait, (int queue))
NOTHING(acc_wait_async, (int queue, int other))
NOTHING(acc_wait_all, (void))
NOTHING(acc_async_wait_all, (void))
NOTHING(acc_wait_all_async, (int queue))

FG_EXPORT void *
acc_get_current_cuda_device(void)
{
	return NULL;
}

FG_EXPORT void *
acc_get_current_cuda_context(void)
{
	return NULL;
}

FG_EXPORT void *
acc_get_cuda_stream(int queue)
{
	return NULL;
}

/* The result 0 means success. */
FG_EXPORT int
acc_set_cuda_stream(int queue, void *stream)
{
	return stream ? -1 : 0;
}

/* The library accepts profiling tools and never calls them, because a host without devices has no events for them. */
NOTHING(acc_prof_register, (int event, void *callback, int info))
NOTHING(acc_prof_unregister, (int event, void *callback, int info))
NOTHING(acc_register_library, (void *registers, void *unregisters, void *lookup))
FG_EXPORT void *
acc_prof_lookup(const char *name)
{
	return NULL;
}

/* Fortran's forms take their arguments by reference. */
FG_EXPORT int32_t
acc_get_num_devices_h_(const int32_t *type)
{
	return acc_get_num_devices(*type);
}

FG_EXPORT void
acc_set_device_type_h_(const int32_t *type)
{
	acc_set_device_type(*type);
}

FG_EXPORT int32_t
acc_get_device_type_h_(void)
{
	return acc_get_device_type();
}

FG_EXPORT void
acc_set_device_num_h_(const int32_t *number, const int32_t *type)
{
	acc_set_device_num(*number, *type);
}

FG_EXPORT int32_t
acc_get_device_num_h_(const int32_t *type)
{
	return acc_get_device_num(*type);
}

FG_EXPORT int32_t
acc_on_device_h_(const int32_t *type)
{
	return acc_on_device(*type);
}

FG_EXPORT void
acc_init_h_(const int32_t *type)
{
	acc_init(*type);
}

FG_EXPORT void
acc_shutdown_h_(const int32_t *type)
{
	acc_shutdown(*type);
}

FG_EXPORT size_t
acc_get_property_h_(const int32_t *number, const int32_t *type, const int32_t *property)
{
	return acc_get_property(*number, *type, *property);
}

FG_EXPORT void
acc_get_property_string_h_(const int32_t *number, const int32_t *type, const int32_t *property, char *buffer,
			   size_t length)
{
	const char *string = acc_get_property_string(*number, *type, *property);
	size_t used = string ? strlen(string) : 0;
	if (used > length)
		used = length;
	if (used)
		memcpy(buffer, string, used);
	memset(buffer + used, ' ', length - used);
}

FG_EXPORT int32_t
acc_async_test_h_(const int32_t *queue)
{
	return 1;
}

FG_EXPORT int32_t
acc_async_test_all_h_(void)
{
	return 1;
}

NOTHING(acc_wait_h_, (const int32_t *queue))
NOTHING(acc_wait_async_h_, (const int32_t *queue, const int32_t *other))
NOTHING(acc_wait_all_h_, (void))
NOTHING(acc_wait_all_async_h_, (const int32_t *queue))
