/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzzes the reading of vectors and dense blocks. ek_dense_read reads only from a named file, so
 * the input becomes a file in memory (memfd_create). The first byte chooses the type and the number
 * of threads, the rest is the file. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* declares memfd_create */
#endif
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_memory memory;
	int64_t rows = -1, cols = -1;
	void *v = NULL;
	char path[64];

	if (size == 0)
		return 0;
	const ek_value value = data[0] & 1 ? EK_F32 : EK_F64;
	const int fd = memfd_create("fuzz", 0);

	fuzz_require(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1), "no file");
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	ek_context *ctx = fuzz_context(&memory, data[0] & 2 ? 3 : 1);
	const ek_status status = ek_dense_read(ctx, path, value, NULL, &rows, &cols, &v);

	fuzz_require((status == EK_OK) == (rows >= 0 && cols >= 0), "sizes do not fit the status");
	fuzz_require(status == EK_OK || !v, "a failure with a result");
	fuzz_proportion(&memory, size);
	if (v)
		ek_free(ctx, v, (size_t)(rows * cols) * ek_value_size(value));
	fuzz_close(&memory, ctx);
	close(fd);
	return 0;
}
