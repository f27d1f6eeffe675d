/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/fast.h"

#include <string.h>

static eki_machine machine;

void make_fast(ek_context *ctx, eki_loop loop)
{
	machine = *eki_machine_fixed();
	for (int k = 0; k < EKI_LOOPS; k++)
		for (int value = 0; value < EK_NVALUE; value++)
			for (int level = 0; level < EK_NLEVEL; level++)
				machine.speed[k][value][level].entry = 100;
	if (loop == EKI_LOOPS)
		memset(machine.block, 0, sizeof machine.block);
	else
		memset(machine.speed[loop], 0, sizeof machine.speed[loop]);
	ctx->machine = &machine;
}
