/* SPDX-License-Identifier: BSD-3-Clause
 * Tests reading whole files: locale, size, special files, which of several errors is reported,
 * options, memory that runs out, and real matrices where available. Some files are written
 * first. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "plan/plan.h"
#include "io/mtx.h"
#include "support/exhaust.h"
#include "support/folder.h"
#include "support/random.h"
#include "support/support.h"

#define R "%%MatrixMarket matrix coordinate real general\n"
#define P "%%MatrixMarket matrix coordinate pattern general\n"

static ek_status read_text(ek_context *ctx, const char *text, size_t length, ek_matrix **A)
{
	return ek_matrix_read_memory(ctx, "t", text, length, EK_F64, EK_I32, NULL, A);
}

/* Sets the locale `name` and returns its name, or NULL if there is no such locale or it has no
 * decimal comma, as with the C library musl. */
static const char *comma_locale(const char *name)
{
	name = setlocale(LC_ALL, name);
	return name && strcmp(localeconv()->decimal_point, ",") == 0 ? name : NULL;
}

/* Checks that no locale changes the decimal point to a comma (case 32 of the bad inputs). */
static void test_locale(void **state)
{
	static const char *const name[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8"};
	static const char comma[] = R "1 1 1\n1 1 1,5\n";
	static const char slow[] = R "1 1 1\n1 1 2.2250738585072011e-308\n";
	const char *set = NULL;
	char made[128], command[256];
	ek_context *ctx = heap_context(&heap, 1, 0);
	ek_matrix *A;
	ek_view v = {.size = sizeof v};

	(void)state;
	for (int k = 0; k < 4 && !set; k++)
		set = comma_locale(name[k]);
	snprintf(made, sizeof made, "%s/locale", folder);
	assert_int_equal(mkdir(made, 0700), 0);
	if (!set) { /* none is installed, so make one */
		snprintf(command, sizeof command,
		         "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", made);
		if (system(command) >= 0 && setenv("LOCPATH", made, 1) == 0)
			set = comma_locale("de_DE.UTF-8");
	}
	if (!set)
		print_message("  no locale with a decimal comma can be had: only C was tested\n");
	expect_error(read_text(ctx, comma, sizeof comma - 1, &A), EK_ESYNTAX, "1,5");
	expect_status(read_text(ctx, slow, sizeof slow - 1, &A), EK_OK);
	expect_status(ek_matrix_array(A, "val", &v), EK_OK);
	assert_true(*(const double *)v.data == 2.2250738585072011e-308);
	expect_status(ek_matrix_write(A, in_folder("a.mtx"), NULL), EK_OK);
	ek_matrix_destroy(A);
	expect_status(ek_matrix_read(ctx, path, EK_F64, EK_I32, NULL, &A), EK_OK);
	ek_matrix_destroy(A);
	unlink(path);
	setlocale(LC_ALL, "C");
	snprintf(command, sizeof command, "rm -rf %s", made);
	assert_int_equal(system(command), 0);
	ek_context_destroy(ctx);
}

static char *repeat(const char *head, const char *body, int64_t times, size_t *length)
{
	size_t h = strlen(head), b = strlen(body);
	char *text = malloc(h + b * (size_t)times + 1), *p = text;

	memcpy(p, head, h);
	p += h;
	for (int64_t k = 0; k < times; k++, p += b)
		memcpy(p, body, b);
	*length = (size_t)(p - text);
	return text;
}

/* Tests very long lines (case 46 of the bad inputs) and a matrix with a very long row (case 55). */
static void test_large(void **state)
{
	enum { LONG = 10000000 };
	ek_context *ctx = heap_context(&heap, 3, 0);
	size_t length;
	ek_matrix *A;
	char *text, *p;

	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		static const char *const head[] = {R "% ", R "3 3 1\n", R "3 3 1\n1 1 "};

		text = repeat(head[kind], kind == 1 ? "  " : "11", 40 << 20, &length);
		expect_error(read_text(ctx, text, length, &A), EK_ESYNTAX,
		             "longer than 1048576 bytes");
		free(text);
	}
	p = text = malloc((size_t)LONG * 11 + 100);
	p += sprintf(p, "%s1 %d %d\n", P, LONG, LONG);
	for (int k = 1; k <= LONG; k++)
		p += sprintf(p, "1 %d\n", k);
	expect_status(read_text(ctx, text, (size_t)(p - text), &A), EK_OK);
	expect_status(ek_matrix_check(A), EK_OK);
	ek_matrix_destroy(A);
	free(text);
	ek_context_destroy(ctx);
}

/* Checks that pipes are read, and folders and devices refused (case 56 of the bad inputs). */
static void test_files(void **state)
{
	static const char text[] = R "2 2 4611686018427387904\n1 1 1\n";
	ek_context *ctx = heap_context(&heap, 1, 0);
	ek_matrix *A;

	(void)state;
	expect_error(ek_matrix_read(ctx, folder, EK_F64, EK_I32, NULL, &A), EK_EIO,
	             "is a directory");
	expect_error(ek_matrix_read(ctx, "/dev/zero", EK_F64, EK_I32, NULL, &A), EK_EIO,
	             "is a device");
	in_folder("pipe");
	expect_error(ek_matrix_read(ctx, path, EK_F64, EK_I32, NULL, &A), EK_EIO,
	             "cannot be opened");
	expect_error(ek_matrix_read(ctx, "", EK_F64, EK_I32, NULL, &A), EK_EINVAL, "empty");
	assert_int_equal(mkfifo(path, 0600), 0);
	pid_t child = fork();

	if (child == 0) {
		int fd = open(path, O_WRONLY);

		_exit(write(fd, text, sizeof text - 1) < 0);
	}
	/* The length of a pipe is unknown, yet the size line must not cause a large allocation. */
	expect_error(ek_matrix_read(ctx, path, EK_F64, EK_I64, NULL, &A), EK_ETRUNCATED,
	             "pipe:4: the file ends after 1 entries");
	waitpid(child, NULL, 0);
	unlink(path);
	ek_context_destroy(ctx);
}

/* Checks that eki_mtx_expanded refuses more entries than the index type can count (case 44 of the
 * bad inputs), for which a file would be too large. */
static void test_expanded(void **state)
{
	struct mtx_header h = {.symmetry = MTX_SYMMETRIC, .entries = 1100000000};
	int64_t nnz;

	(void)state;
	assert_false(eki_mtx_expanded(&h, 1000, EK_I32, &nnz));
	assert_true(eki_mtx_expanded(&h, 1000, EK_I64_32, &nnz));
	assert_int_equal(nnz, 2199999000);
	h.entries = INT64_MAX / 2 + 1;
	assert_false(eki_mtx_expanded(&h, 0, EK_I64, &nnz));
}

/* Checks that the first of several errors in a file is reported, whichever thread finds it. */
static void test_first_error(void **state)
{
	enum { LINES = 60000 };
	static const int where[][2] = {{59000, 3}, {30000, 30001}, {1, 59999}, {20000, 41000}};
	char *text = malloc(LINES * 24 + 200);
	ek_matrix *A;

	(void)state;
	for (int threads = 1; threads <= 7; threads += 2)
		for (size_t c = 0; c < sizeof where / sizeof *where; c++) {
			ek_context *ctx = heap_context(&heap, threads, 0);
			int first = where[c][0] < where[c][1] ? where[c][0] : where[c][1];
			char *p = text + sprintf(text, "%s9 9 %d\n", R, LINES), expected[64];

			for (int k = 1; k <= LINES; k++)
				p += sprintf(p, "%s%d %d %d.5\n", k % 1000 ? "" : "% comment\n",
				             k == where[c][0] ? 10 : k % 9 + 1,
				             k == where[c][1] ? 0 : k % 8 + 1, k);
			snprintf(expected, sizeof expected,
			         "t:%d: entry %d: ", first + 2 + first / 1000, first);
			expect_error(read_text(ctx, text, (size_t)(p - text), &A), EK_ERANGE,
			             expected);
			p = text + sprintf(text, "%s9 9 %d\n", R, LINES - 5);
			for (int k = 1; k <= LINES; k++)
				p += sprintf(p, "%d %d 1\n", k % 9 + 1, k % 8 + 1);
			snprintf(expected, sizeof expected, "t:%d: entry %d: ", LINES - 2,
			         LINES - 4);
			expect_error(read_text(ctx, text, (size_t)(p - text), &A), EK_ETRAILING,
			             expected);
			ek_context_destroy(ctx);
		}
	free(text);
}

static int stop_at_once(void *user, int64_t done, int64_t total)
{
	*(int64_t *)user = done;
	assert_true(total >= done);
	return 1;
}

static void test_options(void **state)
{
	static const char text[] = R "1 1 1\n1 1 1\n";
	ek_context *ctx = heap_context(&heap, 1, 0);
	int64_t done = 0;
	ek_read_options o = {.size = sizeof o, .max_bytes = 20};
	ek_matrix *A;

	(void)state;
#define READ() ek_matrix_read_memory(ctx, "t", text, sizeof text - 1, EK_F64, EK_I32, &o, &A)
	expect_error(READ(), EK_ELIMIT, "max_bytes = 20");
	o.max_bytes = 0;
	o.progress = stop_at_once;
	o.progress_user = &done;
	expect_error(READ(), EK_ELIMIT, "progress");
	assert_int_equal(done, sizeof text - 1);
	o.progress = NULL;
	o.max_ratio = -1;
	expect_error(READ(), EK_EINVAL, "max_ratio");
	o.max_ratio = 0;
	o.duplicates = 5;
	expect_error(READ(), EK_EINVAL, "duplicates");
	o.size = 3;
	expect_error(READ(), EK_EINVAL, "options.size");
	ek_context_destroy(ctx);
}

/* ---- Out of memory --------------------------------------------------------------------------- */

struct job {
	char text[4096];
	size_t length;
	const ek_matrix *A;
	const char *path;
};

static ek_status call_read(struct exhaust *e)
{
	const struct job *job = e->arg;

	return ek_matrix_read_memory(e->ctx, "t", job->text, job->length, EK_F64, EK_I32, NULL,
	                             (ek_matrix **)&e->out);
}

static ek_status call_read_file(struct exhaust *e)
{
	return ek_matrix_read(e->ctx, ((const struct job *)e->arg)->path, EK_F32, EK_I64, NULL,
	                      (ek_matrix **)&e->out);
}

static void free_matrix(struct exhaust *e)
{
	ek_matrix_destroy(e->out);
}

static ek_status call_write(struct exhaust *e)
{
	const struct job *job = e->arg;

	return ek_matrix_write(job->A, job->path, NULL);
}

static void test_memory(void **state)
{
	static const char *const name[] = {"a.mtx",     "a.mtx.gz", "a.mtx.xz",
	                                   "a.mtx.zst", "a.ekm",    "a.ekm.gz"};
	struct exhaust e = {0};
	struct job job = {.path = path};
	char *p = job.text;

	(void)state;
	p += sprintf(p, "%%%%MatrixMarket matrix coordinate real symmetric\n70 70 141\n");
	for (int k = 0; k < 70; k++) /* makes a long unsorted row with duplicates */
		p += sprintf(p, "70 %d %d\n%d 1 2\n", k * 37 % 70 + 1, k + 1, k + 1);
	p += sprintf(p, "70 1 1\n");
	job.length = (size_t)(p - job.text);
	exhaust_open(&e, 3, &job);
	assert_true(exhaust(&e, "ek_matrix_read_memory", call_read, free_matrix) > 0);
	expect_status(call_read(&e), EK_OK);
	job.A = e.out;
	for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
		in_folder(name[k]);
		if (ek_matrix_write(job.A, path, NULL) == EK_EUNSUPPORTED)
			continue;
		exhaust(&e, name[k], call_write, NULL);
		exhaust(&e, name[k], call_read_file, free_matrix);
		unlink(path);
	}
	ek_matrix_destroy((ek_matrix *)(uintptr_t)job.A);
	exhaust_close(&e);
}

/* ---- Real matrices --------------------------------------------------------------------------- */

static void test_real(void **state)
{
	static const struct {
		const char *name;
		int64_t rows, cols, nnz;
	} real[] = {
		{"494_bus", 494, 494, 1666},
		{"lp_afiro", 27, 51, 102},
		{"karate", 34, 34, 156},
		{"Andrews", 60000, 60000, 760154},
		{"boyd2", 466316, 466316, 1500397},
		{"landmark", 71952, 2704, 1146848},
		{"nw04", 36, 87482, 636666},
		{"bundle1", 10581, 10581, 770901},
		{"bcsstk29", 13992, 13992, 619488},
		{"wave", 156317, 156317, 2118662},
	};
	const char *at = getenv("EK_MATRICES");
	ek_context *ctx = heap_context(&heap, 2, 0);

	(void)state;
	for (size_t k = 0; at && *at && k < sizeof real / sizeof *real; k++) {
		char file[512];
		ek_matrix_info info = {.size = sizeof info};
		ek_matrix *A;

		snprintf(file, sizeof file, "%s/%s.mtx.gz", at, real[k].name);
		if (access(file, R_OK) != 0)
			continue;
		ek_status status = ek_matrix_read(ctx, file, EK_F64, EK_I32, NULL, &A);

		if (status == EK_EUNSUPPORTED)
			continue;
		expect_status(status, EK_OK);
		expect_status(ek_matrix_get_info(A, &info), EK_OK);
		assert_int_equal(info.rows, real[k].rows);
		assert_int_equal(info.cols, real[k].cols);
		assert_int_equal(info.nnz, real[k].nnz);
		expect_status(ek_matrix_check(A), EK_OK);
		ek_matrix_destroy(A);
	}
	ek_context_destroy(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_locale),      cmocka_unit_test(test_large),
		cmocka_unit_test(test_files),       cmocka_unit_test(test_expanded),
		cmocka_unit_test(test_first_error), cmocka_unit_test(test_options),
		cmocka_unit_test(test_memory),      cmocka_unit_test(test_real),
	};

	return run_all_tests(tests, folder_setup, folder_teardown);
}
