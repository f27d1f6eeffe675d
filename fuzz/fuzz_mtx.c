/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzzes the reading of Matrix Market text. The first byte chooses options, the rest is the
 * file. */
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0)
		fuzz_read(data[0], data + 1, size - 1, fuzz_accepted);
	return 0;
}
