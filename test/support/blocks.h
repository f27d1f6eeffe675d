/* SPDX-License-Identifier: BSD-3-Clause
 * Helpers for tests of products with dense blocks: arrays of one shape, columns of X with
 * references, and a checked run. The columns of X repeat after BLOCK_COLUMNS columns, so that few
 * references are enough. No panel width is a multiple of BLOCK_COLUMNS, so the columns differ from
 * panel to panel. */
#ifndef TEST_BLOCKS_H
#define TEST_BLOCKS_H

#include "support/bound.h"
#include "support/heap.h"
#include "support/product.h"
#include "support/shapes.h"

enum { BLOCK_COLUMNS = 7 };

struct blocks {
	enum data data;
	ek_value value;
	struct shape A, T;       /* the shape and its transpose */
	struct typed held[2][3]; /* arrays of the shape: [HELD_...][index - 1] */
	int64_t n[2];            /* number of rows of Y for each op; X has n[1 - op] rows */
	void *x[2][BLOCK_COLUMNS];
	struct reference ref[2][BLOCK_COLUMNS][2]; /* references: [op][column][values] */
	void *y0; /* values of Y before a run: one column, long enough for op N and op T */
};

void blocks_make(struct blocks *b, int shape, enum data data, ek_value value, int seed);
void blocks_free(struct blocks *b);
void blocks_values(struct blocks *b, int held, ek_index index, int which);
ek_status blocks_matrix(const struct blocks *b, ek_context *ctx, int held, ek_index index,
                        ek_matrix **A);

struct block_run {
	int op, values;
	int64_t width;
	int order[2];    /* orders of X and of Y: by rows or by columns */
	int64_t more[2]; /* by how much the leading dimensions of X and Y exceed the minimum */
	double alpha, beta;
	int at_end;         /* whether blocks end at a guard page; otherwise they begin after one */
	ek_context *device; /* X and Y are on the device of this context, or on the host if NULL */
	bool on_host[2];    /* X or Y is on the host all the same */
	/* The plan is for EK_DENSE_SPMM, with the op opposite to `op`, and gets the transposes of X
	 * and Y: the same memory in the other order. */
	bool left;
};

/* Runs the plan. Checks the status, every entry of Y, that nothing between or beside the entries of
 * Y changed and, unless `heap` is NULL, that the run took no memory from `heap`. Before the run, Y
 * is poisoned if beta = 0, and X if alpha = 0. The gaps between the entries of X are always
 * poisoned. Unless `y` is NULL, sets *y to a copy of the entries of Y, column after column, which
 * the caller frees. If a check fails, writes a message to `text` and returns false. */
bool blocks_run(const struct blocks *b, struct heap *heap, ek_plan *plan,
                const struct block_run *run, void **y, char *text, size_t size);
/* Runs the plan in several threads at the same time, each with blocks of its own. `op` and `left`
 * are those of all runs. */
void blocks_threads(const struct blocks *b, ek_plan *plan, int op, bool left);
/* Returns a run whose settings are all drawn at random. */
struct block_run blocks_draw(const struct blocks *b, struct rng *draw, unsigned turn);

#endif
