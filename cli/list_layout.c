/* SPDX-License-Identifier: BSD-3-Clause
 * ek list layout: lists sizes and offsets of the public structs, for authors of bindings. */
#include "list.h"

void list_layout(ek_context *ctx, struct tool_table *t)
{
	static const char *const names[] = {"type", "member", "offset", "size",
	                                    "kind", "count",  NULL};

	(void)ctx;
	tool_table_start(t, "llrrlr");
	list_header(t, names);
	for (const ek_layout *row = NULL; (row = ek_layout_next(row));) {
		tool_table_add(t, "%s", row->type);
		tool_table_add(t, "%s", row->member);
		tool_table_add(t, "%lld", (long long)row->offset);
		tool_table_add(t, "%lld", (long long)row->size);
		tool_table_add(t, "%s", row->kind);
		tool_table_add(t, "%lld", (long long)row->count);
	}
}
