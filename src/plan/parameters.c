/* SPDX-License-Identifier: BSD-3-Clause
 * The parameters that the method of a plan works with, as text. The text is made with the plan, so
 * that queries return it without a lock. */
#include <stdio.h>

#include "plan/plan.h"

void eki_plan_note_parameters(ek_plan *p)
{
	const eki_step *root = &p->root;
	const ek_format_param *param = root->method->param;
	size_t used = 0;

	for (int k = 0; k < EKI_MAX_DIMS && param[k].name; k++)
		if (root->param[k] && used < sizeof p->parameters)
			used += (size_t)snprintf(p->parameters + used, sizeof p->parameters - used,
			                         "%s%s=%lld", used ? "," : "", param[k].name,
			                         (long long)root->param[k]);
}

const char *ek_plan_parameters(const ek_plan *plan)
{
	if (eki_plan_check(plan) != EK_OK)
		return NULL;
	return plan->trials ? eki_trials_now(plan)->parameters : plan->parameters;
}
