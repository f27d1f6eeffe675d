/* SPDX-License-Identifier: BSD-3-Clause
 * The file of a profile: lines of a name and its values, which `ek tune` writes and people may
 * read.
 *
 *   evenkeel profile 1                            format of the file; "evenkeel device profile 1"
 *   version 0.2.0                                 the library that measured
 *   processor AuthenticAMD 25 17 1 AMD EPYC       the processor it ran on; "device" and its name
 *   date 2026-11-25
 *   loads 1                                       1 if x is gathered by loads, else 0; of
 *                                                 processors
 *   memory_gbps 20.5                              a line for each row of tunable.def
 *   loop.rows.f64.avx2 0.9 0.55 8                 ns for a row, for an entry, for a miss
 *   block.f64.avx2 9 0.14 0.5                     ns for a row of blocks, a block, a step
 *
 * The order of the lines after the first does not matter. A profile counts only as a whole: if a
 * line is missing, given twice, unknown or not to be believed, or if it is another version's,
 * another processor's or another device's, nothing of it is used, and the reason is kept for
 * ek_plan_explain. Numbers are read and written without regard to the locale. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "io/io.h"
#include "io/number.h"
#include "tune/tune.h"

enum { MOST_BYTES = 1 << 16, MOST_ROWS = 256 };

/* Words of the file that are others for devices: [0] is for the processor, [1] for a device. */
static const char *const first_line[] = {"evenkeel profile 1", "evenkeel device profile 1"},
			 *const subject_word[] = {"processor", "device"},
			 *const again[] = {"ek tune", "ek tune --device"};

/* What is read of a file. */
typedef struct reading {
	const eki_subject *s;
	const char *path;
	char *why;
	eki_profile *out;
	bool head[4], row[MOST_ROWS]; /* which lines were there */
} reading;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
refuse(const reading *r, const char *format, ...)
{
	va_list args;
	int n = snprintf(r->why, EKI_PROFILE_WHY, "profile %.150s is not used: ", r->path);

	va_start(args, format);
	vsnprintf(r->why + n, (size_t)(EKI_PROFILE_WHY - n), format, args);
	va_end(args);
	return false;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static bool read_version(reading *r, const char *text)
{
	return strcmp(text, ek_version()) == 0 ||
	       refuse(r, "version %.20s measured it, this is %s; run %s", text, ek_version(),
	              again[r->s->device]);
}

static bool read_subject(reading *r, const char *text)
{
	return strcmp(text, r->s->name) == 0 ||
	       refuse(r, "it is for \"%.50s\", this is \"%.50s\"; run %s", text, r->s->name,
	              again[r->s->device]);
}

static bool read_date(reading *r, const char *text)
{
	if (strlen(text) != 10 || strspn(text, "0123456789-") != 10)
		return refuse(r, "date \"%.20s\"; a date such as 2026-11-25 is expected", text);
	snprintf(r->out->name, sizeof r->out->name, "measured %s", text);
	return true;
}

static bool read_loads(reading *r, const char *text)
{
	if (strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
		return refuse(r, "loads is \"%.20s\"; 0 or 1 is expected", text);
	r->out->machine.loads = *text == '1';
	return true;
}

/* Lines in front of the numbers. Only the processor has the last one. */
static const struct {
	const char *name; /* NULL: the word for the subject */
	bool (*read)(reading *r, const char *text);
} heads[] = {{"version", read_version},
             {NULL, read_subject},
             {"date", read_date},
             {"loads", read_loads}};

static int head_count(const eki_subject *s)
{
	return (int)(sizeof heads / sizeof *heads) - s->device;
}

static const char *head_name(const eki_subject *s, int k)
{
	return heads[k].name ? heads[k].name : subject_word[s->device];
}

static bool read_numbers(reading *r, const eki_tunable *row, const char *text)
{
	const bool quick = eki_rounds_to_nearest();
	double *to = eki_tuned(&r->out->machine, row);
	eki_decimal d;

	for (int k = 0; k < row->count; k++) {
		text = *text == ' ' && k > 0 ? text + 1 : text;
		text = eki_take_decimal(text, &d);
		if (!text || (*text && *text != ' ') ||
		    eki_nearest_f64(&d, quick, &to[k]) != EKI_EXACT || !(to[k] >= row->least) ||
		    !(to[k] <= row->most))
			return refuse(r, "%s: value %d is none from %g to %g", row->name, k + 1,
			              row->least, row->most);
	}
	return !*text || refuse(r, "%s has more than %d values", row->name, row->count);
}

/* Marks that a line is there. */
static bool first_time(const reading *r, bool *seen, const char *name)
{
	if (*seen)
		return refuse(r, "%s is there twice", name);
	*seen = true;
	return true;
}

static bool read_line(reading *r, char *line)
{
	char *text = strchr(line, ' ');
	eki_tunable row;

	if (!text)
		return refuse(r, "line \"%.40s\" has no value", line);
	*text++ = 0;
	for (int k = 0; k < head_count(r->s); k++)
		if (strcmp(line, head_name(r->s, k)) == 0)
			return first_time(r, &r->head[k], line) && heads[k].read(r, text);
	for (int k = 0; eki_subject_row(r->s, k, &row); k++)
		if (strcmp(line, row.name) == 0)
			return first_time(r, &r->row[k], line) && read_numbers(r, &row, text);
	return refuse(r, "\"%.40s\" is the name of no number", line);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* Reads the file into `text`, and terminates it for the functions that read numbers. */
static bool load(reading *r, char text[MOST_BYTES + EKI_NUMBER_PAD], bool *missing)
{
	const int saved = errno, fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int64_t used = 0, got = 1;
	struct stat s;

	*missing = fd < 0 && (errno == ENOENT || errno == ENOTDIR);
	if (fd < 0) {
		refuse(r, "%s", *missing ? "there is no such file" : "it cannot be opened");
		errno = saved;
		return false;
	}
	if (fstat(fd, &s) == 0 && S_ISREG(s.st_mode))
		while (got > 0 && used < MOST_BYTES) {
			got = read(fd, text + used, (size_t)(MOST_BYTES - used));
			used += got > 0 ? got : 0;
		}
	close(fd);
	errno = saved;
	memset(text + used, 0, EKI_NUMBER_PAD);
	if (used == 0 || used == MOST_BYTES || got < 0 || (int64_t)strlen(text) != used ||
	    text[used - 1] != '\n')
		return refuse(r, "it is no text file of a profile, or is not complete");
	return true;
}

bool eki_profile_read(const eki_subject *s, const char *path, eki_profile *out, bool *missing,
                      char why[EKI_PROFILE_WHY])
{
	char text[MOST_BYTES + EKI_NUMBER_PAD], *line = text;
	eki_profile new = {.machine = *eki_machine_family()};
	reading r = {.s = s, .path = path, .why = why, .out = &new};
	eki_tunable row;

	if (!load(&r, text, missing))
		return false;
	for (int number = 0; *line; number++) {
		char *end = strchr(line, '\n');

		*end = 0;
		if (number == 0 && strcmp(line, first_line[s->device]) != 0)
			return refuse(&r, "it begins with \"%.40s\", not with \"%s\"", line,
			              first_line[s->device]);
		if (number > 0 && !read_line(&r, line))
			return false;
		line = end + 1;
	}
	for (int k = 0; k < head_count(s); k++)
		if (!r.head[k])
			return refuse(&r, "%s is missing", head_name(s, k));
	for (int k = 0; eki_subject_row(s, k, &row); k++)
		if (!r.row[k])
			return refuse(&r, "%s is missing", row.name);
	*out = new;
	return true;
}

static ek_status put_line(eki_sink *sink, const char *name, const double *value, int count)
{
	char line[64 + EKI_TUNED_MOST * (EKI_NUMBER_MAX + 1)];
	char *to = line + snprintf(line, 64, "%s", name);

	for (int k = 0; k < count; k++) {
		*to++ = ' ';
		to = eki_put_f32(to,
		                 (float)value[k]); /* seven digits are more than were measured */
	}
	*to++ = '\n';
	return eki_sink_write(sink, line, (size_t)(to - line));
}

ek_status eki_profile_write(const ek_context *ctx, const eki_subject *s, const char *path,
                            const eki_profile *p)
{
	char head[320], date[16];
	const time_t now = time(NULL);
	eki_machine m = p->machine;
	eki_tunable row;
	eki_sink *sink;
	struct tm utc;
	ek_status status;

	EK_RETURN_IF(eki_sink_open_plain(ctx, path, &sink));
	gmtime_r(&now, &utc);
	strftime(date, sizeof date, "%Y-%m-%d", &utc);
	const int used = snprintf(head, sizeof head, "%s\nversion %s\n%s %s\ndate %s\n",
	                          first_line[s->device], ek_version(), subject_word[s->device],
	                          s->name, date);

	if (!s->device)
		snprintf(head + used, sizeof head - (size_t)used, "loads %d\n", m.loads);
	EK_TRY(eki_sink_write(sink, head, strlen(head)));
	for (int k = 0; eki_subject_row(s, k, &row); k++)
		EK_TRY(put_line(sink, row.name, eki_tuned(&m, &row), row.count));
done:
	return eki_sink_finish(sink, status);
}
