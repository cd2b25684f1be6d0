// A local fit: the quadric that stands for the surface near one cell of the octree (Ohtake et al. 2003, section 4).
// fit.cpp computes it from the cell's place alone. So the bits are the same for every thread, at any time.
#pragma once

#include "index.h"

namespace mpu {

struct fit_params {
	double tolerance; // largest distance of a point to its quadric, in unit cube lengths
	int max_level;
};

enum fit_kind : uint8_t { FIT_NONE, FIT_BIVARIATE, FIT_QUADRIC };

// The value at t = (x - centre) / radius is q0 + q1..3 . t + q4 tx tx + q5 ty ty + q6 tz tz + q7 tx ty + q8 ty tz + q9 tz tx. It is in unit
// cube lengths, and negative inside the body.
struct quadric {
	double q[10];

	double
	value(vec t) const
	{
		return q[0] + t.x * (q[1] + q[4] * t.x + q[7] * t.y) + t.y * (q[2] + q[5] * t.y + q[8] * t.z) +
			t.z * (q[3] + q[6] * t.z + q[9] * t.x);
	}

	// The gradient with respect to t.
	vec
	gradient(vec t) const
	{
		return {q[1] + 2 * q[4] * t.x + q[7] * t.y + q[9] * t.z, q[2] + 2 * q[5] * t.y + q[7] * t.x + q[8] * t.z,
			q[3] + 2 * q[6] * t.z + q[8] * t.y + q[9] * t.x};
	}
};

struct fit_result {
	struct quadric quadric;
	double radius; // of the ball of the fitted points
	uint32_t count; // points in the cell's own ball, before any enlarging
	fit_kind kind;
	bool split; // the fit is not good enough, so the cell must be cut into eight
	ball_visit_count work;
};

// A quadratic B-spline over the ball: 3/4 at the centre, 0 at the rim (the paper's w_i).
inline double
ball_weight(double relative_distance)
{
	double t = 1.5 * relative_distance;
	if (t < 0.5)
		return 0.75 - t * t;
	return t < 1.5 ? 0.5 * (1.5 - t) * (1.5 - t) : 0;
}

fit_result cell_fit(const point_index &index, const fit_params &params, vec centre, double half, int level);

} // namespace mpu
