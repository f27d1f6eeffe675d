/* SPDX-License-Identifier: BSD-3-Clause
 * The file of decisions of hints.measure: lines of words, which people may read and sort by hand.
 *
 *   evenkeel wisdom 1
 *   machine 0.2.0 AuthenticAMD 25 17 1 AMD EPYC      version, processor and device of the next ones
 *   decision 8d1fc04a9b0c27e3 5e0c55a2d81a90f3 spmv n f64 32 avx2 2 1 0 4 - spmv.csr.rows csr 1000
 *   end 1                                            number of decisions
 *
 * The words of a decision are: hash of the pattern, hash of the machine profile, operation, op,
 * types of values and indices, instruction set, threads, width, hints.memory, digits of
 * hints.calls, hints.format or "-"; then the method and the format that were the fastest, and
 * hints.calls. A file counts only as a whole. What stands under this machine's name is checked word
 * by word; what stands under others', only as far as it does not depend on the version. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/io.h"
#include "tune/tune.h"

#define FIRST "evenkeel wisdom 1"

enum { MOST_BYTES = 1 << 28 };

/* A file that is read. `text` ends with a 0. */
typedef struct reading {
	const ek_context *ctx;
	const char *path;
	char *text;
	int64_t bytes, line;
	eki_decision *list;
	int64_t count, capacity;
	char here[sizeof((eki_wisdom *)0)->machine], machine[sizeof((eki_wisdom *)0)->machine];
} reading;

/* ---- Words ----------------------------------------------------------------------------------- */

static ek_status wrong(const reading *r, const char *word, const char *what)
{
	return eki_fail(EK_ESYNTAX, "%s, line %lld: \"%.60s\"; %s is expected", r->path,
	                (long long)r->line, word, what);
}

/* Reads a decimal integer from `least` to `most`. */
static bool integer(const char *word, int64_t least, int64_t most, int64_t *value)
{
	const bool negative = *word == '-';
	const char *digit = word + negative;
	int64_t v = 0;

	if (!*digit || strlen(digit) > 18 + (most == INT64_MAX))
		return false;
	for (; *digit >= '0' && *digit <= '9'; digit++) {
		if (v > (INT64_MAX - (*digit - '0')) / 10)
			return false;
		v = 10 * v + (*digit - '0');
	}
	*value = negative ? -v : v;
	return !*digit && *value >= least && *value <= most;
}

static bool hexadecimal(const char *word, uint64_t *value)
{
	static const char digits[] = "0123456789abcdef";

	*value = 0;
	if (strlen(word) != 16)
		return false;
	for (; *word; word++) {
		const char *at = strchr(digits, *word);

		if (!at)
			return false;
		*value = *value << 4 | (uint64_t)(at - digits);
	}
	return *value != 0;
}

/* Copies a word to a member of a decision. */
static bool copy(const char *word, char *to, size_t size)
{
	const size_t length = strlen(word);

	if (!length || length >= size)
		return false;
	memcpy(to, word, length);
	return true;
}

static ek_operation operation_of(const char *name)
{
	for (int k = 1; k < EKI_OPERATIONS; k++) {
		const eki_operation *o = eki_operation_row((ek_operation)k);

		if (strcmp(o->name, name) == 0)
			return o->number;
	}
	return (ek_operation)0;
}

static bool is_isa(const char *name)
{
	for (int k = 0; k < EK_NISA; k++)
		if (strcmp(ek_isa_name((ek_isa)k), name) == 0)
			return true;
	return false;
}

/* ---- Decisions ------------------------------------------------------------------------------- */

/* The words of a line, in their order: the member of a decision that each is, and what a message
 * says is expected. */
static const struct word {
	enum { HASH, TEXT, NUMBER } kind;
	size_t at, size;
	int64_t least, most; /* of a number */
	const char *what;
} words[] = {
#define MEMBER(m) offsetof(eki_decision, m), sizeof((eki_decision *)0)->m
	{HASH, MEMBER(key.pattern), 0, 0, "a hash of 16 hexadecimal digits"},
	{HASH, MEMBER(key.profile), 0, 0, "a hash of 16 hexadecimal digits"},
	{TEXT, MEMBER(key.operation), 0, 0, "an operation"},
	{TEXT, MEMBER(key.op), 0, 0, "n or t"},
	{TEXT, MEMBER(key.value), 0, 0, "f32 or f64"},
	{TEXT, MEMBER(key.index), 0, 0, "32, 64/32 or 64"},
	{TEXT, MEMBER(key.isa), 0, 0, "an instruction set"},
	{NUMBER, MEMBER(key.threads), 1, EKI_MAX_THREADS, "a number of threads"},
	{NUMBER, MEMBER(key.width), 1, INT64_MAX, "a number of columns"},
	{NUMBER, MEMBER(key.memory), -1, INT64_MAX, "a number of bytes, 0 or -1"},
	{NUMBER, MEMBER(key.digits), 1, 19, "a number of digits"},
	{TEXT, MEMBER(key.wanted), 0, 0, "a format or -"},
	{TEXT, MEMBER(method), 0, 0, "a method"},
	{TEXT, MEMBER(format), 0, 0, "a format"},
	{NUMBER, MEMBER(calls), 1, INT64_MAX, "a number of calls"},
#undef MEMBER
};
enum { WORDS = sizeof words / sizeof *words };

/* Reads a decision as far as it means the same in all versions. */
static ek_status read_words(const reading *r, char *word[WORDS], eki_decision *d)
{
	memset(d, 0, sizeof *d);
	memcpy(d->key.machine, r->machine, sizeof d->key.machine);
	for (int k = 0; k < WORDS; k++) {
		const struct word *w = &words[k];
		void *to = (char *)d + w->at;
		const bool good = w->kind == HASH   ? hexadecimal(word[k], to)
		                  : w->kind == TEXT ? copy(word[k], to, w->size)
		                                    : integer(word[k], w->least, w->most, to);

		if (!good)
			return wrong(r, word[k], w->what);
	}
	return EK_OK;
}

/* Writes a word of a decision, after a space. Returns the length. */
static int write_word(const struct word *w, const eki_decision *d, char *text, size_t size)
{
	const void *from = (const char *)d + w->at;

	switch (w->kind) {
	case HASH: return snprintf(text, size, " %016" PRIx64, *(const uint64_t *)from);
	case TEXT: return snprintf(text, size, " %s", (const char *)from);
	default: return snprintf(text, size, " %" PRId64, *(const int64_t *)from);
	}
}

/* Repeats the message of a failed call with file and line in front. */
static ek_status again(const reading *r, ek_status status)
{
	char why[400];

	if (status == EK_OK)
		return EK_OK;
	snprintf(why, sizeof why, "%s", ek_error_text());
	return eki_fail(EK_ESYNTAX, "%s, line %lld: %s", r->path, (long long)r->line, why);
}

/* Checks the words of a decision for this machine and this version. */
static ek_status check_words(const reading *r, const eki_decision *d)
{
	const eki_wisdom_key *key = &d->key;
	const ek_operation operation = operation_of(key->operation);
	const ek_format *format;
	const ek_method *m;
	int64_t dim[EKI_MAX_DIMS];

	if (!operation || !eki_operation_row(operation)->measured)
		return wrong(r, key->operation, "an operation that has trials");
	if (strcmp(key->op, "n") != 0 && strcmp(key->op, "t") != 0)
		return wrong(r, key->op, "n or t");
	if (strcmp(key->value, "f32") != 0 && strcmp(key->value, "f64") != 0)
		return wrong(r, key->value, "f32 or f64");
	if (strcmp(key->index, "32") != 0 && strcmp(key->index, "64/32") != 0 &&
	    strcmp(key->index, "64") != 0)
		return wrong(r, key->index, "32, 64/32 or 64");
	if (!is_isa(key->isa))
		return wrong(r, key->isa, "an instruction set");
	if (strcmp(key->wanted, "-") != 0)
		EK_RETURN_IF(again(r, eki_format_parse(key->wanted, &format, dim)));
	EK_RETURN_IF(again(r, eki_method_parse("", d->method, operation, &m, dim)));
	EK_RETURN_IF(again(r, eki_format_parse(d->format, &format, dim)));
	format = format == &ek_format_csc ? &ek_format_csr : format;
	if (m->format[0] && m->format[0] != format)
		return wrong(r, d->format, "the format of the method");
	return EK_OK;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static ek_status read_machine(reading *r, const char *text)
{
	memset(r->machine, 0, sizeof r->machine);
	for (const char *c = text; *c; c++)
		if (*c < ' ' || *c > '~')
			return wrong(r, text, "a name of printable characters");
	return copy(text, r->machine, sizeof r->machine)
	               ? EK_OK
	               : wrong(r, text, "a name of at most 159 characters");
}

static ek_status read_decision(reading *r, char *text)
{
	char *word[WORDS];
	eki_decision *d = &r->list[r->count];

	if (!r->machine[0])
		return wrong(r, "decision", "a line that names the machine before it");
	for (int k = 0; k < WORDS; k++) {
		word[k] = text;
		text += strcspn(text, " ");
		if ((*text == 0) != (k == WORDS - 1))
			return wrong(r, word[k], "a line of \"decision\" and 15 words");
		*text++ = 0;
	}
	EK_RETURN_IF(read_words(r, word, d));
	if (strcmp(r->machine, r->here) == 0)
		EK_RETURN_IF(check_words(r, d));
	r->count++;
	return EK_OK;
}

static ek_status read_lines(reading *r)
{
	int64_t count;
	bool ended = false;

	if (!*r->text)
		return eki_fail(EK_ETRUNCATED, "%s is empty; \"" FIRST "\" is expected", r->path);
	for (char *line = r->text, *end; *line; line = end + 1) {
		r->line++;
		end = strchr(line, '\n');
		if (!end)
			return eki_fail(EK_ETRUNCATED, "%s, line %lld: the file ends within it",
			                r->path, (long long)r->line);
		*end = 0;
		if (ended)
			return eki_fail(EK_ETRAILING, "%s, line %lld: there is more after the end",
			                r->path, (long long)r->line);
		if (r->line == 1 && strcmp(line, FIRST) != 0)
			return wrong(r, line, "\"" FIRST "\"");
		if (r->line == 1)
			continue;
		if (strncmp(line, "machine ", 8) == 0)
			EK_RETURN_IF(read_machine(r, line + 8));
		else if (strncmp(line, "decision ", 9) == 0)
			EK_RETURN_IF(read_decision(r, line + 9));
		else if (strncmp(line, "end ", 4) == 0 && integer(line + 4, 0, INT64_MAX, &count) &&
		         count == r->count)
			ended = true;
		else
			return wrong(r, line,
			             "machine, decision, or end with the number of decisions");
	}
	return ended ? EK_OK
	             : eki_fail(EK_ETRUNCATED, "%s, line %lld: the file ends here, without \"end\"",
	                        r->path, (long long)r->line);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static ek_status fault(const reading *r, const char *what)
{
	return eki_fail(EK_EIO, "%s: %s: %s", r->path, what, strerror(errno));
}

static ek_status read_all(reading *r, int fd)
{
	int64_t used = 0;
	struct stat s;
	void *text;

	if (fstat(fd, &s) != 0)
		return fault(r, "it cannot be read");
	if (!S_ISREG(s.st_mode) || s.st_size > MOST_BYTES)
		return eki_fail(EK_EIO, "%s is no file, or larger than %d bytes", r->path,
		                MOST_BYTES);
	EK_RETURN_IF(eki_alloc(r->ctx, s.st_size + 1, 1, &text));
	r->text = text;
	r->bytes = s.st_size + 1;
	while (used < s.st_size) {
		const ssize_t got = read(fd, r->text + used, (size_t)(s.st_size - used));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return fault(r, "it cannot be read");
		if (got == 0)
			break;
		used += got;
	}
	r->text[used] = 0;
	if ((int64_t)strlen(r->text) != used)
		return eki_fail(EK_ESYNTAX, "%s: byte %zu is 0; a text file is expected", r->path,
		                strlen(r->text) + 1);
	return EK_OK;
}

static ek_status open_and_read(reading *r)
{
	const int saved = errno, fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ek_status status = fd < 0 ? fault(r, "it cannot be opened") : read_all(r, fd);

	if (fd >= 0)
		close(fd);
	errno = saved;
	return status;
}

ek_status ek_wisdom_load(ek_context *ctx, const char *path)
{
	reading r = {.ctx = ctx, .path = path};
	void *list;
	ek_status status;

	EK_RETURN_IF(eki_context_check(ctx));
	if (!path)
		return eki_fail(EK_EINVAL, "path is NULL");
	eki_wisdom_machine(ctx, r.here);
	EK_TRY(open_and_read(&r));
	for (const char *line = r.text; (line = strchr(line, '\n')); line++)
		r.capacity++; /* no more decisions than lines */
	EK_TRY(eki_alloc(ctx, r.capacity, sizeof *r.list, &list));
	r.list = list;
	EK_TRY(read_lines(&r));
	status = eki_wisdom_add(ctx, r.list, r.count);
done:
	eki_free(ctx, r.list, r.capacity, sizeof *r.list);
	eki_free(ctx, r.text, r.bytes, 1);
	return status;
}

static ek_status write_decision(eki_sink *sink, const eki_decision *d, const char *machine)
{
	char line[1024];
	int n = 0;

	if (strcmp(machine, d->key.machine) != 0)
		n = snprintf(line, sizeof line, "machine %s\n", d->key.machine);
	n += snprintf(line + n, sizeof line - (size_t)n, "decision");
	for (int k = 0; k < WORDS; k++)
		n += write_word(&words[k], d, line + n, sizeof line - (size_t)n);
	n += snprintf(line + n, sizeof line - (size_t)n, "\n");
	return eki_sink_write(sink, line, (size_t)n);
}

ek_status ek_wisdom_save(ek_context *ctx, const char *path)
{
	eki_decision *list = NULL;
	const char *machine = "";
	char last[48];
	int64_t count;
	eki_sink *sink;
	ek_status status;

	EK_RETURN_IF(eki_context_check(ctx));
	if (!path)
		return eki_fail(EK_EINVAL, "path is NULL");
	EK_RETURN_IF(eki_wisdom_copy(ctx, &list, &count));
	status = eki_sink_open_plain(ctx, path, &sink);
	if (status == EK_OK) {
		status = eki_sink_write(sink, FIRST "\n", strlen(FIRST "\n"));
		for (int64_t k = 0; k < count && status == EK_OK; k++) {
			status = write_decision(sink, &list[k], machine);
			machine = list[k].key.machine;
		}
		snprintf(last, sizeof last, "end %lld\n", (long long)count);
		if (status == EK_OK)
			status = eki_sink_write(sink, last, strlen(last));
		status = eki_sink_finish(sink, status);
	}
	eki_free(ctx, list, count, sizeof *list);
	return status;
}
