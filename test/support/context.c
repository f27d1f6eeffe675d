/* SPDX-License-Identifier: BSD-3-Clause
 * One context whose memory is counted. */
#include "support/context.h"

struct heap heap = HEAP_INIT;
ek_context *ctx;

int context_setup(void **state)
{
	(void)state;
	ctx = heap_context(&heap, 3, 0);
	return 0;
}

int context_setup_cut(void **state)
{
	(void)state;
	ctx = heap_context_cut(&heap, 3, 0);
	return 0;
}

int context_teardown(void **state)
{
	(void)state;
	ek_context_destroy(ctx);
	heap_close(&heap);
	return 0;
}
