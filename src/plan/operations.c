/* SPDX-License-Identifier: BSD-3-Clause
 * The table of operations. Each operation is described in the file of its public function. Plans,
 * the choice of methods, the tool and the tests go through the table. */
#include "plan/plan.h"

#define OPERATION(o) extern const eki_operation o;
#include "plan/operations.def"
#undef OPERATION

static const eki_operation *const table[] = {
#define OPERATION(o) &o,
#include "plan/operations.def"
#undef OPERATION
};

const eki_operation *eki_operation_row(ek_operation number)
{
	for (size_t k = 0; k < sizeof table / sizeof *table; k++)
		if (table[k]->number == number)
			return table[k];
	return NULL;
}

const char *ek_operation_name(ek_operation number)
{
	const eki_operation *o = eki_operation_row(number);

	return o ? o->name : NULL;
}

const char *ek_operation_text(ek_operation number)
{
	const eki_operation *o = eki_operation_row(number);

	return o ? o->text : NULL;
}
