/* SPDX-License-Identifier: BSD-3-Clause
 * Walks the table of the numbers that a profile holds, so that reading, writing and showing them
 * need no list of their own. */
#include <stdio.h>

#include "tune/tune.h"

typedef struct member {
	const char *name;
	size_t offset, size;
	double least, most;
} member;

static const member ones[] = {
#define ONE(member, least, most) \
	{#member, offsetof(eki_machine, member), sizeof(((eki_machine *)0)->member), least, most},
#define LOOP(kind, name)
#define DEVICE(member, least, most)
#define PROCESSOR(member, least, most)
#include "tune/tunable.def"
#undef ONE
#undef LOOP
#undef DEVICE
#undef PROCESSOR
};

static const struct {
	eki_loop loop;
	const char *name;
} loops[] = {
#define ONE(member, least, most)
#define LOOP(kind, name) {EKI_LOOP_##kind, name},
#define DEVICE(member, least, most)
#define PROCESSOR(member, least, most)
#include "tune/tunable.def"
#undef ONE
#undef LOOP
#undef DEVICE
#undef PROCESSOR
};

/* Numbers of a device. Those of processors only come last. */
static const struct {
	member m;
	bool processors;
} devices[] = {
#define MEMBER(member, least, most)                                                                \
	{                                                                                          \
#member, offsetof(eki_machine, member), sizeof(((eki_machine *)0)->member), least, \
			most                                                                       \
	}
#define ONE(member, least, most)
#define LOOP(kind, name)
#define DEVICE(member, least, most)    {MEMBER(member, least, most), false},
#define PROCESSOR(member, least, most) {MEMBER(member, least, most), true},
#include "tune/tunable.def"
#undef MEMBER
#undef ONE
#undef LOOP
#undef DEVICE
#undef PROCESSOR
};

enum {
	ONES = sizeof ones / sizeof *ones,
	LOOPS = sizeof loops / sizeof *loops,
	DEVICES = sizeof devices / sizeof *devices,
	EACH = EK_NVALUE * EK_NLEVEL, /* rows of a loop, and of blocks */
	NUMBERS = 3                   /* numbers of a loop, and of blocks */
};

bool eki_tunable_row(int k, eki_tunable *row)
{
	const double most = 1e4; /* ns that a row or an entry may take */
	const char *const value[EK_NVALUE] = {"f32", "f64"};

	if (k < ONES) {
		*row = (eki_tunable){.offset = ones[k].offset,
		                     .count = (int)(ones[k].size / sizeof(double)),
		                     .least = ones[k].least,
		                     .most = ones[k].most};
		snprintf(row->name, sizeof row->name, "%s", ones[k].name);
		return true;
	}
	k -= ONES;
	if (k >= (LOOPS + 1) * EACH)
		return false;
	const int which = k / EACH, v = k / EK_NLEVEL % EK_NVALUE, level = k % EK_NLEVEL;

	*row = (eki_tunable){.count = NUMBERS, .least = 0, .most = most};
	if (which < LOOPS) {
		row->offset = offsetof(eki_machine, speed) +
		              (size_t)((loops[which].loop * EK_NVALUE + v) * EK_NLEVEL + level) *
		                      sizeof(eki_speed);
		snprintf(row->name, sizeof row->name, "loop.%s.%s.%s", loops[which].name, value[v],
		         ek_isa_name((ek_isa)level));
	} else {
		row->offset = offsetof(eki_machine, block) +
		              (size_t)(v * EK_NLEVEL + level) * sizeof(eki_block_speed);
		snprintf(row->name, sizeof row->name, "block.%s.%s", value[v],
		         ek_isa_name((ek_isa)level));
	}
	return true;
}

bool eki_tunable_device_row(bool processor, int k, eki_tunable *row)
{
	if (k >= DEVICES || (devices[k].processors && !processor))
		return false;
	const member *m = &devices[k].m;
	const bool second = processor && m->size > sizeof(double);

	*row = (eki_tunable){.offset = m->offset + second * sizeof(double),
	                     .count = 1,
	                     .least = m->least,
	                     .most = m->most};
	snprintf(row->name, sizeof row->name, "%s", m->name);
	return true;
}
