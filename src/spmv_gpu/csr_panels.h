/* SPDX-License-Identifier: BSD-3-Clause
 * A matrix in panels of columns on a device (csr_panels.c, csr_panels_make.c). */
#ifndef EK_GPU_SPMV_CSR_PANELS_H
#define EK_GPU_SPMV_CSR_PANELS_H

#include "gpu/gpu.h"

enum {
	CSR_PANELS_WG = 256,
	CSR_PANELS_EACH = 8,
	CSR_PANELS_TILE = CSR_PANELS_WG * CSR_PANELS_EACH, /* entries */
	CSR_PANELS_SECTOR = 32,                            /* bytes of x that a fetch brings */
	CSR_PANELS_WIDEST = 1 << 15,                       /* columns of a panel */
	CSR_PANELS_MOST = 65535, /* panels: with one more, numbers of 16 bits */
	/* Bits of a tile: its columns are in no panel; it is the last of its chunk. */
	CSR_PANELS_COLD = 1,
	CSR_PANELS_LAST = 2
};
enum { CSR_PANELS_PANELS, CSR_PANELS_WIDTH }; /* indices of the method's parameters */

typedef struct csr_panels {
	int64_t width, panels, hot;    /* columns of a panel; panels; columns in panels */
	int64_t each;                  /* tiles of a cold chunk */
	int64_t tiles, chunks, pieces; /* what a run goes through */
	int64_t halves;                /* words of all tiles, in units of half a tile */
	int64_t copied;                /* entries of x that chunks copy to local memory */
	int64_t cold;                  /* entries in no panel */
	int64_t fetched;               /* fetches of sectors of x by entries in the order of A */
	/* Columns in panels; number in A of each entry, in the order of panels; place of each piece
	 * in `sum`; where the pieces of each row begin there; x in the order of `list`. */
	eki_buffer *list, *from, *tile, *chunk, *words, *val, *place, *row_piece, *packed, *sum;
	void *pack, *multiply, *join, *values; /* kernels */
} csr_panels;

/* Makes the kernels' argument `width`. */
static inline eki_arg csr_panels_width(const csr_panels *s)
{
	return eki_arg_i32((int32_t)s->width);
}

/* Chooses the panels and makes all arrays except val, packed and sum. s->width must be set, and
 * csr_panels.cl be the step's program. Of A, only the values stay on the device. */
ek_status csr_panels_make(eki_step *step, csr_panels *s);

#endif
