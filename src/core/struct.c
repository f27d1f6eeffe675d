/* SPDX-License-Identifier: BSD-3-Clause
 * Structs of callers that were compiled with another version of the header: shorter ones, which lack
 * the last members, and longer ones, which have some that are not known here. Whatever the library
 * does with a struct of a caller, it does with its own full one, and these functions copy between
 * both. Nothing is read or written beyond the size that the caller states.
 *
 * The idea is that of Linux's extensible system calls (copy_struct_from_user, Sarai 2019). */
#include <string.h>

#include "core/ek_core.h"

enum { SIZE_MAX_SANE = 4096 }; /* no struct will grow beyond: more is memory that nobody set */

/* The member of the struct that its first `size` bytes cut in two, or NULL. */
static const ek_layout *cut_member(const char *type, size_t size)
{
	const int64_t end = (int64_t)size;

	for (const ek_layout *row = NULL; (row = ek_layout_next(row));)
		if (*row->member && strcmp(row->type, type) == 0 && row->offset < end &&
		    row->offset + row->size > end)
			return row;
	return NULL;
}

/* What the caller's `size` may be, for reading and for writing. */
static ek_status size_check(const char *name, const char *type, size_t size, size_t known)
{
	const ek_layout *cut;

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
	memcpy(own, &known, sizeof known); /* from here on it is a full one */
	return EK_OK;
}

ek_status eki_struct_room(const char *name, const char *type, const void *given, size_t known)
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
