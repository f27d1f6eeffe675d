/* SPDX-License-Identifier: BSD-3-Clause
 * Merges on a device by ranks and by networks: what they share (merge_lists.c). Short lists are
 * merged in local memory, a group for each merge; long ones in global memory. */
#ifndef EK_PRIM_GPU_MERGE_LISTS_H
#define EK_PRIM_GPU_MERGE_LISTS_H

#include "prim_gpu/network.h"

/* One call: the lists and the result on the device, and the number of work-items of a group. */
typedef struct eki_gpu_merge {
	eki_job *job;
	const eki_array *a;
	eki_gpu_pair at[3];
	int64_t n; /* pairs of one merge */
	int group, tile;
} eki_gpu_merge;

/* A way to merge: its program, the most pairs of a merge in local memory, and functions for short
 * and for long lists, which are called with the program in use. */
typedef struct eki_gpu_merger {
	const char *name, *text;
	int (*most)(const ek_pairs *kind);
	ek_status (*merge_short)(const eki_gpu_merge *c);
	ek_status (*merge_long)(const eki_gpu_merge *c);
} eki_gpu_merger;

ek_status eki_gpu_merge_run(const eki_step *step, const eki_run *v, const eki_gpu_merger *by);
/* Makes the kernels of a way to merge those of the next launches. */
ek_status eki_gpu_merge_use(const eki_gpu_merge *c, const eki_gpu_merger *by);
/* Launches a kernel whose arguments are `count` numbers, up to 5, and then the arrays. */
ek_status eki_gpu_merge_launch(const eki_gpu_merge *c, const char *kernel, int64_t groups,
                               const eki_arg *numbers, int count);
/* Returns the most pairs of a merge by a network in local memory. */
int eki_gpu_merge_most(const ek_pairs *kind);

/* Describes the network of a call, whose pairs are those of the result. */
eki_gpu_network eki_gpu_merge_network(const eki_gpu_merge *c);
/* Copies long lists to the result, one after the other, the first one in descending order if
 * `turned` is true (merge_network.c). Makes other kernels those of the next launches. */
ek_status eki_gpu_merge_lay(const eki_gpu_merge *c, bool turned);

/* Merges the pairs at[0] and at[1] into at[2] by merge path, with groups of `group` work-items.
 * Lengths, types and the number of merges are those of `a`, which may be a call of another
 * operation; there must be pairs (merge_path.c). */
ek_status eki_gpu_merge_path(eki_job *job, const eki_array *a, int group, const eki_gpu_pair at[3]);

/* The parameter of all methods of merge. */
enum { EKI_GPU_LEAST_GROUP = 32, EKI_GPU_MOST_GROUP = 512 };
#define EKI_GPU_GROUP_PARAM                                       \
	{                                                         \
		"group", EKI_GPU_LEAST_GROUP, EKI_GPU_MOST_GROUP, \
			"work-items of a group, a power of two"   \
	}

#endif
