/* SPDX-License-Identifier: BSD-3-Clause
 * Finds methods by the names that callers and EK_METHOD use. A name may be given in full, as in
 * "spmv.csr.merge", or, if that is unambiguous, without the operation, as in "csr.merge".
 * Parameters may follow a colon, as in "csr.speculative.gpu:t=8,w=16". For an unknown name, the
 * error message suggests the name with the smallest Levenshtein distance (1966). If no name is
 * near, the message lists as many names as fit. */
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"

enum { LONGEST = 40 }; /* maximum number of letters compared; all names are shorter */

/* Returns a method's name without the operation. */
static const char *short_name(const ek_method *m)
{
	return m->name + strlen(ek_operation_name(m->operation)) + 1;
}

static bool of(const ek_method *m, ek_operation operation)
{
	return !operation || m->operation == operation;
}

/* Finds the method that the first `length` characters of `text` name. If they could also mean
 * another method, sets *other to that method, else to NULL. */
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
	if (!full || !of(full, operation))
		return found;
	*other = NULL;
	return full;
}

/* Returns the smallest number of letters to change, add or remove so that one word becomes the
 * other. */
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

/* Returns the method whose name is nearest to `word`, or NULL if even the nearest name has more
 * than one wrong letter in four. */
static const ek_method *nearest(const char *word, ek_operation operation)
{
	const ek_method *near = NULL, *m;
	int least = (int)strlen(word) / 4 + 1;

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

static const char *method_name(const void *operation, size_t n)
{
	const ek_method *m;

	for (size_t k = 0; (m = eki_method(k)); k++)
		if (m->operation == *(const ek_operation *)operation && n-- == 0)
			return m->name;
	return NULL;
}

static ek_status of_another(const char *from, const ek_method *m, ek_operation operation)
{
	return eki_fail_list(
		EK_EINVAL, method_name, &operation,
		"%smethod %s is for operation %s, not for %s; auto and these exist:", from, m->name,
		ek_operation_name(m->operation), ek_operation_name(operation));
}

static ek_status unknown(const char *from, const char *text, size_t length, ek_operation operation)
{
	const ek_method *near, *other, *elsewhere = find(text, length, 0, &other);
	char word[LONGEST + 1];

	snprintf(word, sizeof word, "%.*s", length < LONGEST ? (int)length : LONGEST, text);
	if (elsewhere && strcmp(elsewhere->name, word) == 0)
		return of_another(from, elsewhere, operation);
	if ((near = nearest(word, operation)))
		return eki_fail(EK_EINVAL, "%sthere is no method \"%s\"; did you mean %s?", from,
		                word, near->name);
	if (elsewhere && !other)
		return of_another(from, elsewhere, operation);
	if (!operation)
		return eki_fail(
			EK_EINVAL,
			"%sthere is no method \"%s\"; ek list methods (ek_method_next) has all",
			from, word);
	return eki_fail_list(EK_EINVAL, method_name, &operation,
	                     "%sthere is no method \"%s\" for operation %s; auto and these exist:",
	                     from, word, ek_operation_name(operation));
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
	memset(param, 0, EKI_MAX_DIMS * sizeof *param);
	*method = m;
	if (!text[length])
		return EK_OK;
	snprintf(owner, sizeof owner, "%smethod %s", from, m->name);
	text += length + 1;
	return eki_params_parse(owner, m->param, text, strlen(text), param);
}
