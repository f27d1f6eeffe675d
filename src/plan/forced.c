/* SPDX-License-Identifier: BSD-3-Clause
 * Reads the environment variable EK_METHOD, which names methods that replace the library's choice.
 * Its value is a list of entries, separated by ";". An entry is "METHOD" or "TARGET=METHOD". The
 * target is an operation, such as "spmv". For a product it may also name the op, as in "spmv.n" or
 * "spmv.t", since few methods do both ops. Parameters of a method follow a colon and contain "="
 * and ",", so a "=" ends the target only if it is before the first colon.
 *
 * The ops are those on A. Whether a method does an op depends on how A is stored, so the plan
 * checks that. If an entry names an op that its method does not do, the plan fails. An entry that
 * names no op is used only for the ops that its method does. */
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"

#define ENTRY "environment variable EK_METHOD: entry \"%.*s\""

typedef struct entry {
	const char *text; /* start of the entry in the value of EK_METHOD */
	int length;
	ek_operation operation;
	bool op[2]; /* whether the entry is for op N, and for op T */
	const char *method;
} entry;

static ek_status refuse(const entry *e, const char *why)
{
	return eki_fail(EK_EINVAL, ENTRY ": %s", e->length, e->text, why);
}

/* Returns the operation with the given name, or 0 if there is none. */
static ek_operation find_operation(const char *name, size_t length)
{
	for (int k = 1; k < EKI_OPERATIONS; k++) {
		const char *known = ek_operation_name((ek_operation)k);

		if (strncmp(known, name, length) == 0 && !known[length])
			return (ek_operation)k;
	}
	return (ek_operation)0;
}

static const char *operation_name(const void *list, size_t k)
{
	(void)list;
	return ek_operation_name((ek_operation)(k + 1));
}

static ek_status unknown_operation(const entry *e)
{
	return eki_fail_list(EK_EINVAL, operation_name, NULL,
	                     ENTRY ": there is no such operation; spmv.n, spmv.t and these exist:",
	                     e->length, e->text);
}

/* Reads the target of an entry: the `length` characters before its "=". */
static ek_status read_target(entry *e, size_t length)
{
	const char *dot = memchr(e->text, '.', length);

	e->op[0] = e->op[1] = true;
	e->operation = find_operation(e->text, dot ? (size_t)(dot - e->text) : length);
	if (e->operation && dot) {
		const char op = dot + 2 == e->text + length ? dot[1] : 0;

		if (!eki_operation_row(e->operation)->matrices || (op != 'n' && op != 't'))
			return unknown_operation(e);
		e->op[op == 'n'] = false;
	}
	return e->operation ? EK_OK : unknown_operation(e);
}

static ek_status read_method(const entry *e, const char *name, eki_forced *to,
                             ek_operation *operation)
{
	char from[340];

	if (strcmp(name, "auto") == 0)
		return EK_OK;
	if (!*name)
		return refuse(e, "auto or the name of a method is expected (ek list methods)");
	snprintf(from, sizeof from, ENTRY ": ", e->length, e->text);
	EK_RETURN_IF(eki_method_parse(from, name, *operation, &to->method, to->param));
	*operation = to->method->operation;
	return EK_OK;
}

static ek_status read_entry(entry *e, eki_forced forced[EKI_OPERATIONS][2],
                            bool given[EKI_OPERATIONS][2])
{
	const size_t before = strcspn(e->text, ":=;");
	eki_forced new = {0};
	char name[256];

	if (e->length == 0)
		return refuse(e, "it is empty; each \";\" stands between two entries");
	if (e->length >= (int)sizeof name)
		return refuse(e, "a method of less than 256 characters is expected");
	e->op[0] = e->op[1] = true;
	e->method = e->text;
	if (e->text[before] == '=') {
		EK_RETURN_IF(read_target(e, before));
		e->method = e->text + before + 1;
	}
	snprintf(name, sizeof name, "%.*s", (int)(e->text + e->length - e->method), e->method);
	EK_RETURN_IF(read_method(e, name, &new, &e->operation));
	new.one_op = e->op[0] != e->op[1];
	for (int op = 0; e->operation && op < 2; op++) {
		if (!e->op[op])
			continue;
		if (given[e->operation][op])
			return refuse(e, "an entry before it is for the same operation");
		given[e->operation][op] = true;
		forced[e->operation][op] = new;
	}
	return EK_OK;
}

enum { TABLE = EKI_OPERATIONS * 2 };

static ek_status read_entries(const char *text, eki_forced forced[EKI_OPERATIONS][2])
{
	bool given[EKI_OPERATIONS][2] = {{false}};

	for (bool more = true; more;) {
		const size_t length = strcspn(text, ";");
		entry e = {.text = text, .length = length < INT16_MAX ? (int)length : INT16_MAX};

		EK_RETURN_IF(read_entry(&e, forced, given));
		more = text[length] == ';';
		text += length + 1;
	}
	return EK_OK;
}

ek_status eki_forced_read(ek_context *ctx)
{
	const char *text = eki_getenv("EK_METHOD");
	void *block;

	if (!text)
		return EK_OK;
	EK_RETURN_IF(eki_calloc(ctx, TABLE, sizeof(eki_forced), &block));
	ctx->forced = block;
	return read_entries(text, block);
}

void eki_forced_free(ek_context *ctx)
{
	eki_free(ctx, ctx->forced, TABLE, sizeof(eki_forced));
	ctx->forced = NULL;
}

const eki_forced *eki_forced_of(const ek_context *ctx, ek_operation operation, ek_op op)
{
	const eki_forced *forced;

	if (!ctx->forced)
		return NULL;
	forced = &ctx->forced[2 * operation + (op == EK_OP_T)];
	return forced->method ? forced : NULL;
}
