/* SPDX-License-Identifier: BSD-3-Clause
 * Parses parameters such as "c=8,sigma=64" that follow the name of a format or of a method. */
#include <stdio.h>
#include <string.h>

#include "base/base.h"

static const char *param_name(const void *list, size_t k)
{
	return k < EKI_MAX_DIMS ? ((const ek_format_param *)list)[k].name : NULL;
}

static ek_status no_such_param(const char *owner, const ek_format_param *param, const char *text,
                               size_t length)
{
	return eki_fail_list(EK_EINVAL, param_name, param, "%s has no parameter \"%.*s\"; it has%s",
	                     owner, (int)length, text, param->name ? "" : " none");
}

/* Parses one parameter and its number from `length` characters of text, such as "c=8", and sets the
 * parameter's element of `value`. */
static ek_status set_param(const char *owner, const ek_format_param *param, const char *text,
                           size_t length, int64_t *value)
{
	const char *equals = memchr(text, '=', length);
	size_t key = equals ? (size_t)(equals - text) : length, at = key + 1;
	int64_t number = 0;
	int k = 0;

	while (k < EKI_MAX_DIMS && param[k].name &&
	       !(strncmp(param[k].name, text, key) == 0 && !param[k].name[key]))
		k++;
	if (k == EKI_MAX_DIMS || !param[k].name)
		return no_such_param(owner, param, text, key);
	for (; at < length && text[at] >= '0' && text[at] <= '9' && number < INT64_MAX / 16; at++)
		number = 10 * number + (text[at] - '0');
	if (value[k])
		return eki_fail(EK_EINVAL, "%s: %s is given twice", owner, param[k].name);
	if (at < length || length < key + 2 || number < param[k].min || number > param[k].max)
		return eki_fail(EK_EINVAL,
		                "%s: %s is \"%.*s\"; a whole number from %lld to %lld is expected",
		                owner, param[k].name, length > key ? (int)(length - key - 1) : 0,
		                length > key ? text + key + 1 : "", (long long)param[k].min,
		                (long long)param[k].max);
	value[k] = number ? number : EKI_ZERO;
	return EK_OK;
}

ek_status eki_params_parse(const char *owner, const ek_format_param *param, const char *text,
                           size_t length, int64_t value[])
{
	const char *end = text + length;

	memset(value, 0, EKI_MAX_DIMS * sizeof *value);
	for (size_t n; text <= end; text += n + 1) {
		const char *comma = memchr(text, ',', (size_t)(end - text));

		n = (size_t)((comma ? comma : end) - text);
		EK_RETURN_IF(set_param(owner, param, text, n, value));
	}
	return EK_OK;
}
