/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spmv: y = alpha op(A) x + beta y, method by method, on matrices. The unit of the ratios
 * is spmv.csr.rows, the row loop over threads, or on a device spmv.csr.vector.gpu. */
#include <math.h>
#include <string.h>

#include "spmv.h"

/* ---- The course ------------------------------------------------------------------------------ */

static bool one_method(const struct bench *b)
{
	const char *m = methods_named(b);

	return m && !strchr(m, ',') && !b->o.peers && !b->o.common.format;
}

/* Measures the bandwidth of memory outside the caches, on the device or else on the processor. */
int spmv_begin(struct bench *b)
{
	ek_device_info info = {.size = sizeof info};

	if (b->o.vectors && !tool_on_device(b->ctx))
		tool_usage("--vectors is for a device; --device names one (ek list devices)");
	if (ek_context_get_device(b->ctx, &info) == EK_OK) {
		b->device = info;
		b->memory_gbps = device_copy_gbps(b->ctx, &info);
	} else {
		b->memory_gbps = read_probe_memory(ek_context_threads(b->ctx));
	}
	return TOOL_OK;
}

/* Returns the order of X and Y, such as "row", or "row:col" if the two differ. */
static const char *order_text(const struct shape *shape)
{
	static const char *const names[] = {"col", "row"};

	return shape->x_order == shape->y_order
	               ? names[shape->x_order]
	               : keep("%s:%s", names[shape->x_order], names[shape->y_order]);
}

static void describe(const struct bench *b, struct bench_case *c, const struct problem *p)
{
	c->op = p->op == EK_OP_T ? "t" : "n";
	c->bytes = c->v[V_CSR_BYTES] = (double)p->csr_bytes;
	c->v[V_BYTES] = c->bytes;
	c->v[V_BYTES_PER_NNZ] = p->nnz > 0 ? c->bytes / (double)p->nnz : NAN;
	c->flops = 2 * (double)(p->nnz * p->shape.width);
	if (p->operation == EK_SPMM) {
		c->v[V_WIDTH] = (double)p->shape.width;
		c->variant = order_text(&p->shape);
		c->name = keep("%s, %lld column%s, %s", c->matrix, (long long)p->shape.width,
		               p->shape.width == 1 ? "" : "s", c->variant);
	}
	if (b->device.size) {
		c->device = &b->device;
		c->device_name = b->device.text;
		c->driver = b->device.driver;
		c->vectors = b->o.vectors ? b->o.vectors : "device";
	}
}

int product_measure(struct bench *b, const struct tool_source *source, ek_matrix *A,
                    const struct shape *shape)
{
	const char *preparing = tool_on_device(b->ctx) ? tool_preparing(b->ctx) : NULL;
	struct problem p = {0};
	int code = problem_make(&p, b, shape, A);
	struct bench_case *c = code ? NULL : case_of_matrix(b, source, A, &code);

	if (c) {
		describe(b, c, &p);
		code = measure_case(b, c, &p, preparing);
	} else {
		tool_fail(TOOL_FAILED, "%s: not measured", source->name);
	}
	device_free(&p);
	problem_free(&p);
	return code;
}

int spmv_matrix(struct bench *b, const struct tool_source *source, ek_matrix *A)
{
	return product_measure(b, source, A, &(struct shape){1, EK_COL_MAJOR, EK_COL_MAJOR});
}

void product_each(const struct bench *b, const struct bench_case *c, FILE *out)
{
	if (!one_method(b))
		table_case(b, c, out);
}

/* ---- What is shown --------------------------------------------------------------------------- */

const char *kind_text(const char *kind)
{
	return strcmp(kind, "twin") == 0   ? "generated twin"
	       : strcmp(kind, "real") == 0 ? "the real matrix"
	                                   : kind;
}

static const char *place_text(const struct bench_case *c)
{
	if (c->device)
		return keep("%s (%s), vectors on the %s", c->device->name, c->device->text,
		            c->vectors);
	return text_many(c->v[V_THREADS], "thread");
}

const char *product_title(const struct bench *b, const struct bench_case *c)
{
	const double *v = c->v;

	return keep("%s (%s)  %s x %s, %s nonzeros, rows of %.1f +- %.1f, longest %.0f\n"
	            "%s, index %s, op %s, %s, %s; %s %.1f GB/s%s",
	            bold(b, c->name), kind_text(c->source), text_count(v[V_ROWS]),
	            text_count(v[V_COLS]), text_count(v[V_NNZ]), v[V_ROW_MEAN], v[V_ROW_STDDEV],
	            v[V_ROW_MAX], c->value, c->index, c->op, place_text(c),
	            text_many(v[V_ROUNDS], "round"), c->device ? "copies" : "reads",
	            v[V_BOUND_GBPS], v[V_IN_CACHE] > 0 ? " (in cache)" : "");
}

static const char *cell_method(struct cell *cell)
{
	const char *chosen = cell->r->chosen ? cell->r->chosen : "";

	snprintf(cell->text, CELL, "%s%s%s", cell->r->name, *chosen ? "->" : "",
	         method_short(chosen));
	return cell->text;
}

static const char *cell_chosen(struct cell *cell)
{
	return cell->r->chosen ? cell->r->chosen : cell->r->method;
}

static const char *cell_bound(struct cell *cell)
{
	snprintf(cell->text, CELL, "%.1f%s", cell->c->v[V_BOUND_GBPS],
	         cell->c->v[V_IN_CACHE] > 0 ? "c" : "");
	return cell->text;
}

static const char *cell_disturbed(struct cell *cell)
{
	snprintf(cell->text, CELL, "%.0f %%", 100 * cell->c->v[V_DISTURBED]);
	return cell->text;
}

const struct column product_columns[] = {
	{"matrix", LINE | LEFT, VALUES, "matrix", NULL, NULL},
	{"columns", LINE | BLOCKS, V_WIDTH, "%.0f", NULL, NULL},
	{"order", LINE | LEFT | BLOCKS, VALUES, "order", NULL, NULL},
	{"source", LINE | LEFT, VALUES, "source", NULL, NULL},
	{"rows", LINE, V_ROWS, ",", NULL, NULL},
	{"nonzeros", LINE, V_NNZ, ",", NULL, NULL},
	{"method", BLOCK | PAGE | LEFT | SWATCH, VALUES, NULL,
         "after ->, the method that auto, or a format, chose", cell_method},
	{"method", LINE | LEFT, VALUES, NULL, NULL, cell_chosen},
	{"method", SUM | PAGE_SUM | LEFT | SWATCH, VALUES, "name", NULL, NULL},
	{"matrices", SUM | VECTORS, V_MATRICES, "%.0f", NULL, NULL},
	{"cases", SUM | BLOCKS, V_MATRICES, "%.0f", NULL, NULL},
	{"matrices", PAGE_SUM | VECTORS, V_MATRICES, "%.0f", NULL, NULL},
	{"cases", PAGE_SUM | BLOCKS, V_MATRICES, "%.0f", NULL, NULL},
	{"ms", BLOCK | LINE | PAGE | LESS, V_MS, NULL, "median time of one product", NULL},
	{"Gflop/s", BLOCK | LINE | PAGE | BLOCKS, V_GFLOPS, "%.2f",
         "two operations for each nonzero and column, divided by that time", NULL},
	{"GB/s", BLOCK | LINE | PAGE, V_RATE, "%.1f",
         "bytes of the CSR arrays, x and y, whatever the format, divided by that time", NULL},
	{"bound", LINE, VALUES, NULL,
         "bandwidth at which the same threads read as many bytes from one array, or the device "
         "copies them; c: in cache",
         cell_bound},
	{"of bound", BLOCK | LINE | PAGE, V_OF_BOUND, "%.3f",
         "GB/s divided by the bandwidth at which the same threads read as many bytes from one "
         "array, or the device copies them (-: less than 1 MB)",
         NULL},
	{"vs CSR", BLOCK | LINE | SUM | PAGE | RATIO | VECTORS, V_VS_CSR, "%.3f",
         "speed divided by that of spmv.csr.rows (on a device spmv.csr.vector.gpu); all ratios are "
         "medians over the rounds",
         NULL},
	{"vs CSR", BLOCK | LINE | SUM | PAGE | RATIO | BLOCKS, V_VS_CSR, "%.3f",
         "speed divided by that of one product with spmv.csr.rows (on a device "
         "spmv.csr.vector.gpu) for each column; all ratios are medians over the rounds",
         NULL},
	{"vs peer", BLOCK | SUM | PAGE | RATIO | PEERS, V_VS_PEER, "%.3f",
         "speed divided by that of the fastest other library", NULL},
	{"worst", SUM, V_WORST, "%.3f", NULL, NULL},
	{"on", SUM | LEFT, VALUES, "on", NULL, NULL},
	{"wins", SUM, V_WINS, "%.0f", NULL, NULL},
	{"mean vs plain CSR", PAGE_SUM | RATIO, V_VS_CSR, "%.2f", NULL, NULL},
	{"mean vs best peer", PAGE_SUM | RATIO | PEERS, V_VS_PEER, "%.2f", NULL, NULL},
	{"worst vs plain CSR", PAGE_SUM | RATIO, V_WORST_CSR, "%.2f", NULL, NULL},
	{"on", PAGE_SUM | LEFT, VALUES, "on_csr", NULL, NULL},
	{"fastest of all", PAGE_SUM, V_WINS_ALL, "%.0f", NULL, NULL},
	{"error", BLOCK | LINE | SUM | PAGE | LESS, V_ERROR, "%.3f",
         "largest error divided by its proven bound; at most 1 is accepted", NULL},
	{"error / bound", PAGE_SUM | LESS, V_ERROR, "%.3f", NULL, NULL},
	{"prepare ms", BLOCK | PAGE | LESS, V_PREPARE_MS, NULL,
         "time to make a plan from CSR arrays; for a device, the arrays are there already, and "
         "the compilation of kernels is not counted",
         NULL},
	{"calls", BLOCK | PAGE | LESS, V_PREPARE_CALLS, "%.1f",
         "the same time, in products of plain CSR", NULL},
	{"disturbed", LINE, VALUES, NULL, "share of the batches that other processes disturbed",
         cell_disturbed},
	{"k-best ms", BLOCK | LINE | PAGE | KBEST | LESS, V_MS_KBEST, NULL,
         "mean of the 5 shortest times, run by itself (--k-best)", NULL},
	{"ns over bare loop", PAGE | LESS, V_OVERHEAD_NS, "%+.0f", NULL, NULL},
	{"", BLOCK | LEFT | VECTORS, VALUES, NULL,
         "* the fastest of ours; +N ns: for small matrices, the time beyond that of a plain loop "
         "on one thread, without a call of the library; or refused, or FAILED",
         cell_best},
	{"", BLOCK | LEFT | BLOCKS, VALUES, NULL, "* the fastest of ours; or refused, or FAILED",
         cell_best},
	NO_COLUMN};

void product_sum(const struct bench *b, int group, struct record *sum)
{
	const unsigned kinds = sum->kind == RECORD_PEER ? KINDS_PEERS : KINDS_OURS;
	double *v = sum->v;

	v[V_MATRICES] = v[V_WINS] = v[V_WINS_ALL] = v[V_ERROR] = 0;
	v[V_WORST] = v[V_WORST_CSR] = NAN;
	for (int k = 0; k < b->count; k++) {
		const struct bench_case *c = &b->cases[k];
		const struct record *r = in_group(c, group) ? case_record(c, sum->name) : NULL;

		v[V_ERROR] = r ? fmax(v[V_ERROR], r->v[V_ERROR]) : v[V_ERROR];
		if (!r || isnan(r->v[V_VS_CSR]))
			continue;
		const double peer = r->v[V_VS_PEER], csr = r->v[V_VS_CSR];

		v[V_MATRICES]++;
		v[V_WINS] += r == case_best(c, kinds);
		v[V_WINS_ALL] += r == case_best(c, KINDS_OURS | KINDS_PEERS);
		if (!((isnan(peer) ? csr : peer) >= v[V_WORST])) {
			v[V_WORST] = isnan(peer) ? csr : peer;
			sum->on = c->name;
		}
		if (!(csr >= v[V_WORST_CSR])) {
			v[V_WORST_CSR] = csr;
			sum->on_csr = c->name;
		}
	}
}

/* Prints the table of sums over all matrices. */
static void summary(const struct bench *b, FILE *out)
{
	const bool peers = bench_has_peers(b);

	fprintf(out,
	        "All %s: geometric means over %s%s, worst case, wins among ours%s, largest "
	        "error / bound\n",
	        b->op->problem, unit_method(b->device.size > 0),
	        peers ? " and over the best peer" : "", peers ? " (peers: among peers)" : "");
	table_print(b, &b->sums[ALL_GROUPS], 1, SUM, out);
}

void product_end(const struct bench *b, FILE *out)
{
	if (one_method(b))
		table_lines(b, out);
	if (b->count > 1)
		summary(b, out);
}

const char *product_place(const struct bench *b)
{
	const struct bench_case *c = &b->cases[0];

	return keep("%s · %s · values %s, indices %s, op %s", place_text(c),
	            c->device ? c->device->driver : ek_isa_name(ek_context_isa(b->ctx)), c->value,
	            c->index, c->op);
}

/* ---- The operation --------------------------------------------------------------------------- */

static void check(struct bench_options *o)
{
	check_matrices(o);
	sweep_apply(o);
}

const struct argp_child product_children[] = {{&tool_common_argp, 0, "Common options:", 3},
                                              {&tool_product_argp, 0, "The product:", 2},
                                              {&tool_calls_argp, 0, NULL, 2},
                                              {0}};

const struct operation bench_spmv = {
	.name = "spmv",
	.text = "y = alpha op(A) x + beta y, method by method, with peers and the read bound",
	.help = "Times the product y = alpha op(A) x + beta y, method by method, in turn and in "
		"rounds of under a second, and compares it with plain CSR, with other libraries "
		"and with the read bandwidth of the memory. Every result is checked first.\v"
		"--method takes all (default), auto, or names separated by commas; the \"spmv.\" "
		"in front may be left out, and parameters may follow it; --format takes formats "
		"separated by commas. With both, methods are measured with the formats that they "
		"multiply with. A matrix in another format is taken to CSR first. With --device "
		"the methods that run there are measured, by its clock, with vectors that lie "
		"there, and the bound is the bandwidth at which it copies. Exit status 1: a "
		"result was wrong.",
	.options = PRODUCT_OPTIONS " k_best sweep",
	.defaults = "time=3",
	.children = product_children,
	.check = check,
	.fields = PRODUCT_FIELDS,
	.problem = "matrices",
	.traits = VECTORS,
	PRODUCT_MEASURED,
	PRODUCT_SHOWN,
	.matrix = spmv_matrix,
	.operation = EK_SPMV,
	.heading = "Sparse matrix times vector, method by method",
};
