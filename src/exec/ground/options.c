/* Options of exec (floor: exec): see options.h. */
#include "exec/ground/options.h"

struct fg_exec_options fg_exec_options = {
	.spin_ns = 5000000, .brief_turns = 16, .monitor = true, .slice_ns = 4000000, .n_pus = 1};
