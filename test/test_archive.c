/* SPDX-License-Identifier: BSD-3-Clause
 * Tests compressed files and tar archives, good and damaged. Archives are made byte by byte, as
 * gzip streams of uncompressed blocks. Really compressed files come from the library's writer. Each
 * case has a number, which is printed if it fails. */
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/folder.h"
#include "support/packed.h"
#include "support/support.h"

#define TEXT "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1.5\n2 2 -3\n"

static struct bytes gz[3]; /* gzip streams of TEXT, of its first and its second half */
static char logged[512];

static void keep_log(void *user, ek_log_level level, const char *text)
{
	(void)user;
	(void)level;
	snprintf(logged, sizeof logged, "%s", text);
}

static ek_context *context(int threads)
{
	ek_options o = heap_options(&heap, threads);
	ek_context *ctx;

	o.log = keep_log;
	logged[0] = '\0';
	expect_status(ek_context_create(&o, &ctx), EK_OK);
	return ctx;
}

static struct bytes join(struct bytes a, struct bytes b)
{
	struct bytes c = {malloc(a.length + b.length), a.length + b.length};

	memcpy(c.data, a.data, a.length);
	memcpy(c.data + a.length, b.data, b.length);
	return c;
}

static ek_status read_bytes(ek_context *ctx, const void *data, size_t n, int64_t ratio,
                            ek_matrix **A)
{
	ek_read_options o = {.size = sizeof o, .max_ratio = ratio};

	return ek_matrix_read_memory(ctx, "t", data, n, EK_F64, EK_I32, &o, A);
}

static void expect_matrix(ek_context *ctx, const void *data, size_t n)
{
	ek_matrix *A = NULL;
	ek_view v = {.size = sizeof v};

	expect_status(read_bytes(ctx, data, n, 0, &A), EK_OK);
	expect_status(ek_matrix_array(A, "val", &v), EK_OK);
	assert_int_equal(v.len, 2);
	assert_true(((const double *)v.data)[0] == 1.5 && ((const double *)v.data)[1] == -3);
	ek_matrix_destroy(A);
}

static int setup(void **state)
{
	size_t half = sizeof TEXT / 2;

	gz[0] = gzip(TEXT, sizeof TEXT - 1);
	gz[1] = gzip(TEXT, half);
	gz[2] = gzip(&TEXT[half], sizeof TEXT - 1 - half);
	return folder_setup(state);
}

static int teardown(void **state)
{
	for (int k = 0; k < 3; k++)
		free(gz[k].data);
	return folder_teardown(state);
}

static void check(ek_context *ctx, int number, struct bytes b, ek_status status, const char *part)
{
	long live = atomic_load(&heap.live);
	ek_matrix *A = NULL;
	ek_status got = read_bytes(ctx, b.data, b.length, 0, &A);

	if (got != status || !strstr(ek_error_text(), part) ||
	    strncmp(ek_error_text(), "t:", 2) != 0 || A)
		fail_msg("case %d: status %d, message %s", number, (int)got, ek_error_text());
	assert_int_equal(atomic_load(&heap.live), live);
}

static void test_gzip(void **state)
{
	(void)state;
	if (!HAVE_ZLIB)
		skip();
	for (int threads = 1; threads <= 3; threads += 2) {
		ek_context *ctx = context(threads);
		struct bytes b = {malloc(gz[0].length), 0}, two;

		expect_matrix(ctx, gz[0].data, gz[0].length);
		for (size_t n = 3; n < gz[0].length; n++) { /* cases 58, 59: truncated to n bytes */
			memcpy(b.data, gz[0].data, n);
			b.length = n;
			check(ctx, n < gz[0].length - 8 ? 58 : 59, b, EK_ETRUNCATED, "gzip stream");
		}
		memcpy(b.data, gz[0].data, b.length = gz[0].length);
		b.data[b.length - 8] ^= 1;
		check(ctx, 60, b, EK_EIO, "incorrect data check");
		b.data[b.length - 8] ^= 1;
		b.data[b.length - 2] ^= 1;
		check(ctx, 61, b, EK_EIO, "incorrect length check");
		b.data[b.length - 2] ^= 1;
		b.data[20] ^= 1; /* changes the banner: the checksum is tested before the syntax */
		check(ctx, 60, b, EK_EIO, "incorrect data check");
		two = join(gz[1], gz[2]);
		expect_matrix(ctx, two.data, two.length); /* case 62 */
		two.data[gz[1].length - 8] ^= 4;
		check(ctx, 62, two, EK_EIO, "incorrect data check");
		free(two.data);
		two = join(gz[0], (struct bytes){(unsigned char *)"junk", 4});
		check(ctx, 63, two, EK_ETRAILING, "bytes follow the end of the gzip stream");
		free(two.data);
		b.data[3] = 8; /* case 65: the header has a file name without an end */
		memset(b.data + 10, 'n', b.length - 10);
		check(ctx, 65, b, EK_ETRUNCATED, "gzip stream");
		b = (struct bytes){realloc(b.data, 3 << 20), 3 << 20};
		memset(b.data, 'n', b.length);
		memcpy(b.data, "\037\213\010\010\0\0\0\0\0\3", 10);
		check(ctx, 65, b, EK_ELIMIT, "gzip header");
		free(b.data);
		ek_context_destroy(ctx);
	}
}

/* Reads files with more text than the limit (case 64), plain text named .gz (case 66), and damaged
 * gzip, xz and zstd files. */
static void test_files(void **state)
{
	static const char *const name[] = {"a.mtx.gz", "a.mtx.xz", "a.mtx.zst"};
	ek_context *ctx = context(2);
	ek_read_options o = {.size = sizeof o, .max_ratio = 1};
	enum { ROWS = 30000 };
	int32_t *ptr = calloc(ROWS + 1, sizeof *ptr), *col = calloc(ROWS, sizeof *col);
	double *val = calloc(ROWS, sizeof *val);
	ek_matrix *A, *B = NULL;

	(void)state;
	for (int i = 0; i < ROWS; i++) {
		ptr[i + 1] = ROWS;
		val[i] = (double)((uint32_t)i * 2654435761u) * 0x1p-20;
	}
	expect_status(ek_matrix_from_csr(ctx, EK_F64, EK_I32, ROWS, 1, ptr, col, val, 0, &A),
	              EK_OK);
	for (int k = 0; k < 3; k++) {
		if (k == 0 ? !HAVE_ZLIB : !HAVE_ARCHIVE)
			continue;
		expect_status(ek_matrix_write(A, in_folder(name[k]), NULL), EK_OK);
		expect_status(ek_matrix_read(ctx, path, EK_F64, EK_I32, NULL, &B), EK_OK);
		ek_matrix_destroy(B);
		expect_error(ek_matrix_read(ctx, path, EK_F64, EK_I32, &o, &B), EK_ELIMIT,
		             "max_ratio = 1 ");
		FILE *f = fopen(path, "rb");
		struct bytes b = {malloc(1 << 20), 0};

		b.length = fread(b.data, 1, 1 << 20, f);
		fclose(f);
		b.length -= 20;
		check(ctx, 58, b, EK_ETRUNCATED, "");
		b.length += 20;
		b.data[b.length / 2] ^= 0x10;
		B = NULL;
		if (read_bytes(ctx, b.data, b.length, 0, &B) == EK_OK)
			fail_msg("the damaged file %s was read", name[k]);
		assert_null(B);
		free(b.data);
		unlink(path);
	}
	ek_matrix_destroy(A);
	FILE *f = fopen(in_folder("plain.mtx.gz"), "w");

	fputs(TEXT, f);
	fclose(f);
	expect_status(ek_matrix_read(ctx, path, EK_F64, EK_I32, NULL, &A), EK_OK);
	assert_non_null(strstr(logged, "the content is not compressed"));
	ek_matrix_destroy(A);
	unlink(path);
	free(ptr);
	free(col);
	free(val);
	ek_context_destroy(ctx);
}

/* Checks that an archive from a pipe is read once, so that one whose only matrix has an unusual
 * name does not wait for a second writer. */
static void test_pipe(void **state)
{
	if (!HAVE_ARCHIVE || !HAVE_ZLIB)
		skip();
	ek_context *ctx = context(1);
	struct bytes t = {NULL, 0}, z;
	ek_matrix *A = NULL;

	(void)state;
	tar_member(&t, "odd.mtx", '0', TEXT);
	z = tar_end(&t);
	assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
	pid_t child = fork();

	if (child == 0) {
		int fd;

		alarm(60); /* it ends if nobody reads */
		fd = open(path, O_WRONLY);
		_exit(write(fd, z.data, z.length) < 0);
	}
	alarm(30); /* ends the test if it waits */
	expect_error(ek_matrix_read(ctx, path, EK_F64, EK_I32, NULL, &A), EK_EIO,
	             "its members: odd.mtx");
	alarm(0);
	waitpid(child, NULL, 0);
	unlink(path);
	free(z.data);
	ek_context_destroy(ctx);
}

/* Checks that reading a small file takes little memory, even with many threads. */
static void test_threads(void **state)
{
	static const double x[] = {1, 2, 3};
	const ek_read_options o = {.size = sizeof o, .max_bytes = 1000};
	ek_context *ctx = context(64);
	const long long before = atomic_load(&heap.bytes);
	int64_t rows, cols;
	void *y = NULL;
	ek_matrix *A;

	(void)state;
	if (!HAVE_ZLIB) {
		ek_context_destroy(ctx);
		skip();
	}
	expect_status(ek_dense_write(ctx, in_folder("v.mtx.gz"), EK_F64, 3, 1, x), EK_OK);
	atomic_store(&heap.peak, before);
	expect_status(ek_dense_read(ctx, path, EK_F64, &o, &rows, &cols, &y), EK_OK);
	ek_free(ctx, y, sizeof x);
	expect_status(ek_matrix_read(ctx, path, EK_F64, EK_I32, &o, &A), EK_OK);
	ek_matrix_destroy(A);
	assert_true(atomic_load(&heap.peak) - before < 2 << 20);
	unlink(path);
	ek_context_destroy(ctx);
}

/* ---- tar ------------------------------------------------------------------------------------- */

/* Reads an archive whose member ends early. The library first parses the text before the end, so
 * the message has the number of its last line. */
static void test_short_member(void **state)
{
	if (!HAVE_ARCHIVE)
		skip();
	struct bytes t = {NULL, 0};
	ek_context *ctx = context(1);

	(void)state;
	tar_member(&t, "a/a.mtx", '0', TEXT);
	t.length = 512 + sizeof TEXT - 6; /* within the last line */
	check(ctx, 58, t, EK_ETRUNCATED, "t:4: the tar content is damaged: ");
	t.length = 512 + 4;
	check(ctx, 58, t, EK_ETRUNCATED, "t:1: the tar content is damaged: ");
	free(t.data);
	ek_context_destroy(ctx);
}

/* Checks that content compressed twice, or compressed inside an archive, is refused. */
static void test_twice(void **state)
{
	if (!HAVE_ARCHIVE || !HAVE_ZLIB)
		skip();
	ek_context *ctx = context(1);
	struct bytes t = {NULL, 0}, z;

	(void)state;
	z = gzip(gz[0].data, gz[0].length);
	check(ctx, 47, z, EK_EUNSUPPORTED,
	      "t:1: the content is compressed by gzip inside what was unpacked");
	free(z.data);
	tar_member(&t, "a/a.mtx", '0', "BZh91AY&SY");
	z = tar_end(&t);
	check(ctx, 47, z, EK_EUNSUPPORTED, "compressed by bzip2 inside what was unpacked");
	free(z.data);
	ek_context_destroy(ctx);
}

static void test_tar(void **state)
{
	if (!HAVE_ARCHIVE || !HAVE_ZLIB) /* zlib is needed too, as the archives are tar.gz */
		skip();
	struct bytes t = {NULL, 0};
	ek_context *ctx = context(3);
	struct bytes z;

	(void)state;
	tar_member(&t, "HB/", '5', "");
	tar_member(&t, "a/README.mtx", '0', "no matrix\n");
	tar_member(&t, "group/a/a.mtx", '0', TEXT);
	tar_member(&t, "a/a_b.mtx", '0', "no matrix\n");
	z = tar_end(&t);
	expect_matrix(ctx, z.data, z.length);
	z.data[z.length - 8] ^= 1; /* damage after the needed member is found too */
	check(ctx, 60, z, EK_EIO, "incorrect data check");
	z.length -= 600;
	check(ctx, 58, z, EK_ETRUNCATED, "");
	free(z.data);

	tar_member(&t, "a/a.mtx", '0', TEXT);
	t.data[150] ^= 1;
	z = tar_end(&t);
	check(ctx, 67, z, EK_EIO, "tar");
	free(z.data);
	for (int kind = 0; kind < 3; kind++) { /* bad sizes: too large, negative, in base 256 */
		static const char *const size[3] = {
			"777777777777", "-00000000010",
			"\200\377\377\377\377\377\377\377\377\377\377\377"};
		ek_matrix *A = NULL;

		tar_member(&t, "a/a.mtx", '0', TEXT);
		memcpy(t.data + 124, size[kind], 12);
		tar_resum(t.data);
		z = tar_end(&t);
		ek_status status = read_bytes(ctx, z.data, z.length, 0, &A);

		if (status != EK_EOVERFLOW && status != EK_EIO && status != EK_ETRUNCATED &&
		    status != EK_ESYNTAX && status != EK_ETRAILING)
			fail_msg("case 68: status %d, %s", (int)status, ek_error_text());
		assert_null(A);
		free(z.data);
	}
	for (int k = 100; k < 200; k++) { /* more names than fit in the message */
		char name[32];

		snprintf(name, sizeof name, "a/readme%d", k);
		tar_member(&t, name, '0', TEXT);
	}
	z = tar_end(&t);
	check(ctx, 69, z, EK_EIO, "a/readme138, ...");
	free(z.data);
	tar_member(&t, "a/readme", '0', TEXT);
	z = tar_end(&t);
	check(ctx, 69, z, EK_EIO, "no member NAME/NAME.mtx; its members: a/readme");
	free(z.data);
	tar_member(&t, "x.mtx", '0', TEXT);
	tar_member(&t, "y.mtx", '0', TEXT);
	z = tar_end(&t);
	check(ctx, 70, z, EK_EIO, "x.mtx, y.mtx");
	free(z.data);
	tar_member(&t, "x.mtx", '0', TEXT);
	tar_member(&t, "readme", '0', TEXT);
	t.data[1024 + 150] ^= 1; /* what follows x.mtx may be another matrix */
	z = tar_end(&t);
	check(ctx, 72, z, EK_EIO, "tar");
	free(z.data);
	tar_member(&t, "../../x.mtx", '0', TEXT); /* case 71: read, as it is the only member */
	z = tar_end(&t);
	expect_matrix(ctx, z.data, z.length);
	assert_int_equal(access("../../x.mtx", F_OK), -1);
	free(z.data);
	tar_member(&t, "a/a.mtx", '2', "");
	tar_member(&t, "b/b.mtx", '3', "");
	z = tar_end(&t);
	check(ctx, 71, z, EK_EIO, "t:1: member a/a.mtx of the tar archive is a link");
	free(z.data);
	tar_member(&t, "././@LongLink", 'L', "somewhere/a/long/name/a/a.mtx");
	tar_member(&t, "somewhere", '0', TEXT);
	z = tar_end(&t);
	expect_matrix(ctx, z.data, z.length); /* case 72 */
	free(z.data);
	tar_member(&t, "PaxHeader/a", 'x', "24 path=pax/pax/pax.mtx\n");
	tar_member(&t, "a/a.mtx", '0', TEXT);
	z = tar_end(&t);
	expect_matrix(ctx, z.data, z.length);
	free(z.data);
	ek_context_destroy(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gzip),  cmocka_unit_test(test_files),
		cmocka_unit_test(test_tar),   cmocka_unit_test(test_short_member),
		cmocka_unit_test(test_twice), cmocka_unit_test(test_threads),
		cmocka_unit_test(test_pipe),
	};

	return run_all_tests(tests, setup, teardown);
}
