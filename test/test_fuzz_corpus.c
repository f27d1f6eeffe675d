/* SPDX-License-Identifier: BSD-3-Clause
 * Runs the functions of the fuzz targets on all their seeds, in a build without a fuzzer. */
#define _GNU_SOURCE /* memfd_create, for fuzz_dense.c */
#include <dirent.h>

#include "support/support.h"

#define LLVMFuzzerTestOneInput fuzz_mtx
#include "../fuzz/fuzz_mtx.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_archive
int fuzz_archive(const uint8_t *data, size_t size);
#include "../fuzz/fuzz_archive.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_ekm
int fuzz_ekm(const uint8_t *data, size_t size);
#include "../fuzz/fuzz_ekm.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_csr
int fuzz_csr(const uint8_t *data, size_t size);
#include "../fuzz/fuzz_csr.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_convert
int fuzz_convert(const uint8_t *data, size_t size);
#include "../fuzz/fuzz_convert.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_dense
int fuzz_dense(const uint8_t *data, size_t size);
#include "../fuzz/fuzz_dense.c"

static void replay(const char *name, int (*target)(const uint8_t *, size_t))
{
	char folder[512], path[1024];
	int count = 0;

	snprintf(folder, sizeof folder, "%s/fuzz/corpus/%s", EK_SOURCE_DIR, name);
	DIR *d = opendir(folder);

	assert_non_null(d);
	for (struct dirent *e; (e = readdir(d));) {
		static uint8_t data[1 << 20];

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		FILE *f = fopen(path, "rb");

		assert_non_null(f);
		size_t n = fread(data, 1, sizeof data, f);
		uint8_t *exact = malloc(n ? n : 1); /* exact size: a sanitizer finds overruns */

		fclose(f);
		memcpy(exact, data, n);
		assert_int_equal(target(exact, n), 0);
		free(exact);
		count++;
	}
	closedir(d);
	assert_true(count > 0);
}

static void test_corpus(void **state)
{
	(void)state;
	replay("mtx", fuzz_mtx);
	replay("archive", fuzz_archive);
	replay("ekm", fuzz_ekm);
	replay("csr", fuzz_csr);
	replay("convert", fuzz_convert);
	replay("dense", fuzz_dense);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
