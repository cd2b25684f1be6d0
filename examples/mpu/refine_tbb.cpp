// The oneTBB variant of the refinement. It has its own file because the program can be built without that library.
#include "refine.h"

#ifdef MPU_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#endif

namespace mpu {

#ifdef MPU_TBB
static void
node_refine_tbb(refiner &r, node &node)
{
	ball_visit_count count;
	if (!node_fit(node, r.index, r.params, count))
		return;
	octet &octet = node_cut(r.tree, node);
	tbb::parallel_for(
		tbb::blocked_range<int>(0, 8, 1),
		[&](const tbb::blocked_range<int> &range) {
			for (int i = range.begin(); i != range.end(); i++)
				node_refine_tbb(r, octet.child[i]);
		},
		tbb::simple_partitioner());
}

void
refine_tbb(refiner &r)
{
	tbb::global_control limit(tbb::global_control::max_allowed_parallelism, (size_t)r.threads);
	node_refine_tbb(r, tree_root(r.tree));
}
#else
void
refine_tbb(refiner &)
{
	fail("built without oneTBB; the variants here are serial, nested and tasks");
}
#endif

} // namespace mpu
