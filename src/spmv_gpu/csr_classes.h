/* SPDX-License-Identifier: BSD-3-Clause
 * Row classes (csr_classes.c) for methods that multiply some segments of rows in their own way and
 * the other segments as row classes do. In the program of such a method, the text of its kernel
 * follows csr_classes.cl. */
#ifndef EK_GPU_SPMV_CSR_CLASSES_H
#define EK_GPU_SPMV_CSR_CLASSES_H

#include "spmv_gpu/csr_narrow.h"

extern const char eki_cl_csr_classes[];

typedef struct eki_classes {
	/* Parameters as in csr_classes.c. If s is 0, no row is direct, and each staged row has one
	 * work-item. */
	int u, w, s;
	int64_t tile;
	void *kernel;
	int64_t items;
	eki_buffer *item, *row, *partial, *arrived;
	csr_narrow narrow;
} eki_classes;

/* The rows, cut into `count` segments: segment b is rows first[b] to first[b + 1] - 1. */
typedef struct eki_class_cut {
	int64_t count;
	const int64_t *first;
	/* If the method multiplies segment b in its own way, what[b] is the fourth number and
	 * where[b] the first number of the segment's item. If what[b] is 0, or `what` is NULL, row
	 * classes multiply the segment. */
	const int64_t *what, *where;
} eki_class_cut;

/* Indices of the parameters in EKI_CLASSES_PARAMETERS, which follows. */
enum { EKI_CLASSES_U, EKI_CLASSES_W, EKI_CLASSES_S, EKI_CLASSES_COLUMNS };
/* clang-format off */
#define EKI_CLASSES_PARAMETERS { \
	{"u", 1, 16, "entries that a work-item reads at once"}, \
	{"w", 32, 512, "work-items of a group, a power of two"}, \
	{"s", 1, INT32_MAX, "average row from which on rows are not staged"}, \
	{"columns", 16, 32, \
	 "bits of a column, 16 or 32; 16: of its distance from a window's start"}, \
}
/* clang-format on */

/* Chooses u, w, s and the tile size from the method's parameters: the first step of a
 * preparation. */
ek_status eki_classes_choose(const eki_step *step, eki_classes *s);
/* Makes the list of items on the device: the second step. If row classes multiply some of the
 * segments, also puts row pointers and column indices on the device, the column indices in 16 bits
 * if that is worth its cost. Each of these segments has one row, or at most `tile` entries and tile
 * / 2 rows. */
ek_status eki_classes_list(eki_step *step, eki_classes *s, const eki_class_cut *cut);
/* Compiles `text`: the last step. `name` is the name of the program and of its kernel; `more` has
 * further lines of #define. */
ek_status eki_classes_program(eki_step *step, eki_classes *s, const char *name, const char *more,
                              const char *text);

#endif
