/* SPDX-License-Identifier: BSD-3-Clause
 * Row classes (csr_classes.c) for methods that do some stretches in a way of their own and the
 * others as row classes do. Their kernel is compiled behind csr_classes.cl. */
#ifndef EK_GPU_SPMV_CSR_CLASSES_H
#define EK_GPU_SPMV_CSR_CLASSES_H

#include "gpu_spmv/csr_narrow.h"

extern const char eki_cl_csr_classes[];

typedef struct eki_classes {
	int u, w, s; /* s = 0: one work-item a row */
	int64_t tile;
	void *kernel;
	int64_t items;
	eki_buffer *item, *row, *partial, *arrived;
	csr_narrow narrow;
} eki_classes;

/* Rows cut into stretches: stretch b is rows first[b] to first[b + 1]. */
typedef struct eki_class_cut {
	int64_t count;
	const int64_t *first;
	/* The fourth and the first number of an item that is not one of row classes; 0 in what[b]:
	 * it is one of them. `what` may be NULL: all are. */
	const int64_t *what, *where;
} eki_class_cut;

/* Places of these parameters. */
enum { EKI_CLASSES_U, EKI_CLASSES_W, EKI_CLASSES_S, EKI_CLASSES_COLUMNS };
/* clang-format off */
#define EKI_CLASSES_PARAMETERS { \
	{"u", 1, 16, "entries that a work-item reads at once"}, \
	{"w", 32, 512, "work-items of a group, a power of two"}, \
	{"s", 1, INT32_MAX, "average row from which on rows are not staged"}, \
	{"columns", 16, 32, "bits of a column, 16 or 32; 16: of its distance from a window's start"}, \
}
/* clang-format on */

/* The steps of a preparation. First u, w, s and the tile, from these parameters of the method. */
ek_status eki_classes_choose(const ek_plan *p, eki_classes *s);
/* The list, and, if there are stretches of row classes, row pointers and columns, in 16 bits if
 * that is worth it. These stretches have at most `tile` entries and tile / 2 rows, or one row. */
ek_status eki_classes_list(ek_plan *p, eki_classes *s, const eki_class_cut *cut);
/* `more`: lines of #define; `name`: of program and kernel. */
ek_status eki_classes_program(ek_plan *p, eki_classes *s, const char *name, const char *more,
                              const char *text);

#endif
