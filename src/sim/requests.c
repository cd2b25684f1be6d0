/* Requests (floor: sim): see requests.h. */
#include "sim/requests.h"

#include <assert.h>
#include <stddef.h>

struct fg_request *
fg_request_find(struct fg_requests *requests, uintptr_t line)
{
	for (unsigned i = 0; i < requests->n; i++)
		if (requests->list[i].line == line)
			return &requests->list[i];
	return NULL;
}

void
fg_request_drop(struct fg_requests *requests, struct fg_request *request)
{
	if (request)
		*request = requests->list[--requests->n];
}

uint64_t
fg_request_room(struct fg_requests *requests, unsigned most, uint64_t now)
{
	uint64_t first = UINT64_MAX;
	for (unsigned i = 0; i < requests->n;) {
		if (requests->list[i].arrives <= now) {
			fg_request_drop(requests, &requests->list[i]);
			continue;
		}
		first = requests->list[i].arrives < first ? requests->list[i].arrives : first;
		i++;
	}
	return requests->n < most ? 0 : first;
}

void
fg_request_add(struct fg_requests *requests, const struct fg_request *request)
{
	assert(requests->n < FG_MISSES_MAX);
	requests->list[requests->n++] = *request;
}
