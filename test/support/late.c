/* SPDX-License-Identifier: BSD-3-Clause
 * A driver that copies late (late.h). */
#include "support/late.h"

#ifndef EK_NO_GPU

#include "support/support.h"

enum { COPIES = 64 };

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
} under;

static void note(char call)
{
	const char last = late.count ? late.calls[late.count - 1] : 0;

	if (late.count == LATE_CALLS - 1 || (strchr("LFS", call) && call == last))
		return;
	late.calls[late.count++] = call;
	late.calls[late.count] = 0;
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
	return under.real->send(d, to, offset, from, bytes);
}

static ek_status late_follow(eki_device *d, bool copies)
{
	note(copies ? 'c' : 'k');
	if (!copies)
		EK_RETURN_IF(catch_up(d));
	return under.real->follow(d, copies);
}

static ek_status late_wait(eki_device *d)
{
	EK_RETURN_IF(catch_up(d));
	return under.real->wait(d);
}

static ek_status late_launch(eki_device *d, void *kernel, int64_t groups, int group_size,
                             const eki_arg *args, int count)
{
	note('L');
	return under.real->launch(d, kernel, groups, group_size, args, count);
}

void late_begin(ek_context *ctx)
{
	late.count = under.count = 0;
	under.real = ctx->device->driver;
	under.driver = *under.real;
	under.driver.fetch = late_fetch;
	under.driver.send = late_send;
	under.driver.follow = late_follow;
	under.driver.wait = late_wait;
	under.driver.launch = late_launch;
	ctx->device->driver = &under.driver;
}

void late_end(ek_context *ctx)
{
	ctx->device->driver = under.real;
	assert_int_equal(under.count, 0);
}

#endif
