/* Request: a policy says on which nodes entities will be, and their data should come there (floor: sched; called by
 * memory.c). It moves nothing, because the members haul their data when they begin (memory/haul.h). The caller holds no
 * lock. */
#pragma once
#include "forestgomp/sched.h"

/* Entity i goes to node[i], as fgomp_queue_node numbers it; below 0: it is not known. access: the data that come,
 * FGOMP_READ, FGOMP_WRITE or both; 0: none. also: nodes that have a share of these data, a bit for each. */
void fg_request_data(struct fg_entity *const *entity, const int *node, unsigned n, unsigned access, uint64_t also);
