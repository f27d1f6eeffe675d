/* SPDX-License-Identifier: BSD-3-Clause
 * Methods by the names that callers and EK_METHOD give them: in full, "spmv.csr.merge", or without
 * the operation where only one can be meant, "csr.merge", with parameters behind a colon,
 * "csr.speculative.gpu:t=8,w=16". A name that is near to one that exists is answered by that (the
 * distance is that of Levenshtein, 1966), and others by the list of names, as far as it has room. */
#include <stdio.h>
#include <string.h>

#include "core/ek_core.h"

enum { LONGEST = 40 }; /* letters that are compared, more than any name has */

/* A method's name without the operation. */
static const char *short_name(const ek_method *m)
{
	return m->name + strlen(ek_operation_name(m->operation)) + 1;
}

static bool of(const ek_method *m, ek_operation operation)
{
	return !operation || m->operation == operation;
}

/* The one that `length` characters name; *other: another one that they name as well as that. */
static const ek_method *find(const char *text, size_t length, ek_operation operation,
                             const ek_method **other)
{
	const ek_method *full = NULL, *found = NULL, *m;

	*other = NULL;
	for (size_t k = 0; (m = eki_method(k)); k++) {
		const char *name = short_name(m);

		if (strncmp(m->name, text, length) == 0 && !m->name[length])
			full = m;
		if (!of(m, operation) || strncmp(name, text, length) != 0 || name[length])
			continue;
		*other = found;
		found = m;
	}
	if (full && (!found || of(full, operation))) {
		*other = NULL;
		return full;
	}
	return found;
}

/* Letters to change, to add or to leave out, so that one becomes the other. */
static int distance(const char *a, const char *b)
{
	const size_t letters = strlen(b);
	int row[LONGEST + 1];

	for (int j = 0; j <= LONGEST; j++)
		row[j] = j;
	for (int i = 0; i < LONGEST && a[i]; i++) {
		int before = row[0]++;

		for (int j = 0; j < LONGEST && b[j]; j++) {
			const int changed = before + (a[i] != b[j]);

			before = row[j + 1];
			row[j + 1] = 1 + (row[j] < before ? row[j] : before);
			row[j + 1] = changed < row[j + 1] ? changed : row[j + 1];
		}
	}
	return row[letters < LONGEST ? letters : LONGEST];
}

/* One letter in three may be wrong. */
static const ek_method *nearest(const char *word, ek_operation operation)
{
	const ek_method *near = NULL, *m;
	int least = (int)strlen(word) / 3 + 1;

	for (size_t k = 0; (m = eki_method(k)); k++) {
		const int full = distance(word, m->name), part = distance(word, short_name(m));
		const int d = full < part ? full : part;

		if (of(m, operation) && d < least) {
			least = d;
			near = m;
		}
	}
	return near;
}

static ek_status unknown(const char *from, const char *text, size_t length, ek_operation operation)
{
	char word[LONGEST + 1], list[560] = "", end[64] = "";
	size_t used = 0;
	int more = 0;
	const ek_method *m;

	snprintf(word, sizeof word, "%.*s", length < LONGEST ? (int)length : LONGEST, text);
	if ((m = nearest(word, operation)))
		return eki_fail(EK_EINVAL, "%sthere is no method \"%s\"; did you mean %s?", from,
		                word, m->name);
	if (!operation)
		return eki_fail(
			EK_EINVAL,
			"%sthere is no method \"%s\"; ek list methods (ek_method_next) has all",
			from, word);
	for (size_t k = 0; (m = eki_method(k)); k++) {
		if (m->operation != operation)
			continue;
		if (!more && used + 1 + strlen(m->name) < sizeof list)
			used += (size_t)snprintf(list + used, sizeof list - used, " %s", m->name);
		else
			more++;
	}
	if (more)
		snprintf(end, sizeof end, " and %d more (ek_method_next)", more);
	return eki_fail(EK_EINVAL,
	                "%sthere is no method \"%s\" for operation %s; auto and these exist:%s%s",
	                from, word, ek_operation_name(operation), list, end);
}

ek_status eki_method_parse(const char *from, const char *text, ek_operation operation,
                           const ek_method **method, int64_t param[EKI_MAX_DIMS])
{
	const size_t length = strcspn(text, ":");
	const ek_method *other, *m = find(text, length, operation, &other);
	char owner[400];

	if (!m)
		return unknown(from, text, length, operation);
	if (other)
		return eki_fail(EK_EINVAL, "%s\"%.*s\" may be %s or %s; a name in full is expected",
		                from, (int)length, text, other->name, m->name);
	if (!of(m, operation))
		return eki_fail(EK_EINVAL, "%smethod %s is for operation %s, not for %s", from,
		                m->name, ek_operation_name(m->operation),
		                ek_operation_name(operation));
	memset(param, 0, EKI_MAX_DIMS * sizeof *param);
	*method = m;
	if (!text[length])
		return EK_OK;
	snprintf(owner, sizeof owner, "%smethod %s", from, m->name);
	text += length + 1;
	return eki_params_parse(owner, m->param, text, strlen(text), param);
}
