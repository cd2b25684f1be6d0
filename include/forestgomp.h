/* ForestGOMP's own calls, for what OpenMP has no word for. A program works with none of them. */
#ifndef FORESTGOMP_H
#define FORESTGOMP_H

#ifdef __cplusplus
extern "C" {
#endif

/* "ForestGOMP 0.1.0": tells, too, that the running libgomp.so.1 is this one (look it up as a weak symbol). */
const char *fgomp_version(void);

#ifdef __cplusplus
}
#endif

#endif
