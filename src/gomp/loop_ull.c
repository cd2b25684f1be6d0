/* ABI: worksharing loops over unsigned long long (floor: gomp). */
#define WORD unsigned long long
#define NAME(rest) GOMP_loop_ull_##rest
#define BOUNDS bool up, unsigned long long start, unsigned long long end, unsigned long long step
#define IS_SIGNED false
#define UP up
#include "gomp/loop_template.h"
