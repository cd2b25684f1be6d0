// The implicit function: at each place the weighted mean of the fits with a ball that contains it. Read only; many threads of mesh.cpp use it.
#pragma once

#include "tree.h"

namespace mpu {

struct field_value {
	double value; // negative inside; about the distance to the surface near it
	vec gradient; // mean of the fits' gradients
};

// `place` is in the unit cube.
field_value field_evaluate(const tree &tree, vec place);

} // namespace mpu
