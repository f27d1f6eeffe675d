/* SPDX-License-Identifier: BSD-3-Clause
 * Recognises some kinds of files that are not Matrix Market text, by their first bytes. The message
 * then names the kind of the file, not the place where a parser failed. */
#include <string.h>

#include "io/io.h"

static const struct {
	const char *magic;
	size_t length;
	const char *what;
} kind[] = {
	{"\037\213", 2, "compressed by gzip"},
	{"\3757zXZ\0", 6, "compressed by xz"},
	{"\050\265\057\375", 4, "compressed by zstd"},
	{"BZh", 3, "compressed by bzip2"},
	{"]\0\0", 3, "compressed by lzma"},
	{"LZIP", 4, "compressed by lzip"},
	{"\004\042\115\030", 4, "compressed by lz4"},
	{"\037\235", 2, "compressed by compress"},
	{"x\001", 2, "compressed by zlib"},
	{"x^", 2, "compressed by zlib"},
	{"x\234", 2, "compressed by zlib"},
	{"x\332", 2, "compressed by zlib"},
	{"PK\003\004", 4, "a zip archive"},
	{"7z\274\257\047\034", 6, "a 7z archive"},
	{"\211HDF\r\n\032\n", 8, "an HDF5 file"},
	{"MATLAB 5.0 MAT-file", 19, "a MATLAB file"},
	{"\223NUMPY", 6, "a NumPy file"},
	{"\377\376", 2, "UTF-16 text"},
	{"\376\377", 2, "UTF-16 text"},
};

ek_status eki_content_check(const eki_source *s)
{
	const char *begin = (const char *)s->buffer + s->begin;
	const size_t bytes = s->end - s->begin;

	for (size_t k = 0; k < sizeof kind / sizeof *kind; k++)
		if (bytes >= kind[k].length && memcmp(begin, kind[k].magic, kind[k].length) == 0)
			return eki_fail(
				EK_EUNSUPPORTED,
				"the content is %s%s; accepted are plain text and .ekm, in .gz, "
				".xz, .zst, .tar",
				kind[k].what, s->below ? " inside what was unpacked" : "");
	return EK_OK;
}

bool eki_content_is_ekm(const eki_source *s)
{
	return s->end - s->begin >= 8 && memcmp(s->buffer + s->begin, EKI_EKM_MAGIC, 8) == 0;
}
