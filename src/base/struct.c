/* SPDX-License-Identifier: BSD-3-Clause
 * Copies structs of callers that may be compiled with another version of the header. Such a struct
 * may be shorter and lack the last members, or longer and have members that this library does not
 * know. The library always works on its own full struct, and these functions copy between the two.
 * They read and write nothing beyond the size that the caller states.
 *
 * The idea is that of Linux's extensible system calls (copy_struct_from_user, Sarai 2019). */
#include <string.h>

#include "base/base.h"

enum { SIZE_MAX_SANE = 4096 }; /* no struct is larger; a larger size must be uninitialised */

/* Finds the member of struct `type` that begins within the first `size` bytes but ends after them.
 * Returns NULL if there is none. */
static const ek_layout *cut_member(const char *type, size_t size)
{
	const int64_t end = (int64_t)size;

	for (const ek_layout *row = NULL; (row = ek_layout_next(row));)
		if (*row->member && strcmp(row->type, type) == 0 && row->offset < end &&
		    row->offset + row->size > end)
			return row;
	return NULL;
}

/* Checks the size that the caller states for its struct of type `type`. A program states the same
 * size in each call, so the last valid pair of type and size is remembered and accepted at once. */
static ek_status size_check(const char *name, const char *type, size_t size, size_t known)
{
	static _Thread_local const char *right_type;
	static _Thread_local size_t right_size;
	const ek_layout *cut;

	if (type == right_type && size == right_size)
		return EK_OK;
	if (size < sizeof size || size > SIZE_MAX_SANE)
		return eki_fail(EK_EINVAL,
		                "%s.size is %zu; the size of the caller's %s, %zu in this library, "
		                "is expected (%zu to %d)",
		                name, size, type, known, sizeof size, (int)SIZE_MAX_SANE);
	cut = size < known ? cut_member(type, size) : NULL;
	if (cut)
		return eki_fail(EK_EINVAL,
		                "%s.size is %zu, which ends within the member %s of %s (bytes %lld "
		                "to %lld); %zu, the size in this library, or that of another "
		                "version is expected",
		                name, size, cut->member, type, (long long)cut->offset,
		                (long long)(cut->offset + cut->size - 1), known);
	right_type = type;
	right_size = size;
	return EK_OK;
}

ek_status eki_struct_in(const char *name, const char *type, const void *given, void *own,
                        size_t known)
{
	const unsigned char *byte = given;
	size_t size;

	memcpy(&size, given, sizeof size);
	EK_RETURN_IF(size_check(name, type, size, known));
	for (size_t k = known; k < size; k++)
		if (byte[k])
			return eki_fail(EK_EINVAL,
			                "%s.size is %zu, this library knows %zu bytes of %s, and "
			                "byte %zu is %u; behind what is known only zeros are "
			                "accepted (the program asks for what a later version has)",
			                name, size, known, type, k, byte[k]);
	memset(own, 0, known);
	memcpy(own, given, size < known ? size : known);
	/* Sets own->size to the full size, even if the caller's struct was shorter. */
	memcpy(own, &known, sizeof known);
	return EK_OK;
}

ek_status eki_struct_check(const char *name, const char *type, const void *given, size_t known)
{
	size_t size;

	if (!given)
		return eki_fail(EK_EINVAL, "%s is NULL", name);
	memcpy(&size, given, sizeof size);
	return size == known ? EK_OK : size_check(name, type, size, known);
}

void eki_struct_out(const void *own, void *given, size_t known)
{
	size_t size;

	memcpy(&size, given, sizeof size);
	memcpy((char *)given + sizeof size, (const char *)own + sizeof size,
	       (size < known ? size : known) - sizeof size);
	if (size > known)
		memset((char *)given + known, 0, size - known);
}
