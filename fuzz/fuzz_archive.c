/* SPDX-License-Identifier: BSD-3-Clause
 * Compressed files and archives: the input is the file, so that sample files serve as they are.
 * Inputs that are neither compressed nor an archive are left to the other targets. */
#include "harness.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const magic[] = {"\037\213", "\3757zX", "\050\265\057\375"};
	int known = size > 262 && memcmp(data + 257, "ustar", 5) == 0;

	for (int k = 0; k < 3; k++)
		known |= size > 4 && memcmp(data, magic[k], k ? 4 : 2) == 0;
	if (known)
		fuzz_read(0, data, size, fuzz_accepted);
	return 0;
}
