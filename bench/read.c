/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench read: the speed at which Matrix Market text becomes a matrix, in MB of text per second,
 * with one and with more threads in turn; the peak memory compared with the arrays of the matrix;
 * and the speed at which scipy's mmread reads the same file, if python3 and scipy are installed.
 * The file is read once beforehand, so that parsing is measured, not the disk. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

#define ROUNDS     3
#define MOST_LINES 16
#define ENTRY_BYTES \
	33 /* bytes of text for an entry of the generated file: two indices, 17 digits */

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The bytes that the library has allocated now, and their maximum so far. */
struct meter {
	_Atomic int64_t now, most;
};

static void *metered_alloc(void *user, size_t alignment, size_t bytes)
{
	struct meter *m = user;
	int64_t now = atomic_fetch_add(&m->now, (int64_t)bytes) + (int64_t)bytes;
	int64_t most = atomic_load(&m->most);

	while (now > most && !atomic_compare_exchange_weak(&m->most, &most, now))
		;
	return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void metered_dealloc(void *user, void *block, size_t bytes)
{
	struct meter *m = user;

	atomic_fetch_sub(&m->now, (int64_t)bytes);
	free(block);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Reads the file once with `threads` threads, and counts allocations in `meter` unless that is
 * NULL. Returns the seconds, or the negative of an exit code. */
static double read_once(struct bench *b, struct bench_case *c, int threads, struct meter *meter)
{
	const struct tool_options *common = &b->o.common;
	const ek_options o = {.size = sizeof o,
	                      .threads = threads,
	                      .isa_limit = common->isa_limit,
	                      .device = "cpu",
	                      .alloc = meter ? metered_alloc : NULL,
	                      .dealloc = meter ? metered_dealloc : NULL,
	                      .user = meter};
	const ek_read_options how = tool_read_options(common);
	ek_context *ctx = NULL;
	ek_matrix *A = NULL;
	int code = tool_check(ek_context_create(&o, &ctx));
	const double start = tool_seconds();

	if (!code)
		code = tool_input(
			ek_matrix_read(ctx, c->name, common->value, common->index, &how, &A));
	const double seconds = tool_seconds() - start;

	if (!code)
		code = case_describe(c, A);
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	return code ? -code : seconds;
}

static void add(struct bench_case *c, const char *method, const char *version, int threads,
                const double *sample, int runs)
{
	struct record r = record_start(*method == 'p' ? RECORD_PEER : RECORD_OURS, "", method);

	r.name = keep("%s %s", method, version);
	r.version = keep("%s", version);
	r.v[V_THREADS] = threads;
	r.v[V_RUNS] = runs;
	r.v[V_MS] = 1e3 * measure_quantile(sample, runs, 0.5);
	r.v[V_MS_MIN] = 1e3 * measure_quantile(sample, runs, 0);
	r.v[V_MBPS] = 1e-3 * c->v[V_BYTES] / r.v[V_MS];
	r.v[V_MBPS_PER_THREAD] = r.v[V_MBPS] / threads;
	record_add(c, &r);
}

static int read_rounds(struct bench *b, struct bench_case *c, int most)
{
	double sample[MOST_LINES][ROUNDS];
	struct meter meter = {0};
	double seconds = read_once(b, c, most, &meter);
	int threads[MOST_LINES] = {1}, count = 1;

	for (; threads[count - 1] < most && count < MOST_LINES; count++)
		threads[count] = 2 * threads[count - 1] < most ? 2 * threads[count - 1] : most;
	for (int round = 0; round < ROUNDS; round++)
		for (int k = 0; k < count && seconds >= 0; k++)
			seconds = sample[k][round] = read_once(b, c, threads[k], NULL);
	if (seconds < 0)
		return (int)-seconds;
	for (int k = 0; k < count; k++) {
		add(c, "read.mtx", ek_version(), threads[k], sample[k], ROUNDS);
		c->record[k].v[V_PEAK_BYTES] = (double)meter.most;
	}
	return TOOL_OK;
}

/* Times scipy's own reader inside Python, and skips it if it does not run. The path is passed in
 * the environment, so that the shell does not interpret it. */
static void read_scipy(struct bench *b, struct bench_case *c)
{
	static const char command[] =
		"for python in python3 /usr/bin/python3; do $python -c '\n"
		"import os, time, scipy, scipy.io\n"
		"t = time.perf_counter()\n"
		"scipy.io.mmread(os.environ[\"EK_BENCH_FILE\"]).tocsr()\n"
		"print(scipy.__version__, time.perf_counter() - t)' 2>/dev/null && break; done";
	char version[32];
	double seconds;
	FILE *python;

	setenv("EK_BENCH_FILE", c->name, 1);
	python = popen(command, "r");
	if (python && fscanf(python, "%31s %lf", version, &seconds) == 2) {
		add(c, "peer.scipy", version, 1, &seconds, 1);
		for (int k = 0; k < c->count; k++)
			c->record[k].v[V_VS_SCIPY] = 1e3 * seconds / c->record[k].v[V_MS];
	} else {
		tool_remark(&b->o.common, "scipy is left out: python3 with scipy not found");
	}
	if (python)
		pclose(python);
}

/* Makes a temporary file of about --size bytes, named in `path`. Returns an exit code. */
static int make_file(struct bench *b, char path[4096])
{
	const char *folder = getenv("TMPDIR");
	int64_t rows = b->o.megabytes * 1000000 / ENTRY_BYTES / 16 + 1;
	ek_matrix *A = NULL;
	char spec[128];
	int code, file;

	snprintf(path, 4096, "%s/ek-read-XXXXXX.mtx", folder && *folder ? folder : "/tmp");
	file = tool_temporary(path, 4);
	if (file < 0)
		return tool_fail(TOOL_FAILED, "%s: cannot make a temporary file: %s", path,
		                 strerror(errno));
	close(file);
	snprintf(spec, sizeof spec, "uniform:rows=%lld,cols=%lld,k=16", (long long)rows,
	         (long long)(rows < 16 ? 16 : rows));
	code = tool_check(ek_matrix_generate(b->ctx, spec, tool_value(&b->o.common),
	                                     tool_index(&b->o.common), &A));
	tool_will_write(path);
	if (!code)
		code = tool_check(ek_matrix_write(A, path, "mtx"));
	tool_will_write("-");
	ek_matrix_destroy(A);
	return code;
}

static int walk(struct bench *b)
{
	char made[4096];
	const char *path = b->o.arguments ? b->o.argument[0] : made;
	struct bench_case *c;
	struct stat st;
	int code = b->o.arguments ? TOOL_OK : make_file(b, made);

	if (!code && stat(path, &st) != 0)
		code = tool_fail(TOOL_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
	if (code)
		return code;
	c = case_add(b);
	c->name = c->matrix = keep("%s", path);
	c->v[V_BYTES] = (double)st.st_size;
	code = read_rounds(b, c, ek_context_threads(b->ctx));
	if (!code)
		read_scipy(b, c);
	code = case_done(b, c, code);
	tool_temporary_remove();
	return code;
}

/* ---- The operation --------------------------------------------------------------------------- */

static const char *title(const struct bench *b, const struct bench_case *c)
{
	const double peak = c->record[0].v[V_PEAK_BYTES], csr = c->v[V_CSR_BYTES];

	(void)b;
	return keep("%s: %s of text, %.0f entries, arrays of %s; at most %s held (%.2f times)",
	            c->name, text_bytes(c->v[V_BYTES]), c->v[V_NNZ], text_bytes(csr),
	            text_bytes(peak), peak / csr);
}

static const struct column columns[] = {
	{"reader", BLOCK | LEFT, VALUES, "name", NULL, NULL},
	{"threads", BLOCK, V_THREADS, "%.0f", NULL, NULL},
	{"ms", BLOCK, V_MS, "%.1f", NULL, NULL},
	{"MB/s", BLOCK, V_MBPS, "%.1f", NULL, NULL},
	{"MB/s per thread", BLOCK, V_MBPS_PER_THREAD, "%.1f", NULL, NULL},
	{"vs scipy", BLOCK, V_VS_SCIPY, "%.1f", NULL, NULL},
	{.head = NULL}};

static void check(struct bench_options *o)
{
	if (o->arguments > 1)
		tool_usage("%s: a second file; ek bench read takes one at a time", o->argument[1]);
}

const struct operation bench_read = {
	.name = "read",
	.text = "reading Matrix Market text, MB/s for each thread",
	.usage = "[FILE]",
	.help = "Times the reading of Matrix Market text with one and more threads, and by scipy.",
	.options = "size",
	.defaults = "size=100",
	.children = tool_common_children,
	.check = check,
	.fields = "op method version matrix rows cols nnz value index threads runs ms ms_min mbps "
		  "mbps_per_thread bytes csr_bytes peak_bytes commit machine state date",
	.problem = "files",
	.columns = columns,
	.walk = walk,
	.each = table_case,
	.title = title,
};
