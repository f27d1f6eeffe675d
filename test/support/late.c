/* SPDX-License-Identifier: BSD-3-Clause
 * A driver that copies late (late.h). */
#include "support/late.h"

#ifndef EK_NO_GPU

#include "support/support.h"

enum { COPIES = 64, HANDLES = 256 };
enum { KERNELS, SECOND, QUEUES }; /* the queue of kernels, and that of copies */

struct late late;

static struct {
	const eki_driver *real;
	eki_driver driver;
	int count;
	struct {
		eki_buffer from;
		int64_t offset, bytes;
		void *to;
	} of[COPIES];
	/* Commands that each queue has got, and how many of these the other one has been told to
	 * wait for. */
	int64_t commands[QUEUES], awaited[QUEUES];
	struct {
		const void *handle;
		int64_t used[QUEUES]; /* number of the last command of each queue that uses it */
	} buffer[HANDLES];
	int handles;
	bool both; /* whether both queues may have used a buffer at the same time */
} under;

static void note(char call)
{
	const char last = late.count ? late.calls[late.count - 1] : 0;

	if (late.count == LATE_CALLS - 1 || (strchr("LFS", call) && call == last))
		return;
	late.calls[late.count++] = call;
	late.calls[late.count] = 0;
}

/* Notes that a command of a queue uses a buffer, which no command of the other queue may be using
 * at the same time. */
static void use(int queue, const eki_buffer *of)
{
	const int other = queue == KERNELS ? SECOND : KERNELS;
	int k = 0;

	if (of->memory != EKI_MEMORY_COPY || !of->device)
		return;
	while (k < under.handles && under.buffer[k].handle != of->device)
		k++;
	assert_true(k < HANDLES);
	if (k == under.handles)
		memset(&under.buffer[under.handles++], 0, sizeof *under.buffer);
	under.buffer[k].handle = of->device;
	under.buffer[k].used[queue] = under.commands[queue];
	if (!under.driver.beside && under.buffer[k].used[other] > under.awaited[other])
		under.both = true;
}

/* Notes that all commands in the queues are done. */
static void forget(void)
{
	memset(under.awaited, 0, sizeof under.awaited);
	memset(under.commands, 0, sizeof under.commands);
	under.handles = 0;
}

static ek_status catch_up(eki_device *d)
{
	for (int k = 0; k < under.count; k++)
		EK_RETURN_IF(under.real->fetch(d, &under.of[k].from, under.of[k].offset,
		                               under.of[k].to, under.of[k].bytes));
	under.count = 0;
	return EK_OK;
}

static ek_status late_fetch(eki_device *d, const eki_buffer *from, int64_t offset, void *to,
                            int64_t bytes)
{
	const int k = under.count++;

	(void)d;
	assert_true(k < COPIES);
	note('F');
	under.commands[SECOND]++;
	use(SECOND, from);
	under.of[k].from = *from;
	under.of[k].offset = offset;
	under.of[k].bytes = bytes;
	under.of[k].to = to;
	return EK_OK;
}

static ek_status late_send(eki_device *d, const eki_buffer *to, int64_t offset, const void *from,
                           int64_t bytes)
{
	note('S');
	under.commands[SECOND]++;
	use(SECOND, to);
	return under.real->send(d, to, offset, from, bytes);
}

static ek_status late_follow(eki_device *d, bool copies)
{
	const int first = copies ? KERNELS : SECOND;

	note(copies ? 'c' : 'k');
	under.awaited[first] = under.commands[first];
	if (!copies)
		EK_RETURN_IF(catch_up(d));
	return under.real->follow(d, copies);
}

static ek_status late_wait(eki_device *d)
{
	EK_RETURN_IF(catch_up(d));
	forget();
	return under.real->wait(d);
}

static ek_status late_launch(eki_device *d, void *kernel, int64_t groups, int group_size,
                             const eki_arg *args, int count)
{
	note('L');
	under.commands[KERNELS]++;
	for (int k = 0; k < count; k++)
		if (args[k].buffer)
			use(KERNELS, args[k].buffer);
	return under.real->launch(d, kernel, groups, group_size, args, count);
}

static ek_status late_copy(eki_device *d, const eki_buffer *to, int64_t to_offset,
                           const eki_buffer *from, int64_t from_offset, int64_t bytes)
{
	under.commands[KERNELS]++;
	use(KERNELS, to);
	use(KERNELS, from);
	return under.real->copy(d, to, to_offset, from, from_offset, bytes);
}

void late_begin(ek_context *ctx)
{
	late.count = under.count = 0;
	under.both = false;
	forget();
	under.real = ctx->device->driver;
	under.driver = *under.real;
	under.driver.fetch = late_fetch;
	under.driver.send = late_send;
	under.driver.follow = late_follow;
	under.driver.wait = late_wait;
	under.driver.launch = late_launch;
	under.driver.copy = late_copy;
	ctx->device->driver = &under.driver;
}

void late_end(ek_context *ctx)
{
	ctx->device->driver = under.real;
	assert_int_equal(under.count, 0);
	if (under.both)
		fail_msg("a buffer is copied while a kernel may be using it");
}

static struct {
	const eki_driver *real;
	eki_driver driver;
} allows;

void beside_begin(ek_context *ctx)
{
	allows.real = ctx->device->driver;
	allows.driver = *allows.real;
	allows.driver.beside = true;
	ctx->device->driver = &allows.driver;
}

void beside_end(ek_context *ctx)
{
	ctx->device->driver = allows.real;
}

#endif
