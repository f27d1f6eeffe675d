/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix Market text between its stages:
 *     text.c      blocks of complete lines, and where in the file we are
 *     header.c    banner and size line
 *     lines.c     the lines of one part of a block to coordinates: fast, says only that it failed
 *     explain.c   why a line was refused: slow, with words
 *     pack.c      the coordinates of a block to a segment
 *     assemble.c  all segments to CSR
 *     reshape/sort_rows.c sorts the rows of that CSR and merges repeated places
 *     read.c      the loop over all this */
#ifndef EK_MTX_H
#define EK_MTX_H

#include "io/io.h"

enum { MTX_REAL, MTX_INTEGER, MTX_UNSIGNED, MTX_PATTERN };
enum { MTX_GENERAL, MTX_SYMMETRIC, MTX_SKEW };
enum { MTX_LINE_MAX = 1 << 20, MTX_PARTS = 64, MTX_FIRST = 1 << 16, MTX_BLOCK = 1 << 20 };
enum { MTX_MESSAGE = 1000 };

/* ---- text.c ---------------------------------------------------------------------------------- */

struct mtx_text {
	eki_source *source;
	char *buffer;
	int64_t size;       /* of the buffer, padding apart */
	int64_t most;       /* what it may grow to */
	int64_t begin, end; /* complete lines, each with its newline, not yet used */
	int64_t filled;     /* what follows `end` is the beginning of a line */
	int64_t line;       /* number of the line at `begin` */
	bool at_end;        /* of the file, or at a failure of the source */
	bool cut;           /* the file's last line came without its newline */
	ek_status fault;    /* of the source: counts when all lines before it are used */
	char message[MTX_MESSAGE];
};

ek_status eki_mtx_text_open(eki_source *source, struct mtx_text *text);
void eki_mtx_text_close(struct mtx_text *text);
/* Gets more lines when all are used. EK_OK with begin = end: the end of the file. */
ek_status eki_mtx_text_fill(struct mtx_text *text);

/* ---- header.c -------------------------------------------------------------------------------- */

struct mtx_header {
	bool vector, array; /* a vector is a matrix of one column, which entries do not name */
	int field, symmetry;
	int64_t rows, cols;
	int64_t entries; /* lines of entries */
	int64_t line;    /* of the size line */
	/* Rules for the lines */
	bool allow_nan, mirror;
	unsigned duplicates;
};

/* `index` limits rows and columns. */
ek_status eki_mtx_header_read(struct mtx_text *text, ek_index index, struct mtx_header *h);
/* After all entries were read: EK_ELIMIT if max_dim is not given and there are so many more rows or
 * columns than text that a number of the header would fill the memory. */
ek_status eki_mtx_dims_check(const eki_source *source, const struct mtx_header *h);
/* Something of a file for a message: at most 40 characters, none that does not print. */
struct mtx_quote {
	char text[44];
};
struct mtx_quote eki_mtx_quote(const char *begin, const char *end);
/* Takes the next word of a line from *p on; false at the end of the line. */
bool eki_mtx_word(const char **p, const char **begin, const char **end);
/* Bytes of the shortest line of an entry. */
int64_t eki_mtx_least_bytes(const struct mtx_header *h);
/* Entries after expansion; false if they do not fit `index`. */
bool eki_mtx_expanded(const struct mtx_header *h, int64_t diagonal, ek_index index, int64_t *nnz);

/* ---- lines.c --------------------------------------------------------------------------------- */

/* Values of a kind that is worth a warning, and the first of them. */
struct mtx_mark {
	int64_t count;
	const char *first;
};

struct mtx_part {
	const char *begin, *end; /* complete lines */
	int64_t at;              /* where the coordinates go in the arrays of the block */
	int64_t count;           /* entries found */
	int64_t limit;           /* stop as if there was a fault after so many */
	const char *fault;       /* line that was refused, or NULL */
	bool quick;              /* this thread rounds to nearest */
	int64_t lines, diagonal;
	struct mtx_mark too_small, rounded;
	int64_t row_runs,
		col_runs; /* entries whose row, or column, is not that of the entry before */
	int64_t runs_at;
};

struct mtx_block {
	const struct mtx_header *h;
	void *row, *col, *val;
	struct mtx_segment *segment;
	int parts;
	struct mtx_part part[MTX_PARTS];
};

extern eki_part_fn *const eki_mtx_lines[EK_NTYPE];
extern eki_part_fn *const eki_mtx_array_lines[EK_NTYPE];

/* ---- explain.c ------------------------------------------------------------------------------- */

/* Why the line at `begin`, number `line` of the file, with what would be entry number `entry`, was
 * refused. A word that is missing is EK_ESYNTAX, or EK_ETRUNCATED if the file was cut off there. */
ek_status eki_mtx_explain(const struct mtx_header *h, ek_value value, const struct mtx_text *text,
                          const char *begin, int64_t line, int64_t entry);

/* ---- pack.c ---------------------------------------------------------------------------------- */

/* Entries in the order of the file. Most files are sorted by column or by row; that index is kept
 * once for a run of entries, so that segments and CSR together take no more than twice the CSR. */
struct mtx_segment {
	struct mtx_segment *next;
	int64_t count, first, line; /* entries; number of the first one; its line */
	bool lines_known;           /* entry first + k stands on line line + k */
	bool by_row;                /* `major` is the row */
	int64_t runs;
	void *major;       /* of each run */
	uint32_t *run;     /* where each run ends; NULL: every run is one entry */
	void *minor, *val; /* val: NULL for patterns */
	int64_t bytes;     /* of the block that holds all this */
};

ek_status eki_mtx_pack(const ek_context *ctx, struct mtx_block *block, ek_value value,
                       ek_index index, struct mtx_segment **out);
ek_status eki_mtx_segment_new(const ek_context *ctx, int64_t count, int64_t runs, bool long_runs,
                              size_t isize, size_t vsize, struct mtx_segment **out);
void eki_mtx_segments_free(const ek_context *ctx, struct mtx_segment *list);

/* ---- assemble.c ------------------------------------------------------------------------------ */

/* CSR, sorted, from `count` segments; `nnz` entries after expansion. */
ek_status eki_mtx_assemble(const ek_context *ctx, const char *name, const struct mtx_header *h,
                           ek_value value, ek_index index, int64_t nnz, struct mtx_segment *list,
                           ek_store *csr);
/* Column-major rows x cols values, from the segments of an array file. */
void eki_mtx_array_fill(const struct mtx_header *h, ek_value value, const struct mtx_segment *list,
                        void *data);
/* A dense matrix as CSR with all its entries. */
ek_status eki_mtx_array_csr(const ek_context *ctx, const char *name, const struct mtx_header *h,
                            ek_value value, ek_index index, const void *data, ek_store *csr);

/* ---- read.c ---------------------------------------------------------------------------------- */

/* The same of a whole file. */
struct mtx_marks {
	int64_t count, line;
};

struct mtx_content {
	struct mtx_header h;
	struct mtx_segment *list;
	int64_t diagonal;
	struct mtx_marks too_small, rounded;
};

/* All entries of the file, as segments. */
ek_status eki_mtx_read(const ek_context *ctx, eki_source *source, ek_value value, ek_index index,
                       struct mtx_content *content);

#endif
