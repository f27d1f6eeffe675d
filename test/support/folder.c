/* SPDX-License-Identifier: BSD-3-Clause
 * A folder for files, and a limit for memory. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <unistd.h>

#include "support/folder.h"
#include "support/support.h"

char folder[64], path[128];

int folder_setup(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/ek-test-XXXXXX");
	assert_non_null(mkdtemp(folder));
	heap.limit = 256LL << 20;
	return 0;
}

int folder_teardown(void **state)
{
	(void)state;
	assert_int_equal(rmdir(folder), 0);
	assert_int_equal(atomic_load(&heap.refused), 0);
	heap_close(&heap);
	return 0;
}

const char *in_folder(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}
