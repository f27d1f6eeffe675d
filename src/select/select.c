/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/ek_core.h"
ek_status eki_select(const ek_plan *plan, const ek_method **method, char *why, size_t size)
{
	(void)plan;
	(void)why;
	(void)size;
	*method = ek_method_next(NULL);
	return EK_OK;
}
