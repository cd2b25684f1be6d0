/* Above (floor: exec): see above.h. */
#include "exec/ground/above.h"

struct fg_exec_above fg_exec_above;
