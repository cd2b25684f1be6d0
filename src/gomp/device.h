/* Device numbers of constructs (floor: gomp). */
#pragma once

/* Device numbers that gcc writes into compiled code, beside those that the program gave. */
enum fg_device {
	FG_DEVICE_ICV = -1,
	FG_DEVICE_HOST = -2, /* if clause false */
};

/* Ends the program where a construct must not run on the host. */
void fg_device_resolve(int device);
