/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench read: how fast Matrix Market text becomes a matrix, in MB of text a second, for one and
 * more threads, taken in turn; how much memory that needs at its highest beside the arrays that
 * come out; and how scipy's mmread does on the same file, where python3 and scipy are installed.
 * The file is read once before, so it is the parsing that is measured and not the disk. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"

#define ROUNDS      3
#define MOST_LINES  16
#define ENTRY_BYTES 33 /* of text, of the generated file: two indices and 17 digits */

struct read_options {
	struct tool_options common;
	const char *path;
	int64_t megabytes;
};

/* One line of the table. */
struct line {
	const char *method;
	char version[32];
	int threads;
	double sample[ROUNDS];
	int runs;
};

struct reading {
	const struct read_options *options;
	const char *path;
	double text_bytes, csr_bytes, peak_bytes;
	ek_value value;
	ek_index index;
	int64_t rows, cols, nnz;
	struct line line[MOST_LINES];
	int count;
};

/* ---- Options --------------------------------------------------------------------------------- */

enum { KEY_SIZE = 1024 };

static const struct argp_option options[] = {
	{"size", KEY_SIZE, "MB", 0, "Generate a file of about that many megabytes (default 100)",
         1},
	{0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct read_options *o = state->input;

	tool_init(key, state, &o->common);
	switch (key) {
	case KEY_SIZE: o->megabytes = tool_integer("--size", arg, 1, 1000000); break;
	case ARGP_KEY_ARG:
		if (o->path)
			tool_usage("%s: a second file; ek bench read takes one at a time", arg);
		o->path = arg;
		break;
	default: return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp argp = {
	options,
	parse,
	"[FILE]",
	"Times the reading of Matrix Market text with one and more threads, and by scipy.",
	tool_common_children,
	NULL,
	NULL};

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Bytes that the library holds now, and held at most. */
struct meter {
	_Atomic int64_t now, most;
};

static void *metered_alloc(void *user, size_t alignment, size_t bytes)
{
	struct meter *m = user;
	int64_t now = atomic_fetch_add(&m->now, (int64_t)bytes) + (int64_t)bytes;

	if (now > atomic_load(&m->most))
		atomic_store(&m->most, now);
	return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void metered_dealloc(void *user, void *block, size_t bytes)
{
	struct meter *m = user;

	atomic_fetch_sub(&m->now, (int64_t)bytes);
	free(block);
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* Reads once with `threads` threads; the seconds, or a negative exit code. */
static double read_once(struct reading *r, int threads, struct meter *meter)
{
	const struct tool_options *common = &r->options->common;
	ek_options o = {.size = sizeof o,
	                .threads = threads,
	                .isa_limit = common->isa_limit,
	                .device = "cpu"};
	const ek_read_options how = tool_read_options(common);
	ek_matrix_info info = {.size = sizeof info};
	ek_context *ctx = NULL;
	ek_matrix *A = NULL;
	double start, seconds;
	int code;

	if (meter) {
		o.alloc = metered_alloc;
		o.dealloc = metered_dealloc;
		o.user = meter;
	}
	code = tool_check(ek_context_create(&o, &ctx));
	start = tool_seconds();
	if (!code)
		code = tool_input(
			ek_matrix_read(ctx, r->path, common->value, common->index, &how, &A));
	seconds = tool_seconds() - start;
	if (!code)
		code = tool_check(ek_matrix_get_info(A, &info));
	r->rows = info.rows;
	r->cols = info.cols;
	r->nnz = info.nnz;
	r->csr_bytes = (double)info.bytes;
	r->value = info.value;
	r->index = info.index;
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	return code ? -code : seconds;
}

static int read_rounds(struct reading *r, int most)
{
	struct meter meter = {0};
	double seconds = read_once(r, most, &meter);

	for (int threads = 1; seconds >= 0 && r->count < MOST_LINES - 1;
	     threads = threads < most && 2 * threads > most ? most : 2 * threads) {
		r->line[r->count++] = (struct line){.method = "read.mtx", .threads = threads};
		snprintf(r->line[r->count - 1].version, sizeof r->line->version, "%s",
		         ek_version());
		if (threads == most)
			break;
	}
	for (int round = 0; round < ROUNDS && seconds >= 0; round++)
		for (int k = 0; k < r->count && seconds >= 0; k++) {
			seconds = read_once(r, r->line[k].threads, NULL);
			r->line[k].sample[r->line[k].runs++] = seconds;
		}
	r->peak_bytes = (double)meter.most;
	return seconds < 0 ? (int)-seconds : TOOL_OK;
}

/* scipy's own reader, timed inside Python; left out where it does not run. The path goes through
 * the environment, so no shell looks at it. */
static void read_scipy(struct reading *r)
{
	static const char command[] =
		"for python in python3 /usr/bin/python3; do $python -c '\n"
		"import os, time, scipy, scipy.io\n"
		"t = time.perf_counter()\n"
		"scipy.io.mmread(os.environ[\"EK_BENCH_FILE\"]).tocsr()\n"
		"print(scipy.__version__, time.perf_counter() - t)' 2>/dev/null && break; done";
	struct line *line = &r->line[r->count];
	double seconds;
	FILE *python;

	setenv("EK_BENCH_FILE", r->path, 1);
	python = popen(command, "r");
	if (python && fscanf(python, "%31s %lf", line->version, &seconds) == 2) {
		line->method = "peer.scipy";
		line->threads = 1;
		line->runs = 1;
		line->sample[0] = seconds;
		r->count++;
	} else {
		tool_remark(&r->options->common, "scipy is left out: python3 with scipy not found");
	}
	if (python)
		pclose(python);
}

/* A file of about the wanted size under a temporary name. */
static int make_file(const struct read_options *o, char path[4096])
{
	const char *folder = getenv("TMPDIR");
	int64_t rows = o->megabytes * 1000000 / ENTRY_BYTES / 16 + 1;
	ek_context *ctx;
	ek_matrix *A = NULL;
	char spec[128];
	int code, file;

	snprintf(path, 4096, "%s/ek-read-XXXXXX.mtx", folder && *folder ? folder : "/tmp");
	file = tool_temporary(path, 4);
	if (file < 0)
		return tool_fail(TOOL_FAILED, "%s: cannot make a temporary file: %s", path,
		                 strerror(errno));
	close(file);
	ctx = tool_context(&o->common, &code);
	snprintf(spec, sizeof spec, "uniform:rows=%lld,cols=%lld,k=16", (long long)rows,
	         (long long)(rows < 16 ? 16 : rows));
	if (!code)
		code = tool_check(ek_matrix_generate(ctx, spec, tool_value(&o->common),
		                                     tool_index(&o->common), &A));
	tool_will_write(path);
	if (!code)
		code = tool_check(ek_matrix_write(A, path, "mtx"));
	tool_will_write("-");
	ek_matrix_destroy(A);
	ek_context_destroy(ctx);
	return code;
}

/* ---- Results --------------------------------------------------------------------------------- */

static double line_ms(const struct line *l)
{
	return 1e3 * measure_quantile(l->sample, l->runs, 0.5);
}

static int line_json(const struct reading *r, const struct report *report, const struct line *l)
{
	const struct tool_options *common = &r->options->common;
	double ms = line_ms(l), speed = 1e-3 * r->text_bytes / ms;
	bool ours = strncmp(l->method, "peer.", 5) != 0;
	json_t *o =
		json_pack("{ss ss ss ss sI sI sI ss ss si si sf sf sf sf sI sI ss ss ss}", "op",
	                  "read", "method", l->method, "version", l->version, "matrix", r->path,
	                  "rows", (json_int_t)r->rows, "cols", (json_int_t)r->cols, "nnz",
	                  (json_int_t)r->nnz, "value", ek_value_name(r->value), "index",
	                  ek_index_name(r->index), "threads", l->threads, "runs", l->runs, "ms", ms,
	                  "ms_min", 1e3 * measure_quantile(l->sample, l->runs, 0), "mbps", speed,
	                  "mbps_per_thread", speed / l->threads, "bytes", (json_int_t)r->text_bytes,
	                  "csr_bytes", (json_int_t)r->csr_bytes, "commit", report_commit(),
	                  "machine", report->machine, "date", report->date);

	if (ours && o)
		json_object_set_new(o, "peak_bytes", json_integer((json_int_t)r->peak_bytes));
	return o ? tool_json(common, o) : tool_fail(TOOL_FAILED, "out of memory for a record");
}

static int results(const struct reading *r)
{
	const struct tool_options *common = &r->options->common;
	FILE *out = tool_people(common);
	struct report report;
	struct tool_table t;
	char text[32], csr[32], peak[32];
	int code = TOOL_OK;

	report_start(&report, "read");
	fprintf(out, "%s: %s of text, %lld entries, arrays of %s; at most %s held (%.2f times)\n",
	        r->path, tool_bytes(text, r->text_bytes), (long long)r->nnz,
	        tool_bytes(csr, r->csr_bytes), tool_bytes(peak, r->peak_bytes),
	        r->peak_bytes / r->csr_bytes);
	tool_table_start(&t, "lrrrrr");
	static const char *const names[] = {"reader", "threads",         "ms",
	                                    "MB/s",   "MB/s per thread", "vs scipy"};

	for (int k = 0; k < 6; k++)
		tool_table_add(&t, "%s", names[k]);
	const struct line *last = &r->line[r->count - 1];
	bool scipy = strcmp(last->method, "peer.scipy") == 0;

	for (int k = 0; k < r->count; k++) {
		const struct line *l = &r->line[k];
		double speed = 1e-3 * r->text_bytes / line_ms(l);

		tool_table_add(&t, "%s %s", l->method, l->version);
		tool_table_add(&t, "%d", l->threads);
		tool_table_add(&t, "%.1f", line_ms(l));
		tool_table_add(&t, "%.1f", speed);
		tool_table_add(&t, "%.1f", speed / l->threads);
		if (scipy)
			tool_table_add(&t, "%.1f", line_ms(last) / line_ms(l));
		else
			tool_table_add(&t, "-");
		if (!code)
			code = line_json(r, &report, l);
	}
	tool_table_print(&t, TOOL_TEXT, out);
	tool_table_free(&t);
	return code;
}

int bench_read(int argc, char **argv)
{
	struct read_options o = {.megabytes = 100};
	struct reading r = {.options = &o};
	char made[4096];
	ek_context *ctx;
	struct stat st;
	int code, most, closed;

	tool_parse(&argp, argc, argv, &o);
	ctx = tool_context(&o.common, &code);
	if (code)
		return code;
	most = ek_context_threads(ctx);
	ek_context_destroy(ctx);
	r.path = o.path;
	if (!o.path) {
		code = make_file(&o, made);
		r.path = made;
	}
	if (!code && stat(r.path, &st) != 0)
		code = tool_fail(TOOL_INPUT, "%s: cannot be opened: %s", r.path, strerror(errno));
	if (!code) {
		r.text_bytes = (double)st.st_size;
		code = read_rounds(&r, most);
	}
	if (!code) {
		read_scipy(&r);
		code = results(&r);
	}
	tool_temporary_remove();
	closed = tool_json_close(&o.common);
	return code ? code : closed;
}
