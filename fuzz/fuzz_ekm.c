/* SPDX-License-Identifier: BSD-3-Clause
 * The binary form. No mutation survives its checksums, so they are made right again unless the first
 * byte says otherwise: then all the other checks must hold. */
#include "harness.h"
#include "io/io.h"

enum { EKM_HEADER = 88, EKM_SUMS = 56, EKM_HEADER_SUM = 80 };

static void ekm_repair(uint8_t *file, size_t size)
{
	static const size_t ptr_size[4] = {0, 4, 8, 8}, idx_size[4] = {0, 4, 4, 8};
	uint32_t value, index;
	int64_t rows, nnz;
	uint64_t sum;
	size_t at = EKM_HEADER, bytes[3];

	memcpy(&value, file + 16, 4);
	memcpy(&index, file + 20, 4);
	memcpy(&rows, file + 32, 8);
	memcpy(&nnz, file + 48, 8);
	if (index >= 1 && index <= 3 && rows >= 0 && nnz >= 0 && rows < FUZZ_SMALL &&
	    nnz < FUZZ_SMALL) {
		bytes[0] = (size_t)(rows + 1) * ptr_size[index];
		bytes[1] = (size_t)nnz * idx_size[index];
		bytes[2] = (size_t)nnz * (value == EK_F32 ? 4 : 8);
		for (int k = 0; k < 3 && at + bytes[k] <= size; at += bytes[k++]) {
			sum = eki_checksum(file + at, bytes[k]);
			memcpy(file + EKM_SUMS + 8 * k, &sum, 8);
		}
	}
	sum = eki_checksum(file, EKM_HEADER_SUM);
	memcpy(file + EKM_HEADER_SUM, &sum, 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	uint8_t *file = malloc(size);

	memcpy(file, data + 1, size - 1);
	if (!(data[0] & 2) && size > EKM_HEADER)
		ekm_repair(file, size - 1);
	fuzz_read(data[0], file, size - 1);
	free(file);
	return 0;
}
