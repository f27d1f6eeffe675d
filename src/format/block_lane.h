/* SPDX-License-Identifier: BSD-3-Clause
 * Where the blocks of a lane are (format/block_lanes.h). Included in each pass of
 * base/for_each.h. */

/* Returns the first block of a slice, or the number of blocks if `slice` is one past the last. */
static inline int64_t FN(lanes_start)(const block_lanes *l, int64_t slice)
{
	return l->ptr ? (int64_t)((const PTR *)l->ptr)[slice] : slice * l->height * l->width;
}

/* Returns the number of blocks of each lane of a slice. */
static inline int64_t FN(lanes_width)(const block_lanes *l, int64_t slice)
{
	return (FN(lanes_start)(l, slice + 1) - FN(lanes_start)(l, slice)) / l->height;
}

/* A block row as a lane: its first block, its number of blocks without padding, and the place of
 * the first place of its first block. */
struct FN(block_lane) {
	int64_t block, n, place;
};

static inline struct FN(block_lane) FN(block_lane_of)(const block_lanes *l, int64_t b)
{
	const int64_t start = FN(lanes_start)(l, b / l->height), lane = b % l->height;

	return (struct FN(block_lane)){.block = start + lane,
	                               .n = ((const IDX *)l->len)[b],
	                               .place = start * l->shape.places + lane};
}
