/* SPDX-License-Identifier: BSD-3-Clause
 * The state and the runs of SpGEMM by bins on a device (csr_bins.c). */
#ifndef EK_SPGEMM_GPU_CSR_BINS_H
#define EK_SPGEMM_GPU_CSR_BINS_H

#include "spgemm/bins.h"
#include "spgemm_gpu/product.h"

typedef struct eki_gpu_bins {
	eki_bins bins;
	eki_bin_memory memory;
	bool narrow; /* whether keys of groups 3 and 4 have 4 bytes */
	/* Whether groups 3 and 4 have methods of their own: keys must hold column and number of a
	 * product, and rooms must not be guesses. Otherwise their rows are merged like those of
	 * group 5. */
	bool keys;
	/* Whether rows of group 5 grow where they are, in memory that host and device share.
	 * Otherwise they get new places in the device's memory, and are copied. */
	bool in_place;
	int64_t merged;         /* first place in bins.row of a row that is merged */
	int64_t *bound;         /* of each merged row */
	eki_buffer *row, *at;   /* bins.row and bins.at on the device */
	int64_t temporary;      /* entries of the temporary rows */
	int wg;                 /* work-items of a group that merges */
	int level_most;         /* room for entries in the local memory of such a group */
	int64_t slots, counted; /* precise method: rows counted at a time, room for each */
	/* of the last run that made C, for ek_plan_explain; `bytes` are those of all blocks */
	_Atomic int64_t bytes, uncapped, launches, copied;
} eki_gpu_bins;

/* Bits of the parameter `make` of kernels (bins_rows.cl). */
enum { EKI_MAKE_COL = 1, EKI_MAKE_VAL = 2, EKI_MAKE_LENGTH = 4 };

/* Memory for entries of temporary rows. */
typedef struct eki_gpu_block {
	const eki_buffer *col, *val;   /* the same buffer if rows are only counted */
	eki_buffer *own_col, *own_val; /* NULL if the memory is not of this block alone */
	int64_t rows, open;            /* merged rows in it, and those of them that are not done */
} eki_gpu_block;

/* A run. */
typedef struct eki_gpu_bins_run {
	const eki_step *step;
	eki_gpu_bins *s;
	eki_gpu_product p;
	/* what the launches write: see bins_rows.cl */
	int make;
	const eki_buffer *at, *col, *val, *length;
	eki_buffer shared[2]; /* temporary rows in shared memory */
	int64_t bytes, uncapped, launches, copied;
} eki_gpu_bins_run;

/* Returns the bin after the last whose rows are not merged. */
static inline int eki_gpu_bins_end(const eki_gpu_bins *s)
{
	return s->keys ? EKI_BIN_LONG : 2;
}
/* Number of merged rows. */
static inline int64_t eki_gpu_merged(const eki_gpu_bins *s)
{
	return s->bins.begin[EKI_BINS] - s->merged;
}

/* Make the programs for a bin those of the next launches of a job. Set *wg to the number of
 * work-items of a group. */
typedef ek_status eki_gpu_bin_program(eki_job *, const eki_step *, const eki_gpu_bins *, int bin,
                                      int *wg);
eki_gpu_bin_program eki_gpu_copy_program, eki_gpu_heap_program, eki_gpu_esc_program;
/* Writes the #define lines of all these programs: those of eki_gpu_product_types, EK_WG, and
 * PRODUCTS and KEY for groups 3 and 4. */
void eki_gpu_bin_defines(const eki_step *step, const eki_gpu_bins *s, int wg, int products,
                         char *defines, size_t size);

/* ---- bins_copy.c: stage 4 -------------------------------------------------------------------- */

/* Copies all rows except those that are merged from o->at in o->col and o->val to C. */
ek_status eki_gpu_arrange(eki_gpu_bins_run *o);
/* Copies rows to C. item[2 k] of the host is a row, item[2 k + 1] its place in the block. `list` is
 * memory of the device for the items. */
ek_status eki_gpu_arrange_listed(eki_gpu_bins_run *o, const int64_t *item, int64_t count,
                                 const eki_buffer *list, const eki_gpu_block *from);
/* Copies entries between blocks: item[3 k] is a place in `from`, item[3 k + 1] one in `to`, and
 * item[3 k + 2] the number of entries. */
ek_status eki_gpu_move(eki_gpu_bins_run *o, const int64_t *item, int64_t count,
                       const eki_buffer *list, const eki_gpu_block *from, const eki_gpu_block *to);

/* ---- bins_merge.c: rows that are merged ------------------------------------------------------ */

/* Chooses the sizes of the kernels, and compiles the one that is launched first. */
ek_status eki_gpu_merge_prepare(eki_job *job, const eki_step *step, eki_gpu_bins *s);
/* Makes the program with room for `level` entries in local memory that of the next launches of a
 * job. `past` tells whether rows are longer than that. */
ek_status eki_gpu_merge_program(eki_job *job, const eki_step *step, const eki_gpu_bins *s,
                                int level, bool past);
/* Bytes of the host and of the device that a run needs for merged rows, besides entries. */
int64_t eki_gpu_merge_bytes(int64_t rows);

/* Numbers of a state and of an item (bins_merge.cl), and the one of a state that says how much room
 * is needed. */
enum { EKI_MERGE_STATE = 4, EKI_MERGE_ITEM = 3, EKI_MERGE_NEED = 3 };

/* A merged row in progress. */
typedef struct eki_gpu_merged_row {
	int64_t place, room; /* where its entries are in its block, and how many fit there */
	int64_t next;        /* its place in a new block, while it moves there */
	int64_t uncapped;    /* room that it would have if that could pass its bound */
	int64_t block;
	bool done;
} eki_gpu_merged_row;

/* All merged rows of a run. */
typedef struct eki_gpu_merging {
	eki_gpu_bins_run *o;
	eki_gpu_merged_row *row;
	int64_t *state, *item;       /* on the host; see bins_merge.cl */
	eki_buffer *on_state, *list; /* on the device */
	int64_t begin, end;          /* the rows that are computed now */
	eki_gpu_block *block;        /* that of the first places, and some for rows that grew */
	int64_t blocks;              /* each of the latter has rows or is free */
	int level;                   /* room in local memory in the next launch */
	bool past;                   /* whether rows are longer than that */
} eki_gpu_merging;

/* Takes the memory for the states of the merged rows. */
ek_status eki_gpu_merge_begin(eki_gpu_bins_run *o, eki_gpu_merging *m);
/* Computes all merged rows into temporary rows, whose first places are in o->col and o->val. */
ek_status eki_gpu_merge(eki_gpu_merging *m);
/* Copies them to C. */
ek_status eki_gpu_merge_arrange(eki_gpu_merging *m);
/* Counts their entries. */
ek_status eki_gpu_merge_count(eki_gpu_merging *m);
/* Computes them into C, whose row pointers are known. */
ek_status eki_gpu_merge_into(eki_gpu_merging *m);
void eki_gpu_merge_end(eki_gpu_merging *m);
/* Writes the values of all merged rows of a known C. */
ek_status eki_gpu_merge_values(eki_gpu_bins_run *o);

/* ---- bins_grow.c: room for them -------------------------------------------------------------- */

/* Returns how many blocks there are at most for this many rows. */
int64_t eki_gpu_most_blocks(int64_t rows);
/* Makes the first block, in the memory of `col` and `val`, the only one. */
void eki_gpu_first_block(eki_gpu_merging *m, const eki_buffer *col, const eki_buffer *val);
/* Lets the room of the rows that need more grow. */
ek_status eki_gpu_grow(eki_gpu_merging *m);

/* ---- bins_run.c ------------------------------------------------------------------------------ */

/* Computes C: stages 3 and 4. */
ek_status eki_gpu_bins_run_all(const eki_step *step, const eki_run *v);
/* Compiles the programs for all bins that have rows. */
ek_status eki_gpu_bins_compile(eki_job *job, const eki_step *step, const eki_gpu_bins *s);

#endif
