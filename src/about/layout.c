/* SPDX-License-Identifier: BSD-3-Clause
 * Sizes and offsets of the public structs, as chosen by the compiler that built the library. A
 * binding for another language compares its own declarations with them. */
#include "base/base.h"

static const ek_layout layout[] = {
#define STRUCT(type) {#type, "", "struct", 0, (int64_t)sizeof(type), 1},
#define ROW(type, name, kind, count) \
	{#type, #name, kind, offsetof(type, name), (int64_t)sizeof(((type *)0)->name), count},
#define MEMBER(type, name, kind) ROW(type, name, kind, 1)
#define ARRAY(type, name, kind) \
	ROW(type, name, kind, (int64_t)(sizeof(((type *)0)->name) / sizeof(*((type *)0)->name)))
#include "about/layout.def"
};

const ek_layout *ek_layout_next(const ek_layout *after)
{
	const ek_layout *next = after ? after + 1 : layout;

	return next < layout + sizeof layout / sizeof *layout ? next : NULL;
}
