// The ideal for a parallel refinement: bound processes that start together, each with an equal share. Used by main.cpp.
#pragma once

#include "refine.h"

namespace mpu {

// Returns the times of the slowest process, one for each repetition.
std::vector<double> ideal_run(refiner &refiner, const std::vector<share> &shares, int repeat);

} // namespace mpu
