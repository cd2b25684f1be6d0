/* The test body of base/atomic.h. Every operation goes to the interleaving checker. There the checker may switch
 * virtual threads, and may let a load return an older value (model.c). Only base/atomic.h includes this, under
 * -DFG_ATOMIC_TEST. */
#pragma once

enum model_order { MODEL_RELAXED, MODEL_ACQUIRE, MODEL_RELEASE, MODEL_ACQ_REL, MODEL_SEQ_CST };
enum model_rmw { MODEL_ADD, MODEL_SUB, MODEL_OR, MODEL_AND, MODEL_EXCHANGE };

/* One operation in the source. Sites lie together in a section, so that the checker can weaken or drop each of them. */
struct model_site {
	const char *function, *operation, *operand, *file;
	int line;
	uint8_t order, weaken, drop;
};

uint64_t model_load(struct model_site *site, void *address, unsigned size);
void model_store(struct model_site *site, void *address, unsigned size, uint64_t value);
uint64_t model_rmw(struct model_site *site, void *address, unsigned size, enum model_rmw kind, uint64_t operand);
bool model_cas(struct model_site *site, void *address, unsigned size, void *expected, uint64_t value);
void model_fence(struct model_site *site);
void model_pause(void);

#define MODEL_SITE(operation, operand, order)                                                                          \
	static struct model_site model_site_ __attribute__((section("model_sites"), used, aligned(8))) = {             \
		__func__, operation, operand, __FILE__, __LINE__, order, 0, 0};
#define MODEL_TYPE(a)                                                                                                  \
	__typeof__(_Generic(*(a),                                                                                      \
			   struct fg_atomic_u32: (uint32_t)0,                                                          \
			   struct fg_atomic_u64: (uint64_t)0,                                                          \
			   struct fg_atomic_ptr: (void *)0))
#define MODEL_WORD(a) (void *)&(a)->v, sizeof((a)->v)
#define MODEL_VALUE(a, x) (uint64_t)(MODEL_TYPE(a))(x)

#define MODEL_LOAD(name, order, a)                                                                                     \
	({                                                                                                             \
		MODEL_SITE(name, #a, order)                                                                            \
		(MODEL_TYPE(a)) model_load(&model_site_, MODEL_WORD(a));                                               \
	})
#define MODEL_STORE(name, order, a, x)                                                                                 \
	({                                                                                                             \
		MODEL_SITE(name, #a, order)                                                                            \
		model_store(&model_site_, MODEL_WORD(a), MODEL_VALUE(a, x));                                           \
	})
#define MODEL_RMW(name, order, kind, a, x)                                                                             \
	({                                                                                                             \
		MODEL_SITE(name, #a, order)                                                                            \
		(MODEL_TYPE(a)) model_rmw(&model_site_, MODEL_WORD(a), kind, MODEL_VALUE(a, x));                       \
	})
#define MODEL_CAS(name, order, a, expected, x)                                                                         \
	({                                                                                                             \
		MODEL_SITE(name, #a, order)                                                                            \
		model_cas(&model_site_, MODEL_WORD(a), (void *)(expected), MODEL_VALUE(a, x));                         \
	})
#define MODEL_FENCE(name, order)                                                                                       \
	({                                                                                                             \
		MODEL_SITE(name, "", order)                                                                            \
		model_fence(&model_site_);                                                                             \
	})

#define fg_load_relaxed(a) MODEL_LOAD("load_relaxed", MODEL_RELAXED, a)
#define fg_load_acquire(a) MODEL_LOAD("load_acquire", MODEL_ACQUIRE, a)
#define fg_load_seq_cst(a) MODEL_LOAD("load_seq_cst", MODEL_SEQ_CST, a)
#define fg_store_relaxed(a, x) MODEL_STORE("store_relaxed", MODEL_RELAXED, a, x)
#define fg_store_release(a, x) MODEL_STORE("store_release", MODEL_RELEASE, a, x)
#define fg_store_seq_cst(a, x) MODEL_STORE("store_seq_cst", MODEL_SEQ_CST, a, x)
#define fg_add_relaxed(a, x) MODEL_RMW("add_relaxed", MODEL_RELAXED, MODEL_ADD, a, x)
#define fg_add_release(a, x) MODEL_RMW("add_release", MODEL_RELEASE, MODEL_ADD, a, x)
#define fg_add_acq_rel(a, x) MODEL_RMW("add_acq_rel", MODEL_ACQ_REL, MODEL_ADD, a, x)
#define fg_sub_acq_rel(a, x) MODEL_RMW("sub_acq_rel", MODEL_ACQ_REL, MODEL_SUB, a, x)
#define fg_or_acq_rel(a, x) MODEL_RMW("or_acq_rel", MODEL_ACQ_REL, MODEL_OR, a, x)
#define fg_and_acq_rel(a, x) MODEL_RMW("and_acq_rel", MODEL_ACQ_REL, MODEL_AND, a, x)
#define fg_exchange_acquire(a, x) MODEL_RMW("exchange_acquire", MODEL_ACQUIRE, MODEL_EXCHANGE, a, x)
#define fg_exchange_acq_rel(a, x) MODEL_RMW("exchange_acq_rel", MODEL_ACQ_REL, MODEL_EXCHANGE, a, x)
#define fg_cas_relaxed(a, expected, x) MODEL_CAS("cas_relaxed", MODEL_RELAXED, a, expected, x)
#define fg_cas_acquire(a, expected, x) MODEL_CAS("cas_acquire", MODEL_ACQUIRE, a, expected, x)
#define fg_cas_release(a, expected, x) MODEL_CAS("cas_release", MODEL_RELEASE, a, expected, x)
#define fg_cas_acq_rel(a, expected, x) MODEL_CAS("cas_acq_rel", MODEL_ACQ_REL, a, expected, x)
#define fg_fence_acquire() MODEL_FENCE("fence_acquire", MODEL_ACQUIRE)
#define fg_fence_release() MODEL_FENCE("fence_release", MODEL_RELEASE)
#define fg_fence_seq_cst() MODEL_FENCE("fence_seq_cst", MODEL_SEQ_CST)
/* For an assert: the newest value, and no switch point. */
#define fg_load_stable(a) (*(const volatile MODEL_TYPE(a) *)(const void *)&(a)->v)
