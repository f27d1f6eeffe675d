/* SPDX-License-Identifier: BSD-3-Clause
 * A folder for files, and a limit on memory. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include <dirent.h>
#include <unistd.h>

#include "support/folder.h"
#include "support/support.h"

char folder[64], path[512];

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

void folder_empty(const char *end)
{
	DIR *dir = opendir(folder);

	assert_non_null(dir);
	for (struct dirent *d; (d = readdir(dir));) {
		const size_t length = strlen(d->d_name), tail = strlen(end);

		if (length > tail && strcmp(d->d_name + length - tail, end) == 0)
			assert_int_equal(unlink(in_folder(d->d_name)), 0);
	}
	closedir(dir);
}

const char *in_folder(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", folder, name);
	return path;
}
