/* Routines that ask about devices (floor: omp; OpenMP 5.2, 18.7). The program calls these on any pthread, outside the
 * runtime. Only the ICV of the caller is written. */
#include "omp/device.h"

#include <string.h>

#include "base/export.h"
#include "exec/roots/self.h"
#include "omp/fortran.h"
#include "team/env/icv.h"

FG_EXPORT int
omp_get_num_devices(void)
{
	return FG_NUM_DEVICES;
}
FG_FORTRAN_GETTER(omp_get_num_devices)

FG_EXPORT int
omp_get_initial_device(void)
{
	return FG_NUM_DEVICES;
}
FG_FORTRAN_GETTER(omp_get_initial_device)

FG_EXPORT int
omp_get_device_num(void)
{
	return FG_NUM_DEVICES;
}
FG_FORTRAN_GETTER(omp_get_device_num)

FG_EXPORT int
omp_is_initial_device(void)
{
	return 1;
}
FG_FORTRAN_GETTER(omp_is_initial_device)

FG_EXPORT int
omp_get_default_device(void)
{
	return fg_icv_current()->default_device;
}
FG_FORTRAN_GETTER(omp_get_default_device)

FG_EXPORT void
omp_set_default_device(int device)
{
	fg_icv_writable(fg_self_or_root())->default_device = device;
}
FG_FORTRAN_SETTER(omp_set_default_device)

FG_EXPORT int
omp_get_max_task_priority(void)
{
	return fg_env.max_task_priority > INT_MAX ? INT_MAX : (int)fg_env.max_task_priority;
}
FG_FORTRAN_GETTER(omp_get_max_task_priority)

static const char host_uid[] = "OMP_INITIAL_DEVICE";

FG_EXPORT const char *
omp_get_uid_from_device(int device)
{
	return fg_device_is_host(device) ? host_uid : NULL;
}

FG_EXPORT int
omp_get_device_from_uid(const char *uid)
{
	return uid && strcmp(uid, host_uid) == 0 ? FG_NUM_DEVICES : FG_DEVICE_INVALID;
}

/* A Fortran function that returns a string gets references to its address and its length. */
FG_EXPORT void
omp_get_uid_from_device_(const char **result, size_t *length, const int32_t *device)
{
	*result = omp_get_uid_from_device(*device);
	*length = *result ? strlen(*result) : 0;
}

FG_EXPORT void
omp_get_uid_from_device_8_(const char **result, size_t *length, const int64_t *device)
{
	*result = omp_get_uid_from_device(fg_fortran_int(*device));
	*length = *result ? strlen(*result) : 0;
}

FG_EXPORT int32_t
omp_get_device_from_uid_(const char *uid, size_t length)
{
	return length == strlen(host_uid) && memcmp(uid, host_uid, length) == 0 ? FG_NUM_DEVICES : FG_DEVICE_INVALID;
}
