/* SPDX-License-Identifier: BSD-3-Clause
 * The context: memory hooks, number of threads, instruction-set limit, log callback.
 *
 * All memory of the library comes from eki_alloc, which calls the caller's memory hooks if there
 * are any. */
#define _GNU_SOURCE /* for secure_getenv */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/mman.h>
#endif

#include "base/base.h"
#include "base/pool.h"

#define HUGE_PAGE   ((size_t)2 << 20)
#define HUGE_FROM   ((size_t)4 << 20)
#define PAGES_FROM  ((size_t)128 << 10)
#define PAGE        ((size_t)4096)

const char *eki_getenv(const char *name)
{
#if defined(__GLIBC__)
	const char *text = secure_getenv(name);
#else
	const char *text = getenv(name);
#endif
	return text && *text ? text : NULL;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Allocates from the C heap. Asks for huge pages if the block is large: with 4 KiB pages, a sparse
 * product spends at least a fifth of its time on address translation. (Measured: one thread reads
 * memory at 19 GB/s with huge pages and at 15 GB/s without them. The gain is far larger if the
 * accesses to x are scattered.)
 *
 * Smaller blocks should get the pages of those that were freed before, since the system clears each
 * new page. glibc maps a block anew unless what it asks for, with what the alignment may take, is
 * less than the pages of the largest mapped block that was freed so far. A block of whole pages is
 * less than one of the same length. */
static void *default_alloc(void *user, size_t alignment, size_t bytes)
{
	size_t unit = bytes >= PAGES_FROM ? PAGE : alignment;

	(void)user;
	if (bytes >= HUGE_FROM)
		unit = alignment = HUGE_PAGE;
	if (bytes > SIZE_MAX - unit)
		return NULL;
	bytes = (bytes + unit - 1) / unit * unit;

	void *block = aligned_alloc(alignment, bytes);

#ifdef MADV_HUGEPAGE
	if (block && alignment == HUGE_PAGE)
		madvise(block, bytes, MADV_HUGEPAGE);
#endif
	return block;
}

void *eki_bare_alloc(size_t bytes)
{
	return malloc(bytes);
}

void eki_bare_free(void *block)
{
	free(block);
}

static void default_dealloc(void *user, void *block, size_t bytes)
{
	(void)user;
	(void)bytes;
	free(block);
}

void eki_heap_default(ek_options *options)
{
	options->alloc = default_alloc;
	options->dealloc = default_dealloc;
}

bool eki_heap_is_default(const ek_context *ctx)
{
	return ctx->options.alloc == default_alloc;
}

ek_status eki_alloc(const ek_context *ctx, int64_t count, size_t size, void **out)
{
	const ek_options *o = &ctx->options;
	void *block = NULL;

	if (count < 0 || (size && (uint64_t)count > (uint64_t)(PTRDIFF_MAX - EKI_ALIGNMENT) / size))
		return eki_fail(
			EK_EOVERFLOW,
			"an array of %lld entries of %zu bytes does not fit the address space",
			(long long)count, size);
	if (count > 0 && size > 0) {
		block = o->alloc(o->user, EKI_ALIGNMENT, (size_t)count * size);
		if (!block)
			return eki_fail(EK_ENOMEM, "no memory for %lld entries of %zu bytes",
			                (long long)count, size);
	}
	*out = block;
	return EK_OK;
}

ek_status eki_calloc(const ek_context *ctx, int64_t count, size_t size, void **out)
{
	EK_RETURN_IF(eki_alloc(ctx, count, size, out));
	if (*out)
		memset(*out, 0, (size_t)count * size);
	return EK_OK;
}

void eki_free(const ek_context *ctx, void *block, int64_t count, size_t size)
{
	if (block)
		ctx->options.dealloc(ctx->options.user, block, (size_t)count * size);
}

struct copy_job {
	char *to;
	const char *from;
	int64_t bytes;
	int parts;
};

static void copy_part(void *arg, int part)
{
	const struct copy_job *job = arg;
	int64_t begin = eki_cut(job->bytes, job->parts, part),
		end = eki_cut(job->bytes, job->parts, part + 1);

	memcpy(job->to + begin, job->from + begin, (size_t)(end - begin));
}

void eki_copy_into(const ek_context *ctx, void *to, const void *from, int64_t count, size_t size)
{
	struct copy_job job = {to, from, count * (int64_t)size, 1};

	if (job.bytes >= (int64_t)1 << 20)
		job.parts = ctx->threads;
	if (job.bytes && to != from)
		eki_parallel(ctx, ctx->threads, job.parts, copy_part, &job);
}

ek_status eki_copy(const ek_context *ctx, const void *from, int64_t count, size_t size, void **out)
{
	void *to;

	EK_RETURN_IF(eki_alloc(ctx, count, size, &to));
	eki_copy_into(ctx, to, from, count, size);
	*out = to;
	return EK_OK;
}

ek_status eki_trim(const ek_context *ctx, void **block, int64_t held, int64_t count, size_t size)
{
	const bool large = (size_t)count * size >= HUGE_FROM, little = held - count <= count;
	void *copy;

	if (held == count || (eki_heap_is_default(ctx) && (large || little)))
		return EK_OK;
	EK_RETURN_IF(eki_copy(ctx, *block, count, size, &copy));
	eki_free(ctx, *block, held, size);
	*block = copy;
	return EK_OK;
}

int eki_parts(const ek_context *ctx, int64_t n)
{
	return n > 2 * ctx->small_work ? ctx->threads : 1;
}

void ek_free(ek_context *ctx, void *block, size_t bytes)
{
	if (ctx && block)
		ctx->options.dealloc(ctx->options.user, block, bytes);
}

/* ---- Options --------------------------------------------------------------------------------- */

void eki_log(const ek_context *ctx, ek_log_level level, const char *format, ...)
{
	char text[512];
	va_list args;

	if (!ctx->options.log)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	ctx->options.log(ctx->options.log_user, level, text);
}

static ek_status threads_from_environment(int *threads)
{
	const char *text = eki_getenv("EK_THREADS");

	if (text) {
		/* Saves errno, which belongs to the caller: strtol changes it on overflow. The
		 * result of strtol is then LONG_MAX, which is refused below. */
		const int saved = errno;
		char *end;
		long n = strtol(text, &end, 10);

		errno = saved;
		if (*end || n < 1 || n > EKI_MAX_THREADS)
			return eki_fail(EK_EINVAL,
			                "environment variable EK_THREADS is \"%s\"; a number from "
			                "1 to %d is expected",
			                text, EKI_MAX_THREADS);
		if (*threads == 0)
			*threads = (int)n;
	}
	if (*threads == 0)
		*threads = eki_default_threads();
	return EK_OK;
}

static ek_status bind_from_environment(bool *bind)
{
	const char *text = eki_getenv("EK_BIND");

	if (text && strcmp(text, "0") != 0 && strcmp(text, "1") != 0)
		return eki_fail(EK_EINVAL,
		                "environment variable EK_BIND is \"%s\"; 0 or 1 is expected", text);
	*bind = text && *text == '1';
	return EK_OK;
}

/* Returns the instruction set of the lower of the two levels that gathers as `limit` does. Of
 * levels of different kinds of processors, scalar is the only one below both. */
static ek_isa limited(ek_isa isa, ek_isa limit)
{
	const ek_isa have = eki_isa_level(isa), most = eki_isa_level(limit);

	if ((have == EK_ISA_NEON) != (most == EK_ISA_NEON))
		return EK_ISA_SCALAR;
	return eki_isa_gather(have < most ? have : most, limit != most);
}

/* Lowers *isa to what EK_ISA allows. Sets *named if EK_ISA is set, since it then says how to
 * gather, too. */
static ek_status isa_from_environment(ek_isa *isa, bool *named)
{
	const char *text = eki_getenv("EK_ISA");

	if (!text)
		return EK_OK;
	for (int k = 0; k < EK_NISA; k++)
		if (strcmp(text, ek_isa_name((ek_isa)k)) == 0) {
			*isa = limited(*isa, (ek_isa)k);
			*named = true;
			return EK_OK;
		}
	return eki_fail(EK_EINVAL,
	                "environment variable EK_ISA is \"%s\"; scalar, avx2, avx512, avx2-loads, "
	                "avx512-loads or neon is expected",
	                text);
}

static ek_status options_check(const ek_options *o)
{
	if (!o->alloc != !o->dealloc)
		return eki_fail(EK_EINVAL, "options.alloc and options.dealloc: give both or none");
	if ((int)o->device_memory < 0 || o->device_memory > EK_MEMORY_SHARED)
		return eki_fail(EK_EINVAL,
		                "options.device_memory is %d; EK_MEMORY_AUTO, EK_MEMORY_COPY, "
		                "EK_MEMORY_MAPPED or EK_MEMORY_SHARED is expected",
		                (int)o->device_memory);
	if (o->threads < 0 || o->threads > EKI_MAX_THREADS)
		return eki_fail(EK_EINVAL, "options.threads is %d; 0 (default) to %d are accepted",
		                o->threads, EKI_MAX_THREADS);
	if (o->isa_limit < 0 || o->isa_limit > EK_NISA)
		return eki_fail(EK_EINVAL,
		                "options.isa_limit is %d; 0 or EK_ISA_LIMIT(...) is expected",
		                o->isa_limit);
	return EK_OK;
}

/* Reads EK_METHOD, EK_CSR5_SIGMA and EK_DEVICE from the environment, and opens the device. */
static ek_status open_all(ek_context *ctx)
{
	const char *device = ctx->options.device ? ctx->options.device : eki_getenv("EK_DEVICE");

	EK_RETURN_IF(eki_forced_read(ctx));
	EK_RETURN_IF(eki_csr5_environment());
	EK_RETURN_IF(eki_device_attach(ctx, device));
	ctx->options.device = NULL; /* the caller may free its string after this call */
	return EK_OK;
}

void eki_context_free(ek_context *ctx)
{
	ek_context old;

	eki_wisdom_free(ctx); /* while a heap that is shared with the device is there */
	eki_device_detach(ctx);
	eki_forced_free(ctx); /* made before there was a device, by the default heap */
	old = *ctx;
	ctx->life.magic = 0;
	eki_free(&old, ctx, 1, sizeof *ctx);
	eki_threads_drop(old.bind);
}

/* Returns the value for ek_context.small_work: a second thread pays if the work takes one thread
 * ten times as long as waking others, and a row or an entry in the caches takes a quarter of a
 * nanosecond. On Zen 5 SELL with two threads takes 0.6 of the time at 13,000 rows and entries. At
 * 6,500 it takes 0.8 if the other thread still spins, but twice the time if it sleeps. `wake` is
 * for the library's own threads, so OpenMP's and those of an executor get the highest limit. */
static int64_t small_work(const ek_options *options, const eki_machine *m)
{
	const double least = 7500, most = 15000;
	const bool own = EKI_POOL && !options->parallel;

	return (int64_t)(own ? fmin(fmax(40 * m->wake, least), most) : most);
}

ek_status ek_context_create(const ek_options *options, ek_context **ctx)
{
	ek_context new = {.life = {EKI_CONTEXT_MAGIC, 1},
	                  .options = {.size = sizeof(ek_options)}};
	bool named = false; /* whether the caller says how to gather */
	void *block = NULL;
	ek_status status;

	if (!ctx)
		return eki_fail(EK_EINVAL, "ctx is NULL");
	if (options) {
		EK_RETURN_IF(EKI_STRUCT_IN("options", ek_options, options, &new.options));
		EK_RETURN_IF(options_check(&new.options));
	}
	new.hooks = new.options.alloc != NULL;
	if (!new.hooks)
		eki_heap_default(&new.options);
	new.threads = new.options.threads;
	EK_RETURN_IF(threads_from_environment(&new.threads));
	EK_RETURN_IF(bind_from_environment(&new.bind));
	new.machine = eki_machine_here();
	new.small_work = small_work(&new.options, new.machine);
	new.isa = eki_cpu_isa();
	if (new.options.isa_limit) {
		new.isa = limited(new.isa, (ek_isa)(new.options.isa_limit - 1));
		named = true;
	}
	EK_RETURN_IF(isa_from_environment(&new.isa, &named));
	if (!named)
		new.isa = eki_isa_gather(new.isa, eki_loads_here(new.isa));
	if (eki_profile_refused())
		eki_log(&new, EK_LOG_WARNING, "%s", eki_profile_refused());
	EK_RETURN_IF(eki_alloc(&new, 1, sizeof new, &block));
	memcpy(block, &new, sizeof new);
	eki_threads_hold(new.bind);
	status = open_all(block);
	if (status == EK_OK)
		*ctx = block;
	else
		eki_context_free(block);
	return status;
}

int ek_context_threads(const ek_context *ctx)
{
	return ctx ? ctx->threads : 0;
}

ek_isa ek_context_isa(const ek_context *ctx)
{
	return ctx ? ctx->isa : EK_ISA_SCALAR;
}
