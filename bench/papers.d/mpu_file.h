/* The file that mpu_tree writes and mpu_walk reads: a head, the nodes, the ranges. The root is the first node. 8
 * children lie together. */
#ifndef MPU_FILE_H
#define MPU_FILE_H

#include <stdint.h>

enum { WALK_MAGIC = 0x4d505531, WALK_POINT_BYTES = 24, WALK_BOX_BYTES = 40, WALK_NODE_BYTES = 128 };

struct walk_head {
	uint32_t magic, points, boxes, nodes, ranges;
};

/* The fit goes through the points of the ranges first to boxes - 1, and through the index's boxes of the ranges boxes
 * to end - 1. */
struct walk_node {
	uint32_t flops, children, first, boxes, end, unused;
};

struct walk_range {
	uint32_t begin, end;
};

#endif
