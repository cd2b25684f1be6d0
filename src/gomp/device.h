/* Device numbers of constructs (floor: gomp; called by target.c and interop.c). The caller is outside or inside, and
 * nothing is written: a device that is refused ends the program. */
#pragma once

/* gcc writes these device numbers into compiled code, beside the numbers that the program gives. */
enum fg_device {
	FG_DEVICE_ICV = -1,
	FG_DEVICE_HOST = -2, /* the if clause is false */
};

/* Ends the program if the construct must not run on the host. */
void fg_device_resolve(int device);
