/* Devices: there is the host and nothing else (floor: gomp). */
#pragma once
#include <stdbool.h>

#define FG_NUM_DEVICES 0 /* also the device number of the host */

/* Device numbers in compiled code, beside those that the user gave. */
enum fg_device {
	FG_DEVICE_ICV = -1,
	FG_DEVICE_HOST = -2, /* if clause false */
	FG_DEVICE_INVALID = -4,
};

/* A device argument of omp_target_*: omp_get_initial_device(), or GCC 13's omp_initial_device. */
static inline bool
fg_device_is_host(int device)
{
	return device == FG_NUM_DEVICES || device == -1;
}

/* Ends the program where a construct must not run on the host. */
void fg_device_resolve(int device);
