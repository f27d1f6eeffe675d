/* SPDX-License-Identifier: BSD-3-Clause
 * The environment variable EK_METHOD: which methods replace the library's choice. Entries with ";"
 * between them, each a method, "OPERATION=METHOD", or, of products, which have two ops that few
 * methods do both, "spmv.n=METHOD" and "spmv.t=METHOD". Parameters of a method have "=" and ","
 * behind a colon, so a "=" before the first colon ends what the entry is for.
 *
 * The ops are those of A. Whether a method does one depends on how A is held, so a plan sees that: one
 * that the entry names must be done, without a name it is for those that the method does. */
#include <stdio.h>
#include <string.h>

#include "core/ek_core.h"

#define ENTRY "environment variable EK_METHOD: entry \"%.*s\""

typedef struct entry {
	const char *text; /* in the variable */
	int length;
	ek_operation operation;
	bool op[2]; /* what it is for */
	const char *method;
} entry;

static ek_status refuse(const entry *e, const char *why)
{
	return eki_fail(EK_EINVAL, ENTRY ": %s", e->length, e->text, why);
}

/* An operation of that name; 0: none. */
static ek_operation find_operation(const char *name, size_t length)
{
	for (int k = 1; k < EKI_OPERATIONS; k++) {
		const char *known = ek_operation_name((ek_operation)k);

		if (strncmp(known, name, length) == 0 && !known[length])
			return (ek_operation)k;
	}
	return (ek_operation)0;
}

static ek_status unknown_operation(const entry *e)
{
	char list[256] = "there is no such operation; spmv.n, spmv.t and these exist:";
	size_t used = strlen(list);

	for (int k = 1; k < EKI_OPERATIONS && used < sizeof list; k++)
		used += (size_t)snprintf(list + used, sizeof list - used, " %s",
		                         ek_operation_name((ek_operation)k));
	return refuse(e, list);
}

/* What stands before the "=", of `length` characters. */
static ek_status read_target(entry *e, size_t length)
{
	const char *dot = memchr(e->text, '.', length);

	e->op[0] = e->op[1] = true;
	e->operation = find_operation(e->text, dot ? (size_t)(dot - e->text) : length);
	if (e->operation && dot) {
		const char op = dot + 2 == e->text + length ? dot[1] : 0;

		if (e->operation != EK_SPMV || (op != 'n' && op != 't'))
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

ek_status eki_forced_from_environment(eki_forced forced[EKI_OPERATIONS][2])
{
	const char *text = eki_getenv("EK_METHOD");
	bool given[EKI_OPERATIONS][2] = {{false}};

	for (bool more = text != NULL; more;) {
		const size_t length = strcspn(text, ";");
		entry e = {.text = text, .length = length < INT16_MAX ? (int)length : INT16_MAX};

		EK_RETURN_IF(read_entry(&e, forced, given));
		more = text[length] == ';';
		text += length + 1;
	}
	return EK_OK;
}
