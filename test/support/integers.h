/* SPDX-License-Identifier: BSD-3-Clause
 * For references on integers: access to arrays of either integer type, and the operators of
 * ek_monoid, whose sums wrap around. */
#ifndef TEST_INTEGERS_H
#define TEST_INTEGERS_H

#include "support/support.h"

static inline int64_t integer_at(ek_value type, const void *v, int64_t i)
{
	return type == EK_INT32 ? ((const int32_t *)v)[i] : ((const int64_t *)v)[i];
}

static inline void integer_set(ek_value type, void *v, int64_t i, int64_t to)
{
	if (type == EK_INT32)
		((int32_t *)v)[i] = (int32_t)to;
	else
		((int64_t *)v)[i] = to;
}

static inline int64_t integer_op(ek_value type, ek_monoid op, int64_t a, int64_t b)
{
	uint64_t sum = (uint64_t)a + (uint64_t)b;

	if (op == EK_MAX)
		return a > b ? a : b;
	if (op == EK_MIN)
		return a < b ? a : b;
	if (op == EK_OR)
		return a | b;
	return type == EK_INT32 ? (int32_t)(uint32_t)sum : (int64_t)sum;
}

static inline int64_t integer_identity(ek_value type, ek_monoid op)
{
	int64_t greatest = type == EK_INT32 ? INT32_MAX : INT64_MAX;

	return op == EK_MAX ? -greatest - 1 : op == EK_MIN ? greatest : 0;
}

#endif
