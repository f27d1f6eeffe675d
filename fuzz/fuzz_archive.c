/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzzes the reading of compressed files and archives. The input is the file itself, so ordinary
 * files can serve as seeds unchanged. Inputs that are neither compressed nor an archive are
 * ignored; other targets test them. */
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
