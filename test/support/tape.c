/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/tape.h"
#include "gpu/gpu.h"
#include "support/support.h"

#ifndef EK_NO_GPU

enum { ARGUMENTS = 48, COMMANDS = 16 };

typedef struct command {
	void *kernel; /* NULL for a copy and for a fill with zeros */
	int64_t groups;
	int group_size, count;
	eki_arg args[ARGUMENTS];
	eki_buffer buffer[ARGUMENTS]; /* those of args; of the copy: to, from; of the fill: to */
	int64_t to, from, bytes;      /* of the copy */
} command;

typedef struct tape {
	int count;
	command list[COMMANDS];
} tape;

static struct {
	const eki_driver *real;
	eki_driver driver;
	tape *on;   /* what is recorded now */
	int counts; /* commands that one counts as */
} taped;

static command *next_command(void)
{
	assert_true(taped.on->count < COMMANDS);
	eki_recording.commands += taped.counts;
	return &taped.on->list[taped.on->count++];
}

static ek_status tape_launch(eki_device *d, void *kernel, int64_t groups, int group_size,
                             const eki_arg *args, int count)
{
	command *c;

	if (!taped.on)
		return taped.real->launch(d, kernel, groups, group_size, args, count);
	c = next_command();
	*c = (command){
		.kernel = kernel, .groups = groups, .group_size = group_size, .count = count};
	for (int k = 0; k < count; k++) {
		c->args[k] = args[k];
		if (args[k].buffer)
			c->buffer[k] = *args[k].buffer;
	}
	return EK_OK;
}

static ek_status tape_copy(eki_device *d, const eki_buffer *to, int64_t to_offset,
                           const eki_buffer *from, int64_t from_offset, int64_t bytes)
{
	if (!taped.on)
		return taped.real->copy(d, to, to_offset, from, from_offset, bytes);
	*next_command() = (command){.count = 2,
	                            .buffer = {*to, *from},
	                            .to = to_offset,
	                            .from = from_offset,
	                            .bytes = bytes};
	return EK_OK;
}

static ek_status tape_clear(eki_device *d, const eki_buffer *buffer)
{
	if (!taped.on)
		return taped.real->clear(d, buffer);
	*next_command() = (command){.count = 1, .buffer = {*buffer}};
	return EK_OK;
}

static ek_status tape_read(eki_device *d, const eki_buffer *from, int64_t offset, void *to,
                           int64_t bytes)
{
	EK_RETURN_IF(eki_not_recording());
	return taped.real->read(d, from, offset, to, bytes);
}

static ek_status tape_write(eki_device *d, const eki_buffer *to, int64_t offset, const void *from,
                            int64_t bytes)
{
	EK_RETURN_IF(eki_not_recording());
	return taped.real->write(d, to, offset, from, bytes);
}

static ek_status tape_wait(eki_device *d)
{
	EK_RETURN_IF(eki_not_recording());
	return taped.real->wait(d);
}

static ek_status tape_map(eki_device *d, eki_buffer *buffer)
{
	EK_RETURN_IF(eki_not_recording());
	return taped.real->map(d, buffer);
}

static ek_status tape_record(eki_device *d)
{
	(void)d;
	taped.on = calloc(1, sizeof *taped.on);
	assert_non_null(taped.on);
	return EK_OK;
}

static ek_status tape_recorded(eki_device *d, void **commands)
{
	(void)d;
	*commands = taped.on;
	taped.on = NULL;
	return EK_OK;
}

static ek_status tape_replay(eki_device *d, void *commands)
{
	tape *t = commands;

	for (int k = 0; k < t->count; k++) {
		command *c = &t->list[k];

		for (int a = 0; a < c->count && c->kernel; a++)
			if (c->args[a].buffer)
				c->args[a].buffer = &c->buffer[a];
		if (c->kernel)
			EK_RETURN_IF(taped.real->launch(d, c->kernel, c->groups, c->group_size,
			                                c->args, c->count));
		else if (c->count == 2)
			EK_RETURN_IF(taped.real->copy(d, &c->buffer[0], c->to, &c->buffer[1],
			                              c->from, c->bytes));
		else
			EK_RETURN_IF(taped.real->clear(d, &c->buffer[0]));
	}
	return EK_OK;
}

static void tape_erase(eki_device *d, void *commands)
{
	(void)d;
	free(commands);
}

bool tape_open(ek_context *ctx, int counts)
{
	taped.real = ctx->device->driver;
	taped.counts = counts;
	if (taped.real->record)
		return false;
	taped.driver = *taped.real;
	taped.driver.launch = tape_launch;
	taped.driver.copy = tape_copy;
	taped.driver.clear = tape_clear;
	taped.driver.read = tape_read;
	taped.driver.write = tape_write;
	taped.driver.wait = tape_wait;
	taped.driver.map = tape_map;
	taped.driver.record = tape_record;
	taped.driver.recorded = tape_recorded;
	taped.driver.replay = tape_replay;
	taped.driver.erase = tape_erase;
	ctx->device->driver = &taped.driver;
	return true;
}

void tape_close(ek_context *ctx)
{
	ctx->device->driver = taped.real;
}

#endif
