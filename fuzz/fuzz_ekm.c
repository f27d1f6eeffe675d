/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzzes the reading of the binary form. Its checksums would reject every mutated file. They are
 * corrected before the file is read, so that the input reaches all other checks. If bit 1 of the
 * first byte is set, the checksums are left as they are. */
#include "harness.h"
#include "io/io.h"

enum { EKM_MORE = 28, EKM_FORMAT = 32, EKM_LEN = 104, EKM_SUMS = 232, EKM_HEADER_SUM = 360 };
enum { EKM_HEADER = 368, EKM_FIRST = 16 }; /* arrays in the first header */
/* The second header: lengths, then checksums, then its own. */
enum { EKM_MORE_SUMS = EKM_HEADER + 192, EKM_MORE_SUM = EKM_HEADER + 384, EKM_MORE_END = 760 };

static void ekm_repair(uint8_t *file, size_t size)
{
	char name[17] = "";
	uint32_t version, value, index, more;
	uint64_t sum;
	size_t at = EKM_HEADER;

	memcpy(&version, file + 8, 4);
	memcpy(&value, file + 16, 4);
	memcpy(&index, file + 20, 4);
	memcpy(&more, file + EKM_MORE, 4);
	memcpy(name, file + EKM_FORMAT, 16);
	const ek_format *f = ek_format_find(name);

	more = more && size >= EKM_MORE_END;
	if (more)
		at = EKM_MORE_END;

	for (int k = 0; f && k < EKI_MAX_ARRAYS && f->array[k].name; k++) {
		const size_t elem =
			eki_elem_size(f->array[k].elem, (ek_value)value, (ek_index)index);
		const int second = k - EKM_FIRST;
		int64_t len;

		if (second >= 0 && !more)
			break;
		memcpy(&len, file + (second < 0 ? EKM_LEN + 8 * k : EKM_HEADER + 8 * second), 8);
		if (len < 0 || len > FUZZ_SMALL || at + (size_t)len * elem > size)
			break;
		sum = eki_checksum(version, file + at, (size_t)len * elem);
		memcpy(file + (second < 0 ? EKM_SUMS + 8 * k : EKM_MORE_SUMS + 8 * second), &sum,
		       8);
		at += (size_t)len * elem;
	}
	if (more) {
		sum = eki_checksum(version, file + EKM_HEADER, EKM_MORE_SUM - EKM_HEADER);
		memcpy(file + EKM_MORE_SUM, &sum, 8);
	}
	sum = eki_checksum(version, file, EKM_HEADER_SUM);
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
	fuzz_read(data[0], file, size - 1, fuzz_accepted);
	free(file);
	return 0;
}
