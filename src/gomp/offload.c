/* ABI: images for devices, which the constructors of a program built for offloading register (floor: gomp). No device
 * runs them, because the program's target regions run on the host. A constructor calls these, outside. They do
 * nothing. */
#include "base/export.h"

FG_EXPORT void
GOMP_offload_register_ver(unsigned version, const void *host_table, int type, const void *data)
{
}

FG_EXPORT void
GOMP_offload_unregister_ver(unsigned version, const void *host_table, int type, const void *data)
{
}

FG_EXPORT void
GOMP_offload_register(const void *host_table, int type, const void *data)
{
}

FG_EXPORT void
GOMP_offload_unregister(const void *host_table, int type, const void *data)
{
}
