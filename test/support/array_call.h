/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of primitives on arrays with random arguments, which can be made with arrays in memory of
 * the host or of a device, and compared. For tests of methods on devices. */
#ifndef TEST_ARRAY_CALL_H
#define TEST_ARRAY_CALL_H

#include <stdbool.h>

#include "evenkeel/ek.h"
#include "support/random.h"

enum { MOST_ARGS = 7 };

/* An array of a call: what becomes of it, its bytes and its contents before the call. A `RESULT` is
 * in memory of the host wherever the other arrays are. */
enum role { IN, OUT, BOTH, RESULT };
struct arg {
	enum role role;
	int64_t bytes;
	char *data;
};

/* A call of a primitive. Each operation uses the members that it needs. */
struct call {
	ek_operation op;
	ek_value type, offset_type;
	ek_monoid monoid;
	ek_scan_kind kind;
	size_t value_size;
	bool flags, in_place;
	int64_t n, count, lists, k, a_n, b_n, batch;
	double alpha, beta;
	ek_index index;
	int args;
	struct arg arg[MOST_ARGS];
};

/* An operation that has methods on devices. */
struct array_op {
	ek_operation op;
	/* Chooses sizes up to `most` entries, and makes the arrays. */
	void (*make)(struct call *c, int64_t most, struct rng *r);
	/* Makes the call; the arrays are at `p`. */
	ek_status (*run)(ek_context *ctx, const ek_array_options *o, const struct call *c,
	                 void *const p[MOST_ARGS]);
};
extern const struct array_op array_ops[];
extern const int array_op_count;

/* Adds an array without contents to a call. */
char *call_array(struct call *c, enum role role, int64_t bytes);
/* Returns a length: mostly short, or near a multiple of a power of two, where tiles end. */
int64_t call_length(int64_t most, struct rng *r);
/* Rows of array_ops in sparse_call.c. */
void call_make_add(struct call *c, int64_t most, struct rng *r);
ek_status call_run_add(ek_context *ctx, const ek_array_options *o, const struct call *c,
                       void *const p[MOST_ARGS]);
void call_make_to_coo(struct call *c, int64_t most, struct rng *r);
ek_status call_run_to_coo(ek_context *ctx, const ek_array_options *o, const struct call *c,
                          void *const p[MOST_ARGS]);
void call_make_to_csr(struct call *c, int64_t most, struct rng *r);
ek_status call_run_to_csr(ek_context *ctx, const ek_array_options *o, const struct call *c,
                          void *const p[MOST_ARGS]);

void call_free(struct call *c);
/* Makes the call with copies of its arrays: on the device of the context if `there` is true,
 * else in memory of the host. Outputs are poisoned before; arrays of the host have bytes after
 * their ends that must not change, and so have those of a device. Sets `after` to the contents
 * of all arrays after the call, which must be freed by call_freed. */
ek_status call_run(const struct array_op *op, ek_context *ctx, const ek_array_options *o,
                   const struct call *c, bool there, char *after[MOST_ARGS]);
void call_freed(char *after[MOST_ARGS]);
/* Returns the number of the first array that differs between two runs of a call, of which b is
 * right, or -1. `any_order` tells that pairs of equal keys may have any order. */
int call_differs(const struct call *c, char *const a[MOST_ARGS], char *const b[MOST_ARGS],
                 bool any_order);
/* Writes what is called to `text`. */
void call_text(const struct call *c, char *text, size_t size);

#endif
