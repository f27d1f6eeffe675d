/* SPDX-License-Identifier: BSD-3-Clause
 * The lists of `ek list`: list.c has those of the library's tables, list_layout.c the long one of
 * structs, list_devices.c that of what this machine has. */
#ifndef EK_TOOL_LIST_H
#define EK_TOOL_LIST_H

#include "ek.h"

void list_header(struct tool_table *t, const char *const *names);

void list_layout(ek_context *ctx, struct tool_table *t);
void list_devices(ek_context *ctx, struct tool_table *t);
void list_devices_json(json_t *record);
/* Devices that fail to describe themselves, by name and with the reason: an error. And what each
 * driver has, or what it lacks: a remark. */
int list_devices_rest(const struct tool_options *options);

#endif
