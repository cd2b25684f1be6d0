// Fitting: gather the points of a cell's ball, choose a bivariate quadratic or a general quadric, solve for it, and measure its error.
// Only + - * / and sqrt are used, in a fixed order. So the bits are equal on every runtime and machine (built with -ffp-contract=off).
#include "fit.h"

#include <cmath>

namespace mpu {

namespace {

constexpr uint32_t MIN_POINTS = 15; // the paper's N_min
constexpr uint32_t MAX_SAMPLE = 384; // of larger balls, so many points are fitted, evenly spaced, and all are checked
constexpr double BALL_SCALE = 0.75; // the paper's alpha: radius / diagonal of the cell
constexpr double RIDGE = 1e-7; // keeps terms at 0 that the points do not determine

struct sample {
	float x, y, z, weight; // place relative to the ball's centre and radius
	float nx, ny, nz;
	float distance; // from the centre
};

struct samples {
	uint32_t count;
	sample at[MAX_SAMPLE];
};

// Solves the symmetric system in place by LDL^T; a's lower triangle is given. Returns false if it is singular.
template <int N>
bool
symmetric_solve(double (&a)[N][N], double (&b)[N])
{
	double trace = 0;
	for (int i = 0; i < N; i++)
		trace += a[i][i];
	for (int i = 0; i < N; i++)
		a[i][i] += RIDGE * trace;
	for (int j = 0; j < N; j++) {
		double d = a[j][j];
		if (!(d > 0))
			return false;
		double inverse = 1 / d;
		for (int i = j + 1; i < N; i++) {
			double l = a[i][j] * inverse;
			for (int k = j + 1; k <= i; k++)
				a[i][k] -= l * a[k][j];
			b[i] -= l * b[j];
		}
		// column j keeps l * d; the code below divides it out
	}
	for (int i = N - 1; i >= 0; i--) {
		double sum = b[i];
		for (int k = i + 1; k < N; k++)
			sum -= a[k][i] * b[k];
		b[i] = sum / a[i][i];
	}
	return true;
}

template <int N>
inline void
row_add(double (&a)[N][N], double (&b)[N], const double (&row)[N], double right, double weight)
{
	for (int i = 0; i < N; i++) {
		double w = weight * row[i];
		for (int j = 0; j <= i; j++)
			a[i][j] += w * row[j];
		b[i] += w * right;
	}
}

void
samples_take(samples &s, const oriented_point &p, vec centre, double inverse_radius)
{
	sample &to = s.at[s.count++];
	double x = (p.x - centre.x) * inverse_radius, y = (p.y - centre.y) * inverse_radius,
	       z = (p.z - centre.z) * inverse_radius;
	double distance = std::sqrt(x * x + y * y + z * z);
	to = {(float)x, (float)y, (float)z, (float)ball_weight(distance), p.nx, p.ny, p.nz, (float)distance};
}

// Fills s with the ball's points, or with every k-th of them if there are too many. Returns their number.
uint32_t
samples_gather(samples &s, const point_index &index, vec centre, double radius, ball_visit_count &work)
{
	uint32_t total = 0;
	double inverse = 1 / radius;
	s.count = 0;
	ball_visit(index, centre, radius, work, [&](uint32_t begin, uint32_t end) {
		for (uint32_t i = begin; i < end && s.count < MAX_SAMPLE; i++)
			samples_take(s, index.points[i], centre, inverse);
		total += end - begin;
	});
	if (total <= MAX_SAMPLE)
		return total;
	uint32_t stride = (total + MAX_SAMPLE - 1) / MAX_SAMPLE, skip = 0;
	s.count = 0;
	ball_visit(index, centre, radius, work, [&](uint32_t begin, uint32_t end) {
		uint32_t i = begin + skip;
		for (; i < end; i += stride)
			samples_take(s, index.points[i], centre, inverse);
		skip = i - end;
	});
	return total;
}

// Returns the mean normal. `wide` tells that some point's normal is more than a right angle away from it.
vec
normal_mean(const samples &s, bool &wide)
{
	vec n = {0, 0, 0};
	for (uint32_t i = 0; i < s.count; i++)
		n = n + vec{s.at[i].nx, s.at[i].ny, s.at[i].nz} * s.at[i].weight;
	n = unit(n);
	double least = 1;
	for (uint32_t i = 0; i < s.count; i++)
		least = std::fmin(least, dot(n, {s.at[i].nx, s.at[i].ny, s.at[i].nz}));
	wide = least < 0;
	return n;
}

// The height over the plane through the centre with normal n, as a quadratic polynomial (the paper's equation for case b).
bool
bivariate_solve(const samples &s, vec n, quadric &out)
{
	if (dot(n, n) == 0)
		return false;
	vec axis = std::fabs(n.x) < 0.6 ? vec{1, 0, 0} : vec{0, 1, 0};
	vec e = unit(cross(n, axis)), f = cross(n, e);
	double a[6][6] = {}, b[6] = {};
	for (uint32_t i = 0; i < s.count; i++) {
		vec t = {s.at[i].x, s.at[i].y, s.at[i].z};
		double u = dot(t, e), v = dot(t, f);
		const double row[6] = {1, u, v, u * u, u * v, v * v};
		row_add(a, b, row, dot(t, n), s.at[i].weight);
	}
	if (!symmetric_solve(a, b))
		return false;
	vec linear = n - e * b[1] - f * b[2];
	out = {{-b[0], linear.x, linear.y, linear.z, -(b[3] * e.x * e.x + b[4] * e.x * f.x + b[5] * f.x * f.x),
		-(b[3] * e.y * e.y + b[4] * e.y * f.y + b[5] * f.y * f.y),
		-(b[3] * e.z * e.z + b[4] * e.z * f.z + b[5] * f.z * f.z),
		-(2 * b[3] * e.x * e.y + b[4] * (e.x * f.y + e.y * f.x) + 2 * b[5] * f.x * f.y),
		-(2 * b[3] * e.y * e.z + b[4] * (e.y * f.z + e.z * f.y) + 2 * b[5] * f.y * f.z),
		-(2 * b[3] * e.z * e.x + b[4] * (e.z * f.x + e.x * f.z) + 2 * b[5] * f.z * f.x)}};
	return true;
}

// The mean signed distance of q to its six nearest samples' tangent planes (the paper's d_j). Returns false if they disagree about the side.
bool
side_distance(const samples &s, vec q, double &distance)
{
	double near[6];
	uint32_t which[6];
	int found = 0;
	for (uint32_t i = 0; i < s.count; i++) {
		vec d = vec{s.at[i].x, s.at[i].y, s.at[i].z} - q;
		double d2 = dot(d, d);
		if (found == 6 && d2 >= near[5])
			continue;
		int at = found < 6 ? found++ : 5;
		for (; at > 0 && near[at - 1] > d2; at--) {
			near[at] = near[at - 1];
			which[at] = which[at - 1];
		}
		near[at] = d2;
		which[at] = i;
	}
	double sum = 0;
	int positive = 0;
	for (int k = 0; k < found; k++) {
		const sample &p = s.at[which[k]];
		double d = dot({p.nx, p.ny, p.nz}, q - vec{p.x, p.y, p.z});
		positive += d > 0;
		sum += d;
	}
	distance = sum / found;
	return positive == 0 || positive == found;
}

// A general quadric, 0 at the points and of the right sign at the cell's corners and centre (the paper's case a).
bool
quadric_solve(const samples &s, double corner, quadric &out)
{
	double a[10][10] = {}, b[10] = {}, weights = 0;
	auto add = [&](vec t, double right, double weight) {
		const double row[10] = {1, t.x, t.y, t.z, t.x * t.x, t.y * t.y, t.z * t.z, t.x * t.y, t.y * t.z, t.z * t.x};
		row_add(a, b, row, right, weight);
	};
	for (uint32_t i = 0; i < s.count; i++)
		weights += s.at[i].weight;
	for (uint32_t i = 0; i < s.count; i++)
		add({s.at[i].x, s.at[i].y, s.at[i].z}, 0, s.at[i].weight / weights);
	vec q[9];
	double d[9];
	int kept = 0;
	for (int j = 0; j < 9; j++) {
		q[kept] =
			j == 8 ? vec{0, 0, 0} : vec{j & 1 ? corner : -corner, j & 2 ? corner : -corner, j & 4 ? corner : -corner};
		kept += side_distance(s, q[kept], d[kept]);
	}
	if (kept == 0)
		return false;
	for (int j = 0; j < kept; j++)
		add(q[j], d[j], 1.0 / kept);
	if (!symmetric_solve(a, b))
		return false;
	for (int i = 0; i < 10; i++)
		out.q[i] = b[i];
	return true;
}

// Returns the squared first-order distance of a point to the quadric's zero set, relative to the radius.
inline double
distance2(const quadric &quadric, vec t)
{
	double value = quadric.value(t);
	vec gradient = quadric.gradient(t);
	double slope2 = dot(gradient, gradient);
	return slope2 > 1e-12 ? value * value / slope2 : 1;
}

} // namespace

fit_result
cell_fit(const point_index &index, const fit_params &params, vec centre, double half, int level)
{
	fit_result fit = {};
	samples s;
	const double own_radius = BALL_SCALE * 2 * half * std::sqrt(3.0);
	double radius = own_radius;
	uint32_t total = samples_gather(s, index, centre, radius, fit.work);
	fit.count = total;
	bool sparse = total < MIN_POINTS;
	while (total < MIN_POINTS) {
		radius *= 1.25;
		total = samples_gather(s, index, centre, radius, fit.work);
	}
	fit.radius = radius;

	bool wide, solved = false;
	vec n = normal_mean(s, wide);
	if (wide && !sparse) {
		solved = quadric_solve(s, half / radius, fit.quadric);
		fit.kind = FIT_QUADRIC;
	}
	bool trusted = solved || !wide;
	if (!solved) {
		solved = bivariate_solve(s, n, fit.quadric);
		fit.kind = FIT_BIVARIATE;
	}
	if (!solved) {
		fit.quadric = {{0, n.x, n.y, n.z, 0, 0, 0, 0, 0, 0}};
		trusted = false;
	}
	fit.work.points += s.count;

	bool may_split = !sparse && level < params.max_level;
	bool good = trusted;
	double limit = params.tolerance / radius, limit2 = limit * limit;
	for (uint32_t i = 0; may_split && good && i < s.count; i++)
		good = distance2(fit.quadric, {s.at[i].x, s.at[i].y, s.at[i].z}) <= limit2;
	if (may_split && good && total > s.count)
		ball_visit(index, centre, radius, fit.work, [&](uint32_t begin, uint32_t end) {
			for (uint32_t i = begin; good && i < end; i++) {
				const oriented_point &p = index.points[i];
				good = distance2(fit.quadric, (vec{p.x, p.y, p.z} - centre) * (1 / radius)) <= limit2;
			}
		});
	fit.split = may_split && !good;
	for (double &q : fit.quadric.q)
		q *= radius;
	return fit;
}

} // namespace mpu
