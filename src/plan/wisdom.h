/* SPDX-License-Identifier: BSD-3-Clause
 * Decisions of hints.measure that a context remembers: what was asked, and the method and format
 * that were the fastest (wisdom.c; their file is in tune/wisdom_file.c). Part of plan/plan.h. */
#ifndef EK_PLAN_WISDOM_H
#define EK_PLAN_WISDOM_H

enum { EKI_WISDOM_WORD = 96 };

/* All that a decision depends on. Bytes after the end of a text, and padding, are 0, so that keys
 * are compared and hashed as memory. */
typedef struct eki_wisdom_key {
	/* hashes of the pattern, or of those of all operands, and of the machine's numbers */
	uint64_t pattern, profile;
	/* "0.2.0 AuthenticAMD 25 17 1 AMD EPYC": version of the library, and processor. In a
	 * context with a device followed by "; " and the text of eki_device_identity. */
	char machine[sizeof((eki_wisdom *)0)->machine];
	char operation[24], op[8], value[8], index[8], isa[16];
	int64_t threads, width, memory;
	int64_t digits;               /* number of decimal digits of the announced calls */
	char wanted[EKI_WISDOM_WORD]; /* hints.format, or "-" */
} eki_wisdom_key;

/* A decision. `method`, `format` and `calls` are as in ek_hints. Steps of the plan choose methods
 * of their own by the announced calls, so `calls` are those of the plan that was measured. */
typedef struct eki_decision {
	eki_wisdom_key key;
	int64_t calls;
	char method[EKI_WISDOM_WORD], format[EKI_WISDOM_WORD];
} eki_decision;

/* Fills in the key for a problem, whose first matrix the root step `step` has. Returns false if
 * hints.format, as the caller wrote it, is too long to be remembered. */
bool eki_wisdom_key_of(const eki_step *step, const char *wanted, eki_wisdom_key *key);
/* Writes the name of this machine and the context's device to `machine`. */
void eki_wisdom_machine(const ek_context *ctx, char machine[sizeof((eki_wisdom *)0)->machine]);
/* Finds the decision for a key. Returns false if there is none. */
bool eki_wisdom_find(const ek_context *ctx, const eki_wisdom_key *key, eki_decision *decision);
/* Adds decisions, in place of those with the same keys. After an error nothing has changed. */
ek_status eki_wisdom_add(const ek_context *ctx, const eki_decision *list, int64_t count);
/* Makes a copy of all decisions, *count in number, for eki_free. */
ek_status eki_wisdom_copy(const ek_context *ctx, eki_decision **list, int64_t *count);

#endif
