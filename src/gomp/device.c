/* The check of a construct's device number (floor: gomp). */
#include "gomp/device.h"

#include <string.h>

#include "base/log.h"
#include "omp/device.h"
#include "team/env/icv.h"

void
fg_device_resolve(int device)
{
	if (device == FG_DEVICE_INVALID)
		fg_fatal("omp_invalid_device encountered");
	if (device == FG_DEVICE_ICV)
		device = fg_icv_current()->default_device;
	if (fg_env.target_offload == 1 && device != FG_DEVICE_HOST && device != FG_NUM_DEVICES)
		fg_fatal("OMP_TARGET_OFFLOAD is set to MANDATORY, but device not found");
}
