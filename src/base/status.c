/* SPDX-License-Identifier: BSD-3-Clause
 * Status codes, and the message of the last failure in this thread. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

static _Thread_local char last_error[EKI_MESSAGE];

ek_status eki_fail(ek_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(last_error, sizeof last_error, format, args);
	va_end(args);
	return status;
}

ek_status eki_fail_list(ek_status status, eki_name_fn *name, const void *list, const char *format,
                        ...)
{
	enum { END = 24 }; /* space kept free for " and N more" */
	char text[sizeof last_error];
	size_t used, k = 0;
	const char *next;
	va_list args;
	int more = 0;

	va_start(args, format); /* writes to `text` first, since an argument may be last_error */
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	used = strlen(text);
	for (; (next = name(list, k)); k++)
		if (!more && used + 1 + strlen(next) + END < sizeof text)
			used += (size_t)snprintf(text + used, sizeof text - used, " %s", next);
		else
			more++;
	return more ? eki_fail(status, "%s and %d more", text, more) : eki_fail(status, "%s", text);
}

const char *ek_error_text(void)
{
	return last_error;
}

static const struct {
	ek_status status;
	const char *text;
} status_text[] = {
	{EK_OK, "success"},
	{EK_EINVAL, "invalid argument"},
	{EK_ENOMEM, "out of memory"},
	{EK_ERANGE, "out of range"},
	{EK_EOVERFLOW, "does not fit its type"},
	{EK_ESYNTAX, "syntax error"},
	{EK_ETRUNCATED, "truncated"},
	{EK_ETRAILING, "trailing data"},
	{EK_ELIMIT, "over a limit"},
	{EK_EIO, "input/output error"},
	{EK_EDEVICE, "device error"},
	{EK_EUNSUPPORTED, "not supported"},
};

const char *ek_status_text(ek_status status)
{
	for (size_t i = 0; i < sizeof status_text / sizeof *status_text; i++)
		if (status_text[i].status == status)
			return status_text[i].text;
	return "unknown status";
}

#define EKI_TEXT2(x) #x
#define EKI_TEXT(x)  EKI_TEXT2(x)

const char *ek_version(void)
{
	return EKI_TEXT(EK_VERSION_MAJOR) "." EKI_TEXT(EK_VERSION_MINOR) "." EKI_TEXT(
		EK_VERSION_PATCH);
}
