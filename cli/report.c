/* SPDX-License-Identifier: BSD-3-Clause
 * Prints messages about failures, each on one line, and chooses exit codes for the library's
 * statuses. Also reads the clock, and formats figures for the user. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "ek.h"

const char *tool_name = "ek";

/* Prints a message on one line, with blanks in place of line breaks. */
static void say(const char *format, va_list args)
{
	char text[2048];

	vsnprintf(text, sizeof text, format, args);
	for (char *c = text; *c; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';
	fflush(stdout);
	fprintf(stderr, "%s: %s\n", tool_name, text);
}

int tool_fail(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	return code;
}

void tool_usage(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	exit(TOOL_USAGE);
}

void tool_remark(const struct tool_options *options, const char *format, ...)
{
	va_list args;

	if (options->quiet)
		return;
	va_start(args, format);
	say(format, args);
	va_end(args);
}

static const struct {
	ek_status status;
	int check, input; /* exit codes of tool_check and tool_input */
} codes[] = {
	{EK_EINVAL, TOOL_USAGE, TOOL_USAGE},
	{EK_ENOMEM, TOOL_FAILED, TOOL_FAILED},
	{EK_ERANGE, TOOL_FAILED, TOOL_INPUT},
	{EK_EOVERFLOW, TOOL_FAILED, TOOL_INPUT},
	{EK_ESYNTAX, TOOL_INPUT, TOOL_INPUT},
	{EK_ETRUNCATED, TOOL_INPUT, TOOL_INPUT},
	{EK_ETRAILING, TOOL_INPUT, TOOL_INPUT},
	{EK_ELIMIT, TOOL_FAILED, TOOL_INPUT},
	{EK_EIO, TOOL_FAILED, TOOL_INPUT},
	{EK_EDEVICE, TOOL_UNSUPPORTED, TOOL_UNSUPPORTED},
	{EK_EUNSUPPORTED, TOOL_UNSUPPORTED, TOOL_UNSUPPORTED},
};

static int code_of(ek_status status, bool input)
{
	for (size_t k = 0; k < sizeof codes / sizeof codes[0]; k++)
		if (codes[k].status == status)
			return input ? codes[k].input : codes[k].check;
	return TOOL_FAILED;
}

static int report(ek_status status, bool input)
{
	const char *text = ek_error_text();

	if (status == EK_OK)
		return TOOL_OK;
	return tool_fail(code_of(status, input), "%s", text[0] ? text : ek_status_text(status));
}

int tool_check(ek_status status)
{
	return report(status, false);
}

/* What the library's messages name, and the tool's options for it. */
static const struct {
	const char *member, *option;
} options[] = {
	{" max_bytes", " --read-max-bytes"}, {" max_ratio", " --read-max-ratio"},
	{" max_dim", " --read-max-dim"},     {"(or allow_nan)", "(or --allow-nan)"},
	{"(or mirror)", "(or --mirror)"},    {"EK_I64 has room", "--index 64 has room"},
};

int tool_input(ek_status status)
{
	const char *text = status == EK_OK ? "" : ek_error_text(), *at = NULL;

	for (size_t k = 0; k < sizeof options / sizeof options[0]; k++)
		if ((at = strstr(text, options[k].member)))
			return tool_fail(code_of(status, true), "%.*s%s%s", (int)(at - text), text,
			                 options[k].option, at + strlen(options[k].member));
	return report(status, true);
}

/* ---- Names ----------------------------------------------------------------------------------- */

static bool differ(char a, char b)
{
	return tolower((unsigned char)a) != tolower((unsigned char)b);
}

/* Returns the least number of insertions, deletions and substitutions of letters that turn one word
 * into the other (Wagner and Fischer 1974). Swapping two neighbouring letters counts as 1. Case is
 * ignored. */
static int distance(const char *a, const char *b)
{
	enum { MOST = 63 };
	int row[3][MOST + 1];
	int la = (int)strnlen(a, MOST), lb = (int)strnlen(b, MOST);

	for (int j = 0; j <= lb; j++)
		row[0][j] = j;
	for (int i = 1; i <= la; i++) {
		int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];

		now[0] = i;
		for (int j = 1; j <= lb; j++) {
			int best = last[j - 1] + differ(a[i - 1], b[j - 1]);

			best = last[j] + 1 < best ? last[j] + 1 : best;
			best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
			if (i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) &&
			    !differ(a[i - 2], b[j - 1]) && before[j - 2] + 1 < best)
				best = before[j - 2] + 1;
			now[j] = best;
		}
	}
	return row[la % 3][lb];
}

/* Tells whether `name` begins with `word`, or ends in a dot and `word`. `word` must have two
 * letters. */
static bool is_part(const char *word, size_t len, const char *name)
{
	const size_t all = strlen(name);

	if (len < 2 || len >= all)
		return false;
	return strncasecmp(word, name, len) == 0 ||
	       (name[all - len - 1] == '.' && strcasecmp(word, name + all - len) == 0);
}

/* Finds the nearest name, which may differ from `word` in about one letter in four. If more
 * letters could differ, any short word would be near any other. */
const char *tool_nearest(const char *word, const char *const *names, int count)
{
	const size_t len = strlen(word);
	int best = len < 6 ? 2 : (int)len / 4 + 1;
	const char *found = NULL;

	for (int k = 0; k < count; k++) {
		int d = distance(word, names[k]);

		if (is_part(word, len, names[k]) && d > 1)
			d = 1;
		if (d < best) {
			best = d;
			found = names[k];
		}
	}
	return found;
}

const char *tool_nearer(const char *word, const char *near, const char *name)
{
	const char *const both[] = {near, name}; /* the first name wins if both are equally near */

	return near ? tool_nearest(word, both, 2) : tool_nearest(word, both + 1, 1);
}

/* ---- Figures --------------------------------------------------------------------------------- */

double tool_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns the value in bytes of the line of /proc/meminfo that begins with `name`, or -1 if it is
 * not known. */
static double memory_line(const char *name)
{
	FILE *file = fopen("/proc/meminfo", "r");
	const size_t len = strlen(name);
	double kilobytes = -1;
	char line[128];

	while (file && kilobytes < 0 && fgets(line, sizeof line, file))
		if (strncmp(line, name, len) == 0)
			kilobytes = atof(line + len);
	if (file)
		fclose(file);
	return kilobytes < 0 ? -1 : 1024 * kilobytes;
}

double tool_memory_free(void)
{
	const double bytes = memory_line("MemAvailable:");

	return bytes < 0 ? -1 : 0.9 * bytes;
}

double tool_memory_all(void)
{
	return memory_line("MemTotal:");
}

const char *tool_processor(char name[TOOL_PROCESSOR])
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	char line[256];

	snprintf(name, TOOL_PROCESSOR, "unknown processor");
	while (file && fgets(line, sizeof line, file)) {
		char *colon = strchr(line, ':');

		if (colon && strncmp(line, "model name", 10) == 0) {
			snprintf(name, TOOL_PROCESSOR, "%s", colon + 1 + strspn(colon + 1, " \t"));
			name[strcspn(name, "\n")] = 0;
			break;
		}
	}
	if (file)
		fclose(file);
	return name;
}

const char *tool_count(char buf[32], int64_t n)
{
	char digits[32];
	int len = snprintf(digits, sizeof digits, "%lld", (long long)n), used = 0;

	for (int k = 0; k < len; k++) {
		if (k > (digits[0] == '-') && (len - k) % 3 == 0)
			buf[used++] = ',';
		buf[used++] = digits[k];
	}
	buf[used] = 0;
	return buf;
}

const char *tool_bytes(char buf[32], double n)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
	size_t k = 0;

	for (; n >= 1024 && k + 1 < sizeof units / sizeof units[0]; k++)
		n /= 1024;
	snprintf(buf, 32, k ? "%.1f %s" : "%.0f %s", n, units[k]);
	return buf;
}

bool tool_color(FILE *stream)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no && no[0]) && term && strcmp(term, "dumb") != 0 && isatty(fileno(stream));
}

void tool_explain(FILE *out, const char *before, const ek_plan *plan)
{
	char text[4096];

	if (ek_plan_explain(plan, text, sizeof text) == EK_OK) {
		fputs(before, out);
		tool_lines(out, text);
	}
}
