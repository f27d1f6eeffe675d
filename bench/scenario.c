/* SPDX-License-Identifier: BSD-3-Clause
 * ek bench scenario: the speed-up of a method in a program that computes n products, preparation
 * included:
 *     (n T_csr) / (T_prepare + n T_method)
 * Its average and greatest value are computed over the regular and over the irregular matrices (Liu
 * 2015, Tables 8.5 and 8.6), from the records of `ek bench spmv` of this run or, with --from, of an
 * earlier one. Records have T_prepare and T_method relative to plain CSR in the same rounds, so
 * drift of the machine's speed does not matter. */
#include <math.h>
#include <string.h>

#include "spmv.h"

/* ---- Figures --------------------------------------------------------------------------------- */

/* Method or peer that is the baseline, or NULL for plain CSR. */
static const char *baseline;

/* Returns half of the logarithm of the 90th percentile of a value over its 10th. */
static double spread_of(const double *v, enum value value)
{
	return log(v[(int)value + 2] / v[(int)value + 1]) / 2;
}

/* Stores a number and, `spread` apart in the logarithm to both sides, its percentiles, `apart`
 * places behind it and behind each other. */
static void store(double *at, int apart, double value, double spread)
{
	at[0] = value;
	at[apart] = value * exp(-spread);
	at[2 * apart] = value * exp(spread);
}

/* Stores the speed-up for n products at `at`. The unit of time is one product of plain CSR, so
 * T_csr is 1, T_prepare is prepare_calls and T_method is 1 / vs_csr. With another baseline, T_csr
 * is 1 / vs_csr of the baseline. Preparations and products are timed in different rounds, so their
 * errors are independent, and that of the sum follows from its shares. */
static void speedup(const struct bench_case *c, const struct record *r, int64_t n, double *at)
{
	const struct record *base = baseline ? case_record(c, baseline) : NULL;
	const double csr = !baseline ? 1 : base ? 1 / base->v[V_VS_CSR] : NAN;
	const double prepare = r->v[V_PREPARE_CALLS], run = (double)n / r->v[V_VS_CSR];
	const double first = prepare > 0 ? prepare * spread_of(r->v, V_PREPARE_CALLS) : 0;
	const double of_method = hypot(first, run * spread_of(r->v, V_VS_CSR)) / (prepare + run);

	store(at, MOST_CALLS, (double)n * csr / (prepare + run),
	      hypot(of_method, base ? spread_of(base->v, V_VS_CSR) : 0));
}

/* Makes the object "speedup" or, for the other two keys, that of its percentiles. */
static json_t *speedups(const struct bench *b, const struct bench_case *c, const struct record *r,
                        const char *key)
{
	const int first = strcmp(key, "speedup") == 0       ? V_SPEEDUP
	                  : strcmp(key, "speedup_p10") == 0 ? V_SPEEDUP_P10
	                                                    : V_SPEEDUP_P90;
	json_t *each = json_object();

	(void)c;
	for (int k = 0; k < b->o.calls.count; k++)
		json_object_set_new(each, keep("%lld", (long long)b->o.calls.value[k]),
		                    isnan(r->v[first + k]) ? json_null()
		                                           : json_real(r->v[first + k]));
	return each;
}

/* ---- Measuring ------------------------------------------------------------------------------- */

static int begin(struct bench *b)
{
	const char *name = b->o.baseline;

	baseline = !name || strncmp(name, "peer.", 5) == 0 ? name : tool_method(name);
	return b->o.records ? TOOL_OK : spmv_begin(b);
}

/* Raises the share of disturbed samples to that of a record that the values are divided by. */
static void disturbed_with(double *v, const struct record *by)
{
	if (by)
		v[V_DISTURBED] = fmax(v[V_DISTURBED], by->v[V_DISTURBED]);
}

/* Computes the speed-ups of a case. Fails if the case has no record of the baseline, since without
 * it all figures would be missing. */
static int finish(struct bench *b, struct bench_case *c)
{
	if (baseline && !case_record(c, baseline))
		return tool_fail(TOOL_USAGE,
		                 "--baseline %s: has no record for %s; a method or peer that was "
		                 "measured is expected",
		                 baseline, c->name);
	b->o.baseline = baseline ? baseline : unit_method(b->device.size > 0);
	const struct record *unit = case_record(c, c->unit ? c->unit : b->o.baseline),
			    *base = case_record(c, b->o.baseline);

	for (int m = 0; m < c->count; m++) {
		double *v = c->record[m].v;

		v[V_DISTURBED] = fmax(v[V_DISTURBED], v[V_PREPARE_DISTURBED]);
		disturbed_with(v, unit);
		disturbed_with(v, base);
		store(&v[V_PREPARATION], 1, v[V_PREPARE_CALLS] * v[V_VS_CSR],
		      hypot(spread_of(v, V_PREPARE_CALLS), spread_of(v, V_VS_CSR)));
		for (int k = 0; k < b->o.calls.count; k++)
			speedup(c, &c->record[m], b->o.calls.value[k], &v[V_SPEEDUP + k]);
		/* The fewer rounds count in intervals. */
		v[V_ROUNDS] = fmin(c->v[V_ROUNDS], v[V_PREPARE_ROUNDS]);
	}
	return TOOL_OK;
}

/* Adds a record of an earlier run, of which only the numbers, method, matrix, machine and date are
 * needed. */
static void add(struct bench *b, json_t *o, const char *matrix, const char *method)
{
	const char *unit = "", *machine = "unknown", *date = "unknown";
	struct record r = record_start(RECORD_OURS, "", method);
	struct bench_case *c = b->count ? &b->cases[b->count - 1] : NULL;

	for (int k = 0; k < KEYED; k++) {
		const json_t *value = json_object_get(o, value_key((enum value)k));

		r.v[k] = json_is_number(value) ? json_number_value(value) : NAN;
	}
	/* The records of a matrix are adjacent, so its case is the last one, or new. */
	if (!c || strcmp(c->name, matrix) != 0 ||
	    !(c->v[V_THREADS] == r.v[V_THREADS] || isnan(r.v[V_THREADS]))) {
		c = case_add(b);
		c->name = c->matrix = keep("%s", matrix);
		memcpy(c->v, r.v, sizeof c->v);
		c->group = group_of(r.v[V_ROW_MAX], r.v[V_ROW_MEAN]);
	}
	record_add(c, &r);
	c->v[V_DISTURBED] += (r.v[V_DISTURBED] - c->v[V_DISTURBED]) / c->count;
	json_unpack(o, "{s?s s?s s?s}", "unit", &unit, "machine", &machine, "date", &date);
	b->machine = keep("%s", machine);
	b->date = keep("%s", date);
	b->state = b->commit = NULL;
	b->device.size = strcmp(unit, unit_method(true)) == 0 ? sizeof b->device : 0;
}

static int records_read(struct bench *b, const char *path)
{
	FILE *file = fopen(path, "r");
	int code = TOOL_OK, at = 0;
	json_error_t error;
	json_t *o;

	if (!file)
		return tool_fail(TOOL_INPUT, "%s: cannot be opened", path);
	while (!code && (o = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error))) {
		const char *op, *matrix, *method;

		at++;
		if (json_unpack(o, "{s:s s:s s:s}", "op", &op, "matrix", &matrix, "method",
		                &method) == 0 &&
		    strcmp(op, "spmv") == 0)
			add(b, o, matrix, method);
		else
			code = tool_fail(TOOL_INPUT, "%s: record %d is not one of ek bench spmv",
			                 path, at);
		json_decref(o);
	}
	if (!code && !feof(file))
		code = tool_fail(TOOL_INPUT, "%s: record %d: %s", path, at + 1, error.text);
	if (!code && !at)
		code = tool_fail(TOOL_INPUT, "%s: has no records", path);
	fclose(file);
	return code;
}

static int walk(struct bench *b)
{
	int code;

	if (!b->o.records)
		return walk_matrices(b);
	code = records_read(b, b->o.records);
	for (int k = 0; k < b->count && !code; k++)
		code = case_done(b, &b->cases[k], TOOL_OK);
	return code;
}

/* ---- Tables ---------------------------------------------------------------------------------- */

/* Columns of the table of a group. check() adds two for each number of products, the average and
 * the best speed-up. */
static struct column columns[3 + 2 * MOST_CALLS + 1] = {
	{"method", SUM | LEFT, VALUES, "name", NULL, NULL},
	{"matrices", SUM, V_MATRICES, "%.0f", NULL, NULL},
	{"preparation", SUM, V_PREPARATION, "%.2f", NULL, NULL},
};

/* Sets sum->v[value] to the arithmetic mean, and *most to the largest, of v[value] in the records
 * of a group called sum->name. Returns how many of these have the value. */
static int average(const struct bench *b, int group, struct record *sum, int value, double *most)
{
	double total = 0;
	int count = 0;

	*most = NAN;
	for (const struct bench_case *c = b->cases; c < b->cases + b->count; c++) {
		const struct record *r = in_group(c, group) ? case_record(c, sum->name) : NULL;

		if (!r || isnan(r->v[value]))
			continue;
		*most = fmax(*most, r->v[value]);
		total += r->v[value];
		count++;
	}
	sum->v[value] = count ? total / count : NAN;
	return count;
}

static void sum(const struct bench *b, int group, struct record *sum)
{
	double most;

	sum->v[V_MATRICES] = average(b, group, sum, V_PREPARATION, &most);
	for (int k = 0; k < b->o.calls.count; k++)
		average(b, group, sum, V_SPEEDUP + k, &sum->v[V_MOST_SPEEDUP + k]);
}

static const char *sums_title(const struct bench *b)
{
	(void)b;
	return keep(": speed-up over %s", baseline ? baseline : "plain CSR");
}

static const char legend[] =
	"preparation: time from CSR to a plan, in products of the method itself.\n"
	"avg, best: (n T_csr) / (T_prepare + n T_method), its arithmetic mean and largest value "
	"over the matrices.\n"
	"regular, irregular: groups of Table 8.4; a matrix is irregular if its longest row has "
	"more than 1000 entries and more than ten times the mean.\n";

static void end(const struct bench *b, FILE *out)
{
	table_groups(b, out);
	paragraphs(legend, out);
}

static const char *place(const struct bench *b)
{
	return b->o.baseline;
}

/* ---- The operation --------------------------------------------------------------------------- */

static void check(struct bench_options *o)
{
	if (o->calls.count > MOST_CALLS)
		tool_usage("--calls: at most %d numbers are expected", MOST_CALLS);
	for (int k = 0; k < o->calls.count; k++) {
		columns[3 + 2 * k] =
			(struct column){.head = keep("n=%lld avg", (long long)o->calls.value[k]),
		                        .where = SUM,
		                        .value = V_SPEEDUP + (unsigned)k,
		                        .format = "%.2f"};
		columns[4 + 2 * k] = (struct column){.head = "best",
		                                     .where = SUM,
		                                     .value = V_MOST_SPEEDUP + (unsigned)k,
		                                     .format = "%.2f"};
	}
	check_matrices(o);
}

static const struct argp_child children[] = {{&tool_common_argp, 0, "Common options:", 3},
                                             {&tool_product_argp, 0, "The product:", 2},
                                             {0}};

const struct operation bench_scenario = {
	.name = "scenario",
	.text = "bench spmv for a given number of products, preparation included (--calls 50,500)",
	.help = "Measures as ek bench spmv does and says what each method is worth when its "
		"preparation is paid by so many products.",
	.options = PRODUCT_OPTIONS " sweep calls baseline from",
	.defaults = "time=3 calls=50,500",
	.usage = "[MATRIX...]",
	.children = children,
	.check = check,
	.fields = "op method matrix source group baseline rounds preparation vs_csr speedup "
		  "speedup_p10 speedup_p90 disturbed commit machine state date",
	.json = speedups,
	.problem = "matrices",
	.legend = legend,
	.begin = begin,
	PRODUCT_MEASURED,
	.walk = walk,
	.operation = EK_SPMV,
	.finish = finish,
	.end = end,
	.sum = sum,
	.columns = columns,
	.group_title = sums_title,
	.heading = "Products with their preparation",
	.place = place,
	.layout = "sums",
};
