// Drawing: the mesh goes through a depth buffer at three times the resolution, once from the eye and once from the lamp for the shadow. Then each
// sample is lit (Phong, two lamps, light from the sky). It is darkened where its surroundings close it in.
#include "picture.h"

#include <algorithm>
#include <cmath>

namespace mpu {

namespace {

constexpr int SUPER = 3;

struct camera {
	vec centre, right, up, back; // back points from the scene to the eye
	double scale, distance; // of the eye from the centre; 0: parallel rays
	int width;

	// x and y in samples, z the depth (larger is nearer).
	vec
	project(vec p) const
	{
		vec d = p - centre;
		double depth = dot(d, back);
		double s = distance > 0 ? scale * distance / (distance - depth) : scale;
		return {width * 0.5 + dot(d, right) * s, width * 0.5 - dot(d, up) * s, depth};
	}

	vec
	unproject(double x, double y, double depth) const
	{
		double s = distance > 0 ? scale * distance / (distance - depth) : scale;
		return centre + right * ((x - width * 0.5) / s) + up * ((width * 0.5 - y) / s) + back * depth;
	}
};

struct sample {
	float depth;
	float nx, ny, nz;
};

constexpr float NOTHING = -1e30f;

vec
direction(double azimuth, double elevation)
{
	double a = azimuth * M_PI / 180, e = elevation * M_PI / 180;
	return {std::sin(a) * std::cos(e), std::cos(a) * std::cos(e), std::sin(e)};
}

camera
camera_aim(const mesh &mesh, vec back, double perspective, double fill, int width)
{
	camera c = {{0, 0, 0}, unit(cross({0, 0, 1}, back)), {0, 0, 0}, back, 1, 0, width};
	if (dot(c.right, c.right) == 0)
		c.right = {1, 0, 0};
	c.up = cross(back, c.right);
	double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
	for (const mesh_vertex &v : mesh.vertices) {
		vec p = {v.x, v.y, v.z};
		const double at[3] = {dot(p, c.right), dot(p, c.up), dot(p, c.back)};
		for (int k = 0; k < 3; k++) {
			low[k] = std::min(low[k], at[k]);
			high[k] = std::max(high[k], at[k]);
		}
	}
	c.centre = c.right * ((low[0] + high[0]) / 2) + c.up * ((low[1] + high[1]) / 2) + c.back * ((low[2] + high[2]) / 2);
	double extent = std::max({high[0] - low[0], high[1] - low[1], 1e-9});
	c.scale = fill * width / extent;
	c.distance = perspective * std::max(extent, high[2] - low[2]);
	return c;
}

std::vector<sample>
rasterise(const mesh &mesh, const camera &camera)
{
	int w = camera.width;
	std::vector<sample> samples((size_t)w * w, sample{NOTHING, 0, 0, 0});
	std::vector<vec> at(mesh.vertices.size());
	for (size_t i = 0; i < at.size(); i++)
		at[i] = camera.project({mesh.vertices[i].x, mesh.vertices[i].y, mesh.vertices[i].z});
	for (const auto &t : mesh.triangles) {
		vec a = at[t[0]], b = at[t[1]], c = at[t[2]];
		double area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
		if (area == 0)
			continue;
		int x0 = std::max(0, (int)std::floor(std::min({a.x, b.x, c.x}))),
		    x1 = std::min(w - 1, (int)std::ceil(std::max({a.x, b.x, c.x})));
		int y0 = std::max(0, (int)std::floor(std::min({a.y, b.y, c.y}))),
		    y1 = std::min(w - 1, (int)std::ceil(std::max({a.y, b.y, c.y})));
		const mesh_vertex &p = mesh.vertices[t[0]], &q = mesh.vertices[t[1]], &r = mesh.vertices[t[2]];
		for (int y = y0; y <= y1; y++)
			for (int x = x0; x <= x1; x++) {
				double px = x + 0.5, py = y + 0.5;
				double u = ((c.x - b.x) * (py - b.y) - (c.y - b.y) * (px - b.x)) / area;
				double v = ((a.x - c.x) * (py - c.y) - (a.y - c.y) * (px - c.x)) / area;
				double s = 1 - u - v;
				if (u < 0 || v < 0 || s < 0)
					continue;
				float depth = (float)(u * a.z + v * b.z + s * c.z);
				sample &to = samples[(size_t)y * w + x];
				if (depth <= to.depth)
					continue;
				to = {depth, (float)(u * p.nx + v * q.nx + s * r.nx), (float)(u * p.ny + v * q.ny + s * r.ny),
					(float)(u * p.nz + v * q.nz + s * r.nz)};
			}
	}
	return samples;
}

struct scene {
	camera eye, lamp;
	std::vector<sample> seen, lit;
	double size; // of the body

	double open_sky(int x, int y, vec p, vec n) const;
	double lamp_share(vec p, vec n) const;
	vec shade(int x, int y) const;
};

double
noise(uint32_t x, uint32_t y)
{
	uint32_t h = x * 374761393u + y * 668265263u;
	h = (h ^ h >> 13) * 1274126177u;
	return (h ^ h >> 16) * (1.0 / 4294967296.0);
}

// Estimates how much of the sky is free over a sample, from the depths around it.
double
scene::open_sky(int x, int y, vec p, vec n) const
{
	const int rays = 16;
	double turn = noise((uint32_t)x, (uint32_t)y) * 2 * M_PI, closed = 0;
	for (int i = 0; i < rays; i++) {
		double f = (i + 0.5) / rays, angle = turn + i * 2.399963, reach = size * 0.11 * f * f + size * 0.004;
		int sx = x + (int)(std::cos(angle) * reach * eye.scale), sy = y + (int)(std::sin(angle) * reach * eye.scale);
		if (sx < 0 || sy < 0 || sx >= eye.width || sy >= eye.width)
			continue;
		const sample &s = seen[(size_t)sy * eye.width + sx];
		if (s.depth == NOTHING)
			continue;
		vec d = eye.unproject(sx + 0.5, sy + 0.5, s.depth) - p;
		double length = norm(d) + 1e-12;
		double rise = dot(d, n) / length - 0.08;
		double fade = 1 / (1 + std::pow(length / (2.2 * reach), 2));
		closed += std::max(0.0, rise) * fade;
	}
	return std::clamp(1 - 2.3 * closed / rays, 0.0, 1.0);
}

// The soft shadow is the part of a patch of the lamp's depth buffer that is not nearer to the lamp.
double
scene::lamp_share(vec p, vec n) const
{
	vec q = lamp.project(p + n * (size * 0.006));
	double turn =
		noise((uint32_t)(int)(p.x * 977 / size * 100), (uint32_t)(int)(p.y * 977 / size * 100 + p.z * 31337 / size)) * 2 *
		M_PI;
	int free = 0;
	const int rays = 12;
	for (int i = 0; i < rays; i++) {
		double radius = std::sqrt((i + 0.5) / rays) * lamp.width * 0.006, angle = turn + i * 2.399963;
		int x = (int)(q.x + radius * std::cos(angle)), y = (int)(q.y + radius * std::sin(angle));
		bool out = x < 0 || y < 0 || x >= lamp.width || y >= lamp.width;
		free += out || lit[(size_t)y * lamp.width + x].depth <= q.z + size * 0.004;
	}
	return (double)free / rays;
}

vec
background(double x, double y)
{
	double r = std::sqrt((x - 0.5) * (x - 0.5) + (y - 0.42) * (y - 0.42));
	double t = std::clamp(r / 0.75, 0.0, 1.0);
	t = t * t * (3 - 2 * t);
	return vec{0.235, 0.275, 0.32} * (1 - t) + vec{0.022, 0.028, 0.04} * t;
}

vec
scene::shade(int x, int y) const
{
	const sample &s = seen[(size_t)y * eye.width + x];
	if (s.depth == NOTHING)
		return background((x + 0.5) / eye.width, (y + 0.5) / eye.width);
	vec p = eye.unproject(x + 0.5, y + 0.5, s.depth);
	vec view = unit(eye.distance > 0 ? eye.centre + eye.back * eye.distance - p : eye.back);
	vec n = unit({s.nx, s.ny, s.nz});
	bool inner = dot(n, view) < -0.05;
	if (dot(n, view) < 0)
		n = n * -1;
	double sky = open_sky(x, y, p, n), share = lamp_share(p, n);
	vec key = lamp.back, fill = unit(eye.right * -0.8 + eye.up * 0.15 + eye.back * 0.6);
	double diffuse = std::max(0.0, dot(n, key)) * share, second = std::max(0.0, dot(n, fill));
	vec half = unit(key + view);
	double gloss = std::pow(std::max(0.0, dot(n, half)), 42) * share;
	double rim = std::pow(1 - std::max(0.0, dot(n, view)), 3.5);
	vec body = inner ? vec{0.50, 0.36, 0.27} : vec{0.86, 0.77, 0.62};
	vec light = vec{1.25, 1.13, 0.96} * (0.88 * diffuse) + vec{0.48, 0.60, 0.80} * (0.26 * second * sky) +
		vec{0.62, 0.70, 0.82} * ((0.14 + 0.16 * (0.5 + 0.5 * n.z)) * sky);
	vec colour = {body.x * light.x, body.y * light.y, body.z * light.z};
	return colour + vec{1, 0.95, 0.85} * (0.20 * gloss) + vec{0.45, 0.60, 0.80} * (0.22 * rim * sky);
}

uint8_t
tone(double v)
{
	v = std::max(0.0, v);
	v = v * (1 + v * 0.12) / (1 + v * 0.30); // highlights roll off instead of clipping
	return (uint8_t)std::clamp(std::pow(v, 1 / 2.2) * 255 + 0.5, 0.0, 255.0);
}

} // namespace

picture
picture_draw(const mesh &mesh, int width, double azimuth, double elevation)
{
	if (mesh.triangles.empty())
		fail("the mesh is empty; there is nothing to draw");
	scene scene;
	scene.eye = camera_aim(mesh, direction(azimuth, elevation), 3.2, 0.84, width * SUPER);
	scene.lamp = camera_aim(mesh, direction(azimuth - 38, 48), 0, 0.96, std::min(2048, width * SUPER));
	scene.size = 0.84 * scene.eye.width / scene.eye.scale;
	scene.seen = rasterise(mesh, scene.eye);
	scene.lit = rasterise(mesh, scene.lamp);
	picture picture = {width, width, std::vector<uint8_t>((size_t)width * width * 3)};
#pragma omp parallel for schedule(dynamic, 4)
	for (int y = 0; y < width; y++)
		for (int x = 0; x < width; x++) {
			vec sum = {0, 0, 0};
			for (int k = 0; k < SUPER * SUPER; k++)
				sum = sum + scene.shade(x * SUPER + k % SUPER, y * SUPER + k / SUPER);
			sum = sum * (1.0 / (SUPER * SUPER));
			uint8_t *to = &picture.rgb[((size_t)y * width + x) * 3];
			to[0] = tone(sum.x);
			to[1] = tone(sum.y);
			to[2] = tone(sum.z);
		}
	return picture;
}

} // namespace mpu
