/* SPDX-License-Identifier: BSD-3-Clause
 * Classes of rows of "spgemm.csr.hash.gpu" (csr_hash.c): the sizes of their tables, the lists of
 * their rows, and launches of their kernels (hash_classes.c); runs (hash_run.c), and the way of
 * rows to C (hash_pipe.c). */
#ifndef EK_SPGEMM_GPU_HASH_H
#define EK_SPGEMM_GPU_HASH_H

#include "spgemm_gpu/product.h"

enum {
	EKI_HASH_SIZES = 5, /* maximum number of sizes of tables */
	/* Classes, as in hash_classes.cl: rows in hash tables, by size, begin at
	 * EKI_HASH_TABLE; then come those in windows, and those whose windows are shared out. */
	EKI_HASH_COPY = 1,
	EKI_HASH_TABLE = 2,
	EKI_HASH_CLASSES = EKI_HASH_TABLE + 2 * EKI_HASH_SIZES + 1, /* maximum number of classes */
	EKI_HASH_PIECES = 8 /* maximum number of pieces of a C that the device has room for */
};

/* A size of local memory for a row. */
typedef struct eki_hash_size {
	int slots;         /* of a hash table */
	int columns;       /* of a window */
	int count_columns; /* of a window in which columns are only counted */
	int group;         /* work-items of a group, which computes a row */
} eki_hash_size;

/* Rows of C, class by class: rows of class c are list[first[c]] .. list[first[c + 1] - 1]. */
typedef struct eki_hash_list {
	const eki_buffer *row; /* rows, of the type of columns */
	int64_t first[EKI_HASH_CLASSES + 1];
} eki_hash_list;

/* What a plan knows of the rows of C. */
typedef struct eki_hash_rows {
	eki_hash_size size[EKI_HASH_SIZES];
	int sizes, classes;
	int lanes;     /* work-items for a row that is a copy */
	int row_lanes; /* work-items for a row of A when rows are looked at */
	/* For each row of C: its first column, and the number of columns from its first to its
	 * last, or -1 if it is a copy. */
	eki_buffer *start, *span;
	eki_hash_list by_bound;  /* all rows, classes by bounds on their entries */
	eki_hash_list by_length; /* rows of a batch, or all, classes by their entries */
	int64_t bound, longest;  /* bounds on the entries of C, and of one row */
	int64_t chunks; /* of rows by bounds whose windows are shared out (hash_far.c) */
	double compression;      /* estimated number of bounds for an entry of C; 0 if not known */
	bool in_one_phase;
	eki_buffer *temporary_at; /* where temporary rows begin, if there is one phase */
	int64_t capacity;         /* entries of a batch on the device */
	/* entries of a batch since the device ran out of memory in a run; 0 if it never did */
	_Atomic int64_t shrunk;
	/* What runs have found out. It is kept if memory is not limited. */
	eki_buffer *at;  /* where the rows of C begin; NULL if it is not kept */
	eki_buffer *col; /* the columns of C */
	bool at_known, col_known, listed;
	/* If all rows are listed by their entries: the first rows of pieces of C, C's rows at the
	 * end, and where the rows from these on begin in each class of by_length. */
	int pieces;
	int64_t piece[EKI_HASH_PIECES + 1], cut[EKI_HASH_PIECES + 1][EKI_HASH_CLASSES];
} eki_hash_rows;

/* Returns the class of rows whose windows are shared out, which is the last one. */
static inline int eki_hash_far(const eki_hash_rows *h)
{
	return h->classes - 1;
}

/* What the kernels of all classes do. */
typedef enum eki_hash_kind { EKI_HASH_COUNT, EKI_HASH_MAKE, EKI_HASH_VALUES } eki_hash_kind;

typedef struct eki_hash_work {
	eki_job *job;
	const eki_step *step;
	const eki_run *run;
	const eki_hash_rows *h;
	const eki_hash_list *list;
	const int64_t *from, *to; /* the part of each class in the list */
	eki_hash_kind kind;
	/* Bounds on the entries of the rows to count them; otherwise where rows begin, and place
	 * `begin` is the first of `col` and `val`. */
	const eki_buffer *at, *col, *val;
	int64_t begin;
	const eki_buffer *length; /* gets the lengths of the rows, unless it is NULL */
} eki_hash_work;

/* Returns work on the rows that are listed by bounds on their entries. */
static inline eki_hash_work eki_hash_work_of(eki_gpu_product *p, const eki_hash_rows *h,
                                             eki_hash_kind kind)
{
	return (eki_hash_work){.job = &p->job,
	                       .step = p->step,
	                       .run = p->run,
	                       .h = h,
	                       .list = &h->by_bound,
	                       .from = h->by_bound.first,
	                       .to = h->by_bound.first + 1,
	                       .kind = kind,
	                       .at = p->at};
}

/* Chooses sizes of tables for groups with `local` bytes of local memory. */
void eki_hash_sizes(const eki_step *step, int64_t local, eki_hash_rows *h);
/* Looks at all rows of C. `bound` gets rows + 1 bounds on their entries. */
ek_status eki_hash_shapes(eki_job *job, const eki_step *step, const eki_hash_rows *h,
                          const eki_buffer *bound);
/* Sorts the rows [begin, end) by class: by their entries, of which `at` has the row pointers, or by
 * the bounds in `bound` if `at` is NULL. Waits for the device. */
ek_status eki_hash_classify(eki_job *job, const eki_step *step, const eki_hash_rows *h,
                            const eki_buffer *bound, const eki_buffer *at, int64_t begin,
                            int64_t end, eki_hash_list *list);
/* Finds out where, in each class of a list, the rows from row[k] on begin, for n rows in order.
 * Waits for the device. */
ek_status eki_hash_cut(eki_job *job, const eki_step *step, const eki_hash_rows *h,
                       const eki_hash_list *list, const int64_t *row, int n,
                       int64_t (*cut)[EKI_HASH_CLASSES]);
/* Returns the bytes that eki_hash_classify takes temporarily. */
int64_t eki_hash_classify_bytes(const eki_hash_rows *h, int64_t rows);
/* Estimates bounds for each entry of C, from the rows of a sample of each class. */
ek_status eki_hash_sample(eki_job *job, const eki_step *step, eki_hash_rows *h,
                          const eki_buffer *bound);
extern const char eki_cl_hash_far[]; /* the text of hash_far.cl */
/* Makes the program of a class the one of the next launches. Sets *group to the work-items of a
 * group (hash_rows.c). */
ek_status eki_hash_program(eki_job *job, const eki_step *step, const eki_hash_rows *h, int class,
                           int *group);
/* Puts the launch for rows of a class into the queue: `count` rows of the list, every stride-th
 * from `first` on. With `compact`, their lengths are stored one after the other. */
ek_status eki_hash_launch_class(const eki_hash_work *w, int class, int64_t first, int64_t count,
                                int64_t stride, bool compact);
/* Puts the launches for the rows of the last class into the queue, which make them or write values
 * (hash_far.c). Waits for the device. */
ek_status eki_hash_launch_far(const eki_hash_work *w);
/* Sets h->chunks, from the list by bounds. Waits for the device. */
ek_status eki_hash_count_chunks(eki_job *job, const eki_step *step, eki_hash_rows *h);
/* Returns the bytes that eki_hash_launch_far takes temporarily. */
int64_t eki_hash_far_bytes(const eki_hash_rows *h);
/* Returns the bytes of the table of a class (DECLARE_MEMORY in row_sums.cl). */
int64_t eki_hash_table_bytes(const eki_hash_work *w, int class, bool sums);
/* Puts the launches for the rows of a list, or of the parts named, into the queue. */
ek_status eki_hash_launch(const eki_hash_work *w);
/* Copies temporary rows to C. */
ek_status eki_hash_arrange(const eki_hash_work *w, int64_t nnz, const eki_buffer *from_col,
                           const eki_buffer *from_val);

/* Tells whether kernels can write to the arrays of C themselves, and sets *col and *val to them. */
bool eki_hash_in_place(const eki_gpu_product *p, eki_buffer *col, eki_buffer *val);
/* Computes the entries of C, whose row pointers are known to host and device (hash_pipe.c). */
ek_status eki_hash_fill(eki_gpu_product *p, eki_hash_rows *h, eki_hash_kind kind);
/* Does a run (hash_run.c). */
ek_status eki_hash_run(const eki_step *step, const eki_run *run);
/* Says what runs did when the device ran out of memory. */
void eki_hash_report(const eki_step *step, char *text, size_t size);

#endif
