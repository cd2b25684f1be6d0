/* Devices of the omp_ routines: the host is the only one (floor: omp; used by target_memory.c and gomp/device.c). Any
 * thread may ask anywhere. */
#pragma once
#include <stdbool.h>

#define FG_NUM_DEVICES 0     /* also the device number of the host */
#define FG_DEVICE_INVALID -4 /* omp_invalid_device */

/* Tells whether an argument of omp_target_* names the host, as omp_get_initial_device() or as GCC 13's
 * omp_initial_device. */
static inline bool
fg_device_is_host(int device)
{
	return device == FG_NUM_DEVICES || device == -1;
}
