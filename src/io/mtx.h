/* SPDX-License-Identifier: BSD-3-Clause
 * Declarations that the stages of reading Matrix Market text share:
 *     text.c      reads blocks of complete lines, and knows the position in the file
 *     header.c    reads the banner and the size line
 *     lines.c     parses the lines of a part of a block into coordinates; it is fast, and reports
 *                 only which line it refused
 *     explain.c   finds out why a line was refused; it is slow, and gives a message
 *     pack.c      packs the coordinates of a block into a segment
 *     assemble.c  makes a CSR matrix from all segments
 *     reshape/sort_rows.c sorts the rows of that CSR and merges repeated places
 *     read.c      runs these stages in a loop over blocks */
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
	int64_t size;       /* size of the buffer in bytes, without its padding */
	int64_t most;       /* largest size that the buffer may have */
	int64_t begin, end; /* range of the complete lines that are not used yet */
	int64_t filled;     /* end of the text; an incomplete line is between `end` and here */
	int64_t line;       /* number of the line at `begin` */
	bool at_end;        /* the file has ended, or the source has failed */
	bool cut;           /* the file's last line has no newline */
	ek_status fault;    /* error of the source, reported when all lines before it are used */
	char message[MTX_MESSAGE];
};

ek_status eki_mtx_text_open(eki_source *source, struct mtx_text *text);
void eki_mtx_text_close(struct mtx_text *text);
/* Reads more lines if all lines in the buffer have been used. EK_OK with begin = end means the end
 * of the file. */
ek_status eki_mtx_text_fill(struct mtx_text *text);

/* ---- header.c -------------------------------------------------------------------------------- */

struct mtx_header {
	/* Words of the banner. A vector has one column, which its entries do not name. An array
	 * lists the values of all places, without indices. */
	bool vector, array;
	int field, symmetry;
	int64_t rows, cols;
	int64_t entries; /* entries in the file, without mirror images */
	int64_t line;    /* line number of the size line */
	/* Rules for the entries, from ek_read_options */
	bool allow_nan, mirror;
	unsigned duplicates;
};

/* Reads the banner and the size line. Fails if the index type cannot hold the numbers of rows and
 * columns. */
ek_status eki_mtx_header_read(struct mtx_text *text, ek_index index, struct mtx_header *h);
/* Checks rows and columns against the length of the text, after all entries were read. If max_dim
 * is not given, returns EK_ELIMIT if there are far more rows or columns than bytes of text. So a
 * large number in the header cannot fill the memory. */
ek_status eki_mtx_dims_check(const eki_source *source, const struct mtx_header *h);
/* A piece of a file as quoted in a message: at most its first 40 characters, with "?" in place of
 * characters that are not printable. */
struct mtx_quote {
	char text[44];
};
struct mtx_quote eki_mtx_quote(const char *begin, const char *end);
/* Finds the next word of a line, starting at *p, and moves *p past it. Returns false at the end of
 * the line. */
bool eki_mtx_word(const char **p, const char **begin, const char **end);
/* Returns the smallest number of bytes that the line of an entry can have. */
int64_t eki_mtx_least_bytes(const struct mtx_header *h);
/* Sets *nnz to the number of entries, mirror images included. `diagonal` is the number of entries
 * on the diagonal. Returns false if the index type cannot count that many entries. */
bool eki_mtx_expanded(const struct mtx_header *h, int64_t diagonal, ek_index index, int64_t *nnz);

/* ---- lines.c --------------------------------------------------------------------------------- */

/* The number of values that deserve a warning, and the place of the first one in the text. */
struct mtx_mark {
	int64_t count;
	const char *first;
};

struct mtx_part {
	const char *begin, *end; /* text of the part: complete lines */
	int64_t at;              /* index of the part's first entry in the block's arrays */
	int64_t count;           /* number of entries found */
	int64_t limit;           /* number of entries after which parsing stops with a fault */
	const char *fault;       /* line that was refused, or NULL */
	bool quick;              /* whether the parsing thread rounds to nearest */
	int64_t lines, diagonal;
	struct mtx_mark too_small, rounded;
	/* Numbers of entries whose row, or whose column, differs from that of the entry before */
	int64_t row_runs, col_runs;
	int64_t runs_at; /* index of the first run of this part in the segment */
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

/* Fails with a message that says why a line was refused. The line begins at `begin`, has the number
 * `line` in the file, and should hold entry number `entry`. For a missing word, returns
 * EK_ETRUNCATED if the file was cut off there, else EK_ESYNTAX. */
ek_status eki_mtx_explain(const struct mtx_header *h, ek_value value, const struct mtx_text *text,
                          const char *begin, int64_t line, int64_t entry);

/* ---- pack.c ---------------------------------------------------------------------------------- */

/* The entries of one block, in the order of the file. Most files are sorted by column or by row.
 * The index by which a file is sorted is stored once for each run of entries with the same index.
 * So segments and CSR together take at most twice the memory of the CSR. */
struct mtx_segment {
	struct mtx_segment *next;
	/* The segment has `count` entries. Its first entry has number `first` in the file, and its
	 * block begins on line number `line`. */
	int64_t count, first, line;
	bool lines_known; /* whether entry number first + k is on line number line + k */
	bool by_row;      /* `major` holds rows and `minor` columns, else the reverse */
	int64_t runs;
	void *major;       /* row or column of each run, as by_row says */
	uint32_t *run;     /* end of each run, or NULL if every run is one entry */
	void *minor, *val; /* other index and value of each entry, or NULL */
	int64_t bytes;     /* size of the allocation that holds the struct and its arrays */
};

ek_status eki_mtx_pack(const ek_context *ctx, struct mtx_block *block, ek_value value,
                       ek_index index, struct mtx_segment **out);
ek_status eki_mtx_segment_new(const ek_context *ctx, int64_t count, int64_t runs, bool long_runs,
                              size_t isize, size_t vsize, struct mtx_segment **out);
void eki_mtx_segments_free(const ek_context *ctx, struct mtx_segment *list);

/* ---- assemble.c ------------------------------------------------------------------------------ */

/* Makes CSR with sorted rows from a list of segments. `nnz` is the number of entries, mirror images
 * included. */
ek_status eki_mtx_assemble(const ek_context *ctx, const char *name, const struct mtx_header *h,
                           ek_value value, ek_index index, int64_t nnz, struct mtx_segment *list,
                           ek_store *csr);
/* Copies the values of an array file from its segments to `data`, a column-major rows x cols
 * array. */
void eki_mtx_array_fill(const struct mtx_header *h, ek_value value, const struct mtx_segment *list,
                        void *data);
/* Makes CSR from the dense matrix `data`. Every place becomes an entry, zeros included. */
ek_status eki_mtx_array_csr(const ek_context *ctx, const char *name, const struct mtx_header *h,
                            ek_value value, ek_index index, const void *data, ek_store *csr);

/* ---- read.c ---------------------------------------------------------------------------------- */

/* The number of values in a whole file that deserve a warning, and the line of the first one. */
struct mtx_marks {
	int64_t count, line;
};

struct mtx_content {
	struct mtx_header h;
	struct mtx_segment *list;
	int64_t diagonal;
	struct mtx_marks too_small, rounded;
};

/* Reads all entries of the file into segments. */
ek_status eki_mtx_read(const ek_context *ctx, eki_source *source, ek_value value, ek_index index,
                       struct mtx_content *content);

#endif
