/* For recorders: objects in the program that count its accesses to memory (docs/pinning.md). The library tells them
 * for which member they count, and writes their counts into the trace of the run, FGOMP_TRACE=FILE. */
#ifndef FORESTGOMP_RECORD_H
#define FORESTGOMP_RECORD_H

#ifdef __cplusplus
extern "C" {
#endif

#define FGOMP_RECORD_VERSION 1

/* One member's part of one call of a region. */
struct fgomp_part {
	void (*region)(void *); /* its outlined function */
	unsigned members;	/* of its team */
	unsigned member;	/* the number of this one */
	unsigned bubble;	/* the number of the call in the trace */
};

/* What the library does for recorders. */
struct fgomp_recording {
	/* The calling thread's part, in the outermost team that has more than one member; 0: it has none. */
	int (*part)(struct fgomp_part *part);
	/* The part went through so many units of 8 bytes in the block of 64 bytes at this address; below 2^30. Any
	 * thread may tell that. */
	void (*use)(const struct fgomp_part *part, const void *address, unsigned units, int writes);
	/* So many accesses were not counted. */
	void (*lost)(unsigned long accesses);
};

/* A recorder, which must never go away. What it does not want to know is NULL. The first two are called inside the
 * runtime, so they call nothing. */
struct fgomp_recorder {
	struct fgomp_recorder *next; /* the library's */
	/* The calling thread begins another part, or has ended one. Thread-local memory goes with the thread wherever
	 * it runs. */
	void (*leave)(void);
	/* For those that know kernel threads only: the calling one runs this part from now on; NULL: none. */
	void (*runs)(const struct fgomp_part *part);
	/* The trace is about to be closed: the last moment for `use`. Other threads may still run. */
	void (*end)(void);
};

/* Adds a recorder. Without a trace none of its functions is called, and no thread has a part. Returns NULL if the
 * library is of another version. Look it up as a weak symbol: where it does not exist, the running libgomp.so.1 is
 * another one. */
const struct fgomp_recording *fgomp_record(struct fgomp_recorder *recorder, unsigned version);

#ifdef __cplusplus
}
#endif

#endif
