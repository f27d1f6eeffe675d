/* SPDX-License-Identifier: BSD-3-Clause
 * Information about this build of the library: its commit, its compiler, and the parts that a build
 * may leave out. The build system passes the commit as EK_COMMIT. Only this file uses EK_COMMIT, so
 * a new commit recompiles no other file. To add a part, write a function that returns its version,
 * and add a row to the table `feature`. */
#include <string.h>

#ifdef EK_HAVE_ARCHIVE
#include <archive.h>
#endif
#ifdef EK_HAVE_ZLIB
#include <zlib.h>
#endif

#include "io/io.h"

#ifndef EK_COMMIT /* compiled without the build system */
#define EK_COMMIT "unknown"
#endif

#define TEXT2(x) #x
#define TEXT(x)  TEXT2(x)
#if defined(__clang__)
#define COMPILER \
	"clang " TEXT(__clang_major__) "." TEXT(__clang_minor__) "." TEXT(__clang_patchlevel__)
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

ek_status ek_build_get_info(ek_build_info *info)
{
	EK_RETURN_IF(EKI_STRUCT_CHECK("info", ek_build_info, info));
	const ek_build_info all = {.size = sizeof all,
	                           .version = ek_version(),
	                           .commit = EK_COMMIT,
	                           .compiler = COMPILER,
	                           .threads = eki_thread_run_time(),
	                           .isa = eki_isa_compiled(),
	                           .isa_here = eki_cpu_isa()};

	EKI_STRUCT_OUT(ek_build_info, &all, info);
	return EK_OK;
}

/* ---- Features -------------------------------------------------------------------------------- */

#ifdef EK_HAVE_ARCHIVE
/* Returns libarchive's version number: "3.6.2" from "libarchive 3.6.2". */
static const char *archive_number(void)
{
	const char *text = archive_version_string(), *space = strrchr(text, ' ');

	return space ? space + 1 : text;
}

#define LIBARCHIVE archive_number
#else
#define LIBARCHIVE NULL
#endif

#ifdef EK_HAVE_ZLIB
#define ZLIB zlibVersion
#else
#define ZLIB NULL
#endif

#ifndef EK_NO_GPU
static const char *no_number(void)
{
	return "";
}

#define DEVICES no_number
#else
#define DEVICES NULL
#endif

struct ek_feature {
	const char *name, *text;
	const char *(*version)(void); /* NULL if the build leaves the part out */
};

static const ek_feature feature[] = {
	{"openmp", "threads by OpenMP, in place of the library's own", eki_openmp_version},
	{"devices", "methods on devices, by OpenCL and CUDA", DEVICES},
	{"zlib", "files compressed by gzip", ZLIB},
	{"libarchive", "files compressed by xz and zstd, and tar files", LIBARCHIVE},
	{"xxhash", "checksums of the binary form .ekm", eki_xxhash_version},
};

const ek_feature *ek_feature_next(const ek_feature *after)
{
	const ek_feature *next = after ? after + 1 : feature;

	return next < feature + sizeof feature / sizeof *feature ? next : NULL;
}

const char *ek_feature_name(const ek_feature *f)
{
	return f ? f->name : NULL;
}

const char *ek_feature_text(const ek_feature *f)
{
	return f ? f->text : NULL;
}

const char *ek_feature_version(const ek_feature *f)
{
	return f && f->version ? f->version() : NULL;
}
