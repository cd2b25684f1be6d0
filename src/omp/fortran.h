/* Fortran's forms of a routine: `name_` takes pointers to 4-byte integers, `name_8_` to 8-byte ones (floor: omp; used
 * by files of omp). The macros below append these endings. There are macros only. */
#pragma once
#include <limits.h>
#include <stdint.h>

/* Clamps an 8-byte argument of a routine that takes an int. */
static inline int
fg_fortran_int(int64_t value)
{
	return value > INT_MAX ? INT_MAX : value < INT_MIN ? INT_MIN : (int)value;
}

/* These define both forms of a routine that takes one integer. */
#define FG_FORTRAN_SETTER(name)                                                                                        \
	FG_EXPORT void name##_(const int32_t *value)                                                                   \
	{                                                                                                              \
		name(*value);                                                                                          \
	}                                                                                                              \
	FG_EXPORT void name##_8_(const int64_t *value)                                                                 \
	{                                                                                                              \
		name(fg_fortran_int(*value));                                                                          \
	}
#define FG_FORTRAN_QUERY(name)                                                                                         \
	FG_EXPORT int32_t name##_(const int32_t *value)                                                                \
	{                                                                                                              \
		return name(*value);                                                                                   \
	}                                                                                                              \
	FG_EXPORT int32_t name##_8_(const int64_t *value)                                                              \
	{                                                                                                              \
		return name(fg_fortran_int(*value));                                                                   \
	}
/* A routine without arguments has one form, because its result is an int in both languages. */
#define FG_FORTRAN_GETTER(name) FG_ABI_ALIAS(int, name##_, (void), name)
