/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench spmv: y = alpha op(A) x + beta y, method by method, on matrices. The unit of the ratios
 * is spmv.csr.rows, the row loop over threads, or on a device spmv.csr.vector.gpu.
 *
 * ek bench spmm: Y = alpha op(A) X + beta Y with blocks of vectors, for each width and order of the
 * blocks. A block is compared with one product for each of its k columns, held as separate vectors:
 * k products of plain CSR, which are the unit of the ratios, and k products of what auto chooses.
 * The bound is the time of reading A, X and Y once, as for spmv. */
#include <math.h>
#include <string.h>

#include "spmv.h"

/* ---- Measuring ------------------------------------------------------------------------------- */

static bool one_method(const struct bench *b)
{
	const char *m = methods_named(b);

	return m && !strchr(m, ',') && !b->o.peers && !b->o.common.format;
}

double bench_memory_gbps(const struct bench *b)
{
	return b->memory_gbps > 0 ? b->memory_gbps
	       : b->memory_asked  ? read_probe_memory(ek_context_threads(b->ctx))
	                          : 0;
}

/* Measures the bandwidth of a device's memory. That of the processor is measured when the first
 * matrix asks for it, since it takes seconds, more than a small matrix does. */
int spmv_begin(struct bench *b)
{
	ek_device_info info = {.size = sizeof info};

	if (b->o.vectors && !tool_on_device(b->ctx))
		tool_usage("--vectors is for a device; --device names one (ek list devices)");
	if (ek_context_get_device(b->ctx, &info) == EK_OK) {
		b->device = info;
		b->memory_gbps = device_copy_gbps(b->ctx, &info);
	}
	b->memory_asked = true;
	return TOOL_OK;
}

/* Returns the order of X and Y, such as "row", or "row:col" if the two differ. */
static const char *order_text(const ek_peer_problem *p)
{
	static const char *const names[] = {"col", "row"};

	return p->x_order == p->y_order ? names[p->x_order]
	                                : keep("%s:%s", names[p->x_order], names[p->y_order]);
}

static void describe(const struct bench *b, struct bench_case *c, const struct problem *p)
{
	c->op = p->op == EK_OP_T ? "t" : "n";
	c->bytes = c->v[V_CSR_BYTES] = (double)p->csr_bytes;
	c->v[V_BYTES] = c->bytes;
	c->v[V_BYTES_PER_NNZ] = p->peer.nnz > 0 ? c->bytes / (double)p->peer.nnz : NAN;
	c->flops = 2 * (double)(p->peer.nnz * p->peer.width);
	c->gathered = (double)p->csr_bytes +
	              (double)((p->peer.nnz - p->in) * p->peer.width * p->peer.value_bytes);
	if (p->peer.operation == EK_SPMM) {
		c->v[V_WIDTH] = (double)p->peer.width;
		c->variant = order_text(&p->peer);
		c->name = keep("%s, %lld column%s, %s", c->matrix, (long long)p->peer.width,
		               p->peer.width == 1 ? "" : "s", c->variant);
	}
	case_device(b, c, &b->device);
	if (b->device.size) {
		c->device = &b->device;
		c->vectors = b->o.vectors                 ? b->o.vectors
		             : tool_on_both(&b->o.common) ? "host"
		                                          : "device";
	}
}

int product_one(const struct matrix_at *at, const int64_t value[MOST_LISTS])
{
	struct bench *b = at->b;
	const char *preparing = tool_on_device(b->ctx) ? tool_preparing(b->ctx) : NULL;
	struct problem p = {0};
	int code = problem_make(&p, b, value[0] ? value[0] : 1,
	                        value[1] & X_BY_ROWS ? EK_ROW_MAJOR : EK_COL_MAJOR,
	                        value[1] & Y_BY_ROWS ? EK_ROW_MAJOR : EK_COL_MAJOR, at->A);
	struct bench_case *c = code ? NULL : case_of_matrix(b, at->source, at->A, &code);

	if (c) {
		describe(b, c, &p);
		code = measure_case(b, c, &p, preparing);
	} else {
		tool_fail(TOOL_FAILED, "%s: not measured", at->source->name);
	}
	device_free(&p);
	problem_free(&p);
	return code;
}

static void product_each(const struct bench *b, const struct bench_case *c, FILE *out)
{
	if (!one_method(b))
		table_case(b, c, out);
}

/* ---- Output ---------------------------------------------------------------------------------- */

static const char *kind_text(const char *kind)
{
	return strcmp(kind, "twin") == 0   ? "generated twin"
	       : strcmp(kind, "real") == 0 ? "the real matrix"
	                                   : kind;
}

static const char *place_text(const struct bench *b, const struct bench_case *c)
{
	if (c->device)
		return keep("%s%s (%s), vectors on the %s",
		            tool_on_both(&b->o.common) ? "cpu+" : "", c->device->name,
		            c->device->text, c->vectors);
	return text_many(c->v[V_THREADS], "thread");
}

static const char *product_title(const struct bench *b, const struct bench_case *c)
{
	const double *v = c->v;

	return keep("%s (%s)  %s, rows of %.1f +- %.1f, longest %.0f\n"
	            "%s, index %s, op %s, %s, %s; %s %.1f GB/s%s",
	            c->name, kind_text(c->source), text_matrix(c), v[V_ROW_MEAN], v[V_ROW_STDDEV],
	            v[V_ROW_MAX], c->value, c->index, c->op, place_text(b, c),
	            text_many(v[V_ROUNDS], "round"), c->device ? "copies" : "reads",
	            v[V_BOUND_GBPS], v[V_IN_CACHE] > 0 ? " (in cache)" : "");
}

static const char *cell_chosen(const struct bench_case *c, const struct record *r)
{
	(void)c;
	return r->chosen ? r->chosen : r->method;
}

static const char *cell_bound(const struct bench_case *c, const struct record *r)
{
	(void)r;
	return keep("%.1f%s", c->v[V_BOUND_GBPS], c->v[V_IN_CACHE] > 0 ? "c" : "");
}

static const char *cell_disturbed(const struct bench_case *c, const struct record *r)
{
	(void)r;
	return isnan(c->v[V_DISTURBED]) ? "-" : keep("%.0f %%", 100 * c->v[V_DISTURBED]);
}

static const struct column product_columns[] = {
	{"matrix", LINE | LEFT, VALUES, "matrix", NULL, NULL},
	{"columns", LINE | BLOCKS, V_WIDTH, "%.0f", NULL, NULL},
	{"order", LINE | LEFT | BLOCKS, VALUES, "order", NULL, NULL},
	{"source", LINE | LEFT, VALUES, "source", NULL, NULL},
	{"rows", LINE, V_ROWS, ",", NULL, NULL},
	{"nonzeros", LINE, V_NNZ, ",", NULL, NULL},
	{"method", BLOCK | PAGE | LEFT | SWATCH, VALUES, NULL, cell_method,
         "after ->, the method that auto, or a format, chose"},
	{"method", LINE | LEFT, VALUES, NULL, cell_chosen, NULL},
	{"method", SUM | PAGE_SUM | LEFT | SWATCH, VALUES, "name", NULL, NULL},
	{"matrices", SUM | PAGE_SUM | VECTORS, V_MATRICES, "%.0f", NULL, NULL},
	{"cases", SUM | PAGE_SUM | BLOCKS, V_MATRICES, "%.0f", NULL, NULL},
	{"ms", BLOCK | LINE | PAGE | LESS, V_MS, NULL, NULL, "median time of one product"},
	INTERVAL_COLUMN(BLOCK | LINE | PAGE | LESS),
	{"Gflop/s", BLOCK | LINE | PAGE | BLOCKS, V_GFLOPS, "%.2f", NULL,
         "two operations for each nonzero and column, divided by that time"},
	{"GB/s", BLOCK | LINE | PAGE, V_RATE, "%.1f", NULL,
         "bytes of the CSR arrays, x and y, whatever the format, divided by that time"},
	{"gathered", BLOCK | VECTORS, V_GATHERED_RATE, "%.1f", NULL,
         "the same if x is read once for each nonzero (Liu and Vinter 2015)"},
	{"bound", LINE, VALUES, NULL, cell_bound,
         "bandwidth at which the same threads read as many bytes from one array, or the device "
         "copies them; c: in cache"},
	{"of bound", BLOCK | LINE | PAGE, V_OF_BOUND, "%.3f", NULL,
         "GB/s divided by the bandwidth at which the same threads read as many bytes from one "
         "array, or the device copies them (-: less than 1 MB)"},
	{"vs CSR", BLOCK | LINE | SUM | PAGE | RATIO | VECTORS, V_VS_CSR, "%.3f", NULL,
         "speed divided by that of spmv.csr.rows (on a device spmv.csr.vector.gpu); all ratios are "
         "medians over the rounds"},
	{"vs CSR", BLOCK | LINE | SUM | PAGE | RATIO | BLOCKS, V_VS_CSR, "%.3f", NULL,
         "speed divided by that of one product with spmv.csr.rows (on a device "
         "spmv.csr.vector.gpu) for each column; all ratios are medians over the rounds"},
	{"vs peer", BLOCK | SUM | PAGE | RATIO | PEERS, V_VS_PEER, "%.3f", NULL,
         "speed divided by that of the fastest other library"},
	{"harmonic", SUM, V_HARMONIC, "%.3f", NULL, NULL},
	{"Gflop/s", SUM, V_HARMONIC_GFLOPS, "%.2f", NULL, NULL},
	{"worst", SUM, V_WORST, "%.3f", NULL, NULL},
	{"on", SUM | LEFT, VALUES, "on", NULL, NULL},
	{"wins", SUM, V_WINS, "%.0f", NULL, NULL},
	{"mean vs plain CSR", PAGE_SUM | RATIO, V_VS_CSR, "%.2f", NULL, NULL},
	{"mean vs best peer", PAGE_SUM | RATIO | PEERS, V_VS_PEER, "%.2f", NULL, NULL},
	{"worst vs plain CSR", PAGE_SUM | RATIO, V_WORST_CSR, "%.2f", NULL, NULL},
	{"on", PAGE_SUM | LEFT, VALUES, "on_csr", NULL, NULL},
	{"fastest of all", PAGE_SUM, V_WINS_ALL, "%.0f", NULL, NULL},
	{"error", BLOCK | LINE | SUM | PAGE | LESS, V_ERROR, "%.3f", NULL,
         "largest error divided by its proven bound; at most 1 is accepted"},
	{"error / bound", PAGE_SUM | LESS, V_ERROR, "%.3f", NULL, NULL},
	{"prepare ms", BLOCK | PAGE | LESS, V_PREPARE_MS, NULL, NULL,
         "time to make a plan from CSR arrays; for a device, the arrays are there already, and "
         "the compilation of kernels is not counted"},
	{"calls", BLOCK | PAGE | LESS, V_PREPARE_CALLS, "%.1f", NULL,
         "the same time, in products of plain CSR"},
	{"disturbed", LINE, VALUES, NULL, cell_disturbed,
         "share of the batches that other processes disturbed"},
	{"k-best ms", BLOCK | LINE | PAGE | KBEST | LESS, V_MS_KBEST, NULL, NULL,
         "mean of the 5 shortest times, run by itself (--k-best)"},
	{"ns over bare loop", PAGE | LESS, V_OVERHEAD_NS, "%+.0f", NULL, NULL},
	PARAMETERS_COLUMN(BLOCK | LINE | PAGE),
	{"", BLOCK | LEFT | VECTORS, VALUES, NULL, cell_best,
         "* the fastest of ours; +N ns: for small matrices, the time beyond that of a plain loop "
         "on one thread, without a call of the library; or refused, or FAILED"},
	{"", BLOCK | LEFT | BLOCKS, VALUES, NULL, cell_best,
         "* the fastest of ours; or refused, or FAILED"},
	{.head = NULL}};

static void product_sum(const struct bench *b, int group, struct record *sum)
{
	const unsigned kinds = sum->kind == RECORD_PEER ? KINDS_PEERS : KINDS_OURS;
	double *v = sum->v;

	v[V_MATRICES] = v[V_WINS] = v[V_WINS_ALL] = v[V_ERROR] = 0;
	v[V_WORST] = v[V_WORST_CSR] = NAN;
	for (const struct bench_case *c = b->cases; c < b->cases + b->count; c++) {
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
	const bool peers = case_has(&b->sums[ALL_GROUPS], RECORD_PEER);

	fprintf(out,
	        "All %s: geometric means over %s%s, harmonic means of the first and of Gflop/s, "
	        "worst case, wins among ours%s, largest error / bound\n",
	        b->op->problem, unit_method(b->device.size > 0),
	        peers ? " and over the best peer" : "", peers ? " (peers: among peers)" : "");
	table_print(b, &b->sums[ALL_GROUPS], 1, SUM, out);
}

static void product_end(const struct bench *b, FILE *out)
{
	if (one_method(b))
		table_full(b, b->cases, b->count, LINE, out);
	if (b->count > 1)
		summary(b, out);
}

static const char *product_place(const struct bench *b)
{
	const struct bench_case *c = &b->cases[0];

	return keep("%s · %s · values %s, indices %s, op %s", place_text(b, c),
	            c->device ? c->device->driver : ek_isa_name(ek_context_isa(b->ctx)), c->value,
	            c->index, c->op);
}

/* ---- The operation --------------------------------------------------------------------------- */

static const struct argp_child product_children[] = {{&tool_common_argp, 0, "Common options:", 3},
                                                     {&tool_product_argp, 0, "The product:", 2},
                                                     {&tool_calls_argp, 0, NULL, 2},
                                                     {0}};

#define PRODUCT_SHOWN                                                                             \
	.usage = "[MATRIX...]", .children = product_children, .columns = product_columns,         \
	.walk = walk_matrices, .begin = spmv_begin, .sum = product_sum, .each = product_each,     \
	.end = product_end, .title = product_title, .place = product_place, .layout = "products", \
	.charts = "case name method device_name source rows cols nnz row_max row_mean "           \
		  "row_stddev rounds in_cache bound_gbps ms csr_gbps vs_csr vs_best_peer "        \
		  "prepare_calls of_bound error"
#define PRODUCT_FIELDS                                                                         \
	"op method chosen method_parameters format device device_name driver device_memory "   \
	"vectors isa version matrix source rows cols nnz row_max row_mean row_stddev group "   \
	"transpose value index threads runs "                                                  \
	"rounds disturbed ms ms_min ms_p10 ms_p90 ms_kbest ms_kbest_rounds prepare_ms "        \
	"first_ms prepare_calls prepare_calls_rounds prepare_calls_disturbed "                 \
	"call_us latency_us "                                                                  \
	"bytes bytes_per_nnz gflops gbps csr_gbps gathered_gbps bound_gbps of_bound in_cache " \
	"unit vs_csr vs_best_peer overhead_ns error commit machine state date"

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
		"there, and the bound is the bandwidth at which it copies. With cpu+ in front of "
		"the device, both kinds of core together, the device alone and the processor "
		"alone are measured, with vectors in the host's memory. Exit status 1: a result "
		"was wrong.",
	.options = PRODUCT_OPTIONS " k_best sweep",
	.defaults = "time=3",
	.check = check_matrices,
	.fields = PRODUCT_FIELDS,
	.problem = "matrices",
	.traits = VECTORS,
	PRODUCT_MEASURED,
	PRODUCT_SHOWN,
	.operation = EK_SPMV,
	.heading = "Sparse matrix times vector, method by method",
};

const struct operation bench_spmm = {
	.name = "spmm",
	.text = "Y = alpha op(A) X + beta Y with dense blocks, the same way",
	.help = "Times the product Y = alpha op(A) X + beta Y with dense blocks, method by method, "
		"in turn and in rounds of under a second, and compares it with one product for "
		"each column, with other libraries and with the read bandwidth of the memory. "
		"Every result is checked first.\v"
		"Example: ek bench spmm cant.mtx --columns 1,8,32 --order row,col --peers\n"
		"k*spmv.csr.rows, the unit of the ratios, and k*spmv.auto multiply the columns "
		"one by one, in vectors of their own. With --device the methods that run there are "
		"measured, with --device cpu+NAME both kinds of core. Exit status 1: a result was "
		"wrong.",
	.options = PRODUCT_OPTIONS " k_best columns order",
	.defaults = "time=3 columns=8 order=row",
	.check = check_matrices,
	.fields = PRODUCT_FIELDS " columns order",
	.problem = "cases",
	.traits = BLOCKS,
	PRODUCT_MEASURED,
	PRODUCT_SHOWN,
	.operation = EK_SPMM,
	.heading = "Sparse matrix times dense blocks, method by method",
};
