// The refinement, which the paper parallelises, in its variants. Used by main.cpp; each variant is a few lines in refine.cpp.
#pragma once

#include <vector>

#include "tree.h"

namespace mpu {

enum variant { VARIANT_SERIAL, VARIANT_NESTED, VARIANT_TASKS, VARIANT_TBB };

struct refiner {
	const point_index &index;
	fit_params params;
	struct tree &tree;
	int team; // of each region of the nested variant
	int threads; // all threads, for the task variants
};

void refine_serial(refiner &refiner);
void refine_nested(refiner &refiner);
void refine_tasks(refiner &refiner);
void refine_tbb(refiner &refiner);

// One share of the work: single nodes near the root, and whole subtrees below them.
struct share {
	std::vector<node> lone, subtrees;
};

// Deals the work out to n shares of equal measured work. It refines the tree once to measure it.
std::vector<share> refine_deal(refiner &refiner, int n);
void refine_share(refiner &refiner, const share &share);

} // namespace mpu
