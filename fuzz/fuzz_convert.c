/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzzes conversions: reads Matrix Market text and converts the matrix to every format and back. So
 * every conversion meets matrices of unexpected shapes. The first byte chooses options, the rest is
 * the file. */
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0)
		fuzz_read(data[0], data + 1, size - 1, fuzz_formats);
	return 0;
}
