// The ideal to which a parallel refinement is compared: bound processes, started together, each with an equal share. Used by main.cpp.
#pragma once

#include "refine.h"

namespace mpu {

// Times of the slowest process, one for each repetition.
std::vector<double> ideal_run(refiner &refiner, const std::vector<share> &shares, int repeat);

} // namespace mpu
