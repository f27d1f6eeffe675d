/* SPDX-License-Identifier: BSD-3-Clause
 * Descriptions of processors, from which the times of methods are predicted.
 *
 * "xeon" was measured by `ek tune` on an Intel Xeon of family 6, model 207 (2 MiB of second-level
 * cache a core), gathering by instructions: medians of six profiles (of STRICT, SLICES,
 * pattern_run and blocks: of three), taken while the machine was quiet (2026-11-27). `ek tune` does
 * not measure core_bytes, x_share, learned_rows, run_length and `overlap`. With 0.7 the chosen
 * methods took 5 % more time than the best over 76 real matrices, with 0.2 they took 7 %; over 15
 * twins, 13 and 14 %. The table is used for all 64-bit x86 processors except AMD's. Bandwidths of
 * all threads are left out of all tables, since the machines had two processors only.
 *
 * "zen" was measured by `ek tune` on an AMD EPYC with Zen 4, gathering by loads at AVX2 and
 * AVX-512: medians of three profiles, taken while the machine was quiet (2026-11-25). "zen5" was
 * measured in the same way on an AMD EPYC with Zen 5 (2026-11-27); it is for AMD's family 26 and
 * later ones, "zen" for the others. What `ek tune` measures since then was not measured on them:
 * their `tile` and run_length were fitted to runs on Zen 3, ends of diagonals are taken to cost as
 * much as 12 rows, CHUNKS has the cost of sorted rows in it, and mispredictions of GATHER, STREAM
 * and STRICT are per row of an unforeseen length, not number of vectors, so that they are predicted
 * too low. Their costs of blocks are those which come nearest to what was fitted before vectors in
 * two cache lines counted more.
 *
 * The speeds of operations on sparse vectors were measured on an earlier Xeon, those of products
 * with sparse vectors on an AMD EPYC with Zen 4. They are used for all processors.
 *
 * "gathering" is an earlier description of Xeons. It is used for other kinds of processors, and it
 * never changes: choices among reproducible methods are made with it. NEON code on AArch64 has its
 * numbers for AVX2 (eki_isa_row), though vectors have half as many lanes: nothing was measured. */
#include "base/base.h"

/* Initialiser that gives both value types the same numbers. Its arguments are the numbers for
 * scalar, AVX2 and AVX-512 code. */
#define BOTH(...)                   \
	{                           \
		{__VA_ARGS__},      \
		{                   \
			__VA_ARGS__ \
		}                   \
	}

/* Initialisers of the members that are the same for all processors, since no difference between
 * processors has been measured. */
#define ALIKE                                                                                   \
	.panel = {{3, 0.6, 0.6}, {5, 0.7, 0.2}, {5, 0.7, 0.2}}, .copy = 2, .strip = 0.3,        \
	.transpose_entry = 20, .transpose_column = 10, .tiles_entry = 15, .narrow_entry = 0.5,  \
	.scatter_entry = 2.2, .scatter_far = 18, .radix_entry = 5.5, .patterns_entry = 4,       \
	.list_row = 0.8,                                                                        \
	.launch = {3000, 30000}, .device_gbps = {1000, 4}, .loop_gbps = 20, .lane_gather = 100, \
	.lane_sum = 20,                                                                         \
	.array = {.set_entry = 3.3,                                                             \
	          .search_entry = 20,                                                           \
	          .search_step = {5, 4},                                                        \
	          .copy_entry = 0.15,                                                           \
	          .select_gbps = 12,                                                            \
	          .select_list = 1000,                                                          \
	          .merge_entry = {1.3, 2.3},                                                    \
	          .merge_simd = {{5.5, 5.5}, {1, 2.1}, {0.5, 1}},                               \
	          .set_simd = {{6, 6}, {1.2, 2.6}, {0.65, 1.3}},                                \
	          .segscan_gbps = 16,                                                           \
	          .segscan_call = 1000,                                                         \
	          .segsum_gbps = {{14, 17}, {16, 21}},                                          \
	          .segsum_narrow = 0.4,                                                         \
	          .lanes_gbps = 40,                                                             \
	          .lanes_segment = {1, 3.5},                                                    \
	          .sort_level = {4, 1, 0.5}},                                                   \
	.vector = {.serial_entry = {2.8, 4.5},                                                  \
	           .lanes_entry = {1.25, 2.4},                                                  \
	           .lanes_call = 150,                                                           \
	           .gallop_entry = {4.5, 8},                                                    \
	           .gallop_step = {3.6, 4},                                                     \
	           .copy_entry = 0.15,                                                          \
	           .simd_entry = {{7, 7}, {1.9, 3.5}, {1, 1.9}},                                \
	           .simd_call = 400,                                                            \
	           .method_call = 200,                                                          \
	           .gather_simd = 1.6,                                                          \
	           .spa_entry = 2.6,                                                            \
	           .spa_index = 0.14,                                                           \
	           .heap_level = 4.5,                                                           \
	           .esc_entry = 1,                                                              \
	           .esc_level = {0.35, 0.175, 0.13},                                            \
	           .merge_entry = 2,                                                            \
	           .merge_search = 4},                                                          \
	.product = {.column = 20, .near = 2, .far = 4, .bucket = 8, .spread = 1, .partial = 2.5}

static const eki_machine gathering = {
	.name = "gathering",
	.memory_gbps = 14,
	.cache_gbps = 28,
	.core_gbps = 80,
	.core_bytes = 2e6,
	.cache_bytes = 32e6,
	.x_share = 0.125,
	.overlap = 0.15,
	.wake = 1500,
	.far = {4, 0},
	.run_length = 2,
	.call = 100,
	.learned_rows = 0,
	.mixed_rows = 4,
	.far_rows = 12,
	.spread = 0.2,
	.speed = {[EKI_LOOP_SERIAL] = BOTH({0.3, 0.6, 1}, {0.3, 0.6, 1}, {0.3, 0.6, 1}),
                  [EKI_LOOP_ROWS] = BOTH({0.9, 0.5, 1}, {0.9, 0.38, 1}, {0.9, 0.38, 1}),
                  [EKI_LOOP_MERGE] = BOTH({0.4, 0.63, 1}, {0.4, 0.63, 1}, {0.4, 0.63, 1}),
                  [EKI_LOOP_GATHER] = BOTH({1.0, 0.6, 0}, {1.9, 0.3, 0}, {1.9, 0.2, 0}),
                  [EKI_LOOP_STREAM] = BOTH({1.5, 0.8, 0}, {1.6, 0.4, 0}, {1.5, 0.3, 0}),
                  [EKI_LOOP_STRICT] = BOTH({4, 4, 0}, {2.5, 0.5, 0}, {2.1, 0.25, 0}),
                  [EKI_LOOP_SEGMENTS] = BOTH({1.5, 2.5, 0}, {1.5, 2.5, 0}, {1.5, 2.5, 0}),
                  [EKI_LOOP_SCATTER] = BOTH({1.5, 1.5, 0}, {1.5, 1.5, 0}, {1.5, 1.5, 0}),
                  [EKI_LOOP_TILES] = BOTH({1.5, 1.2, 0}, {1.3, 0.45, 0}, {1.2, 0.35, 0}),
                  [EKI_LOOP_LANES] = BOTH({1.0, 0.7, 0}, {0.6, 0.35, 0}, {0.5, 0.25, 0}),
                  [EKI_LOOP_CHUNKS] = BOTH({2.0, 0.7, 0}, {1.6, 0.35, 0}, {1.5, 0.25, 0}),
                  [EKI_LOOP_PIECES] = BOTH({2.0, 0.8, 0}, {1.6, 0.45, 0}, {1.6, 0.35, 0}),
                  [EKI_LOOP_RUNS] = BOTH({2.0, 1.2, 0}, {2.0, 0.8, 0}, {2.0, 0.7, 0}),
                  [EKI_LOOP_SLICES] = BOTH({0.6, 1.6, 0}, {0.6, 1.3, 0}, {0.6, 1.2, 0}),
                  [EKI_LOOP_DIAGONALS] = BOTH({1.0, 0.5, 12}, {1.0, 0.25, 12}, {1.0, 0.2, 12})},
	.block = {{{4, 0.6, 0.2}, {6, 0.3, 0.27}, {6, 0.3, 0.27}},
                  {{4, 0.6, 0.2}, {6, 0.4, 0.31}, {6, 0.5, 0.46}}},
	.tile = {1.1, 1.5, 2},
	.pattern_row = 0.8,
	.pattern_run = 0.5,
	ALIKE,
};

static const eki_machine xeon = {
	.name = "xeon",
	.memory_gbps = 16,
	.cache_gbps = 29,
	.core_gbps = 89,
	.core_bytes = 2.1e6,
	.cache_bytes = 32e6,
	.x_share = 0.125,
	.overlap = 0.7,
	.wake = 592,
	.far = {1.9, 4.6},
	.run_length = 2,
	.call = 30,
	.learned_rows = 16000,
	.speed = {[EKI_LOOP_SERIAL] = {{{0.87, 0.45, 14}, {0.87, 0.45, 14}, {0.87, 0.45, 14}},
                                       {{0.22, 0.47, 10}, {0.22, 0.47, 10}, {0.22, 0.47, 10}}},
                  [EKI_LOOP_ROWS] = {{{0.9, 0.39, 14}, {1.1, 0.39, 14}, {1.1, 0.39, 14}},
                                     {{0.84, 0.4, 14}, {1, 0.4, 14}, {1, 0.4, 14}}},
                  [EKI_LOOP_MERGE] = {{{1.1, 0.43, 11}, {1.1, 0.44, 11}, {1.1, 0.44, 11}},
                                      {{1.1, 0.43, 11}, {1, 0.44, 11}, {1.1, 0.44, 11}}},
                  [EKI_LOOP_GATHER] = {{{1.6, 0.56, 15}, {1.8, 0.21, 5.9}, {1.7, 0.21, 6.3}},
                                       {{1.4, 0.55, 14}, {1.2, 0.32, 9.7}, {1.5, 0.22, 5}}},
                  [EKI_LOOP_STREAM] = {{{1.5, 0.91, 16}, {1.1, 0.27, 16}, {1, 0.27, 15}},
                                       {{1.4, 0.93, 15}, {1.2, 0.49, 9.7}, {1.3, 0.3, 17}}},
                  [EKI_LOOP_STRICT] = {{{6.4, 2.7, 11}, {2.4, 0.22, 9.6}, {2.1, 0.22, 8.4}},
                                       {{10, 2.5, 9.5}, {2.9, 0.27, 12}, {2.1, 0.23, 7.1}}},
                  [EKI_LOOP_SEGMENTS] = {{{1.2, 1.1, 11}, {1.3, 0.67, 12}, {1.3, 0.67, 12}},
                                         {{1.2, 1.1, 11}, {1.3, 0.85, 13}, {1.4, 0.7, 14}}},
                  [EKI_LOOP_SCATTER] = {{{0, 0.66, 10}, {0.0019, 0.67, 11}, {0.018, 0.68, 11}},
                                        {{0, 0.66, 9.9}, {0.00082, 0.67, 10}, {0.017, 0.67, 10}}},
                  [EKI_LOOP_TILES] = {{{1.5, 0.96, 12}, {0.71, 0.36, 0.73}, {0.66, 0.39, 0.68}},
                                      {{1.5, 0.95, 11}, {0.84, 0.53, 0.61}, {0.73, 0.4, 0.46}}},
                  [EKI_LOOP_LANES] = {{{1.9, 0.81, 9.5}, {0.55, 0.26, 0.077}, {0.4, 0.26, 0.068}},
                                      {{2.2, 0.79, 8.7}, {0.69, 0.44, 0.6}, {0.42, 0.29, 0.89}}},
                  [EKI_LOOP_CHUNKS] = {{{2.3, 0.38, 1.5}, {0.02, 0.2, 0.21}, {0.025, 0.2, 0.22}},
                                       {{2.1, 0.4, 1.9}, {0.11, 0.28, 0.88}, {0, 0.23, 1.7}}},
                  [EKI_LOOP_PIECES] = {{{2.3, 0.38, 0.096}, {0.52, 0.21, 0.11},
                                        {0.54, 0.21, 0.085}},
                                       {{2.5, 0.39, 0.43}, {0.83, 0.27, 0.82}, {0.52, 0.23, 1.3}}},
                  [EKI_LOOP_RUNS] = {{{3.1, 0.54, 17}, {4.8, 0.23, 16}, {4.5, 0.24, 16}},
                                     {{3, 0.54, 17}, {3.7, 0.35, 16}, {4.2, 0.25, 16}}},
                  [EKI_LOOP_SLICES] = {{{0.031, 0.99, 0.06}, {0, 0.59, 0}, {0, 0.6, 0}},
                                       {{0.073, 0.97, 0}, {0.037, 0.68, 0}, {0.036, 0.61, 0}}},
                  [EKI_LOOP_DIAGONALS] = {{{0.96, 0.076, 5.8}, {0.24, 0.031, 9.3},
                                           {0.2, 0.039, 7.6}},
                                          {{1.2, 0.13, 13}, {0.44, 0.11, 6}, {0.25, 0.076, 6.3}}}},
	.block = {{{11, 0.28, 0.3}, {9.2, 0, 0.36}, {7.7, 0.27, 0.33}},
                  {{10, 0.84, 0.19}, {9.3, 0, 0.3}, {8.1, 0.44, 0.42}}},
	.tile = {0.92, 0.73, 3.7},
	.pattern_row = 0.79,
	.pattern_run = 0.68,
	.sorted_row = 0.33,
	.narrow_work = {0.35, 0.056},
	ALIKE,
};

static const eki_machine zen = {
	.name = "zen",
	.loads = true,
	.memory_gbps = 30,
	.cache_gbps = 76,
	.core_gbps = 76,
	.core_bytes = 2e6,
	.cache_bytes = 32e6,
	.x_share = 0.125,
	.overlap = 0.3,
	.wake = 300,
	.far = {0.6, 1.4},
	.run_length = 3,
	.call = 36,
	.learned_rows = 16000,
	.speed = {[EKI_LOOP_SERIAL] = {{{0.25, 0.49, 10.2}, {0.26, 0.49, 10.2}, {0.25, 0.5, 10.2}},
                                       {{0.1, 0.43, 8.3}, {0.1, 0.43, 8.4}, {0.099, 0.43, 8.3}}},
                  [EKI_LOOP_ROWS] = {{{1, 0.32, 11.1}, {1, 0.32, 11}, {1, 0.32, 11}},
                                     {{1, 0.31, 11}, {1, 0.31, 10.9}, {1, 0.31, 10.9}}},
                  [EKI_LOOP_MERGE] = {{{0.23, 0.4, 8.2}, {0.23, 0.4, 8.2}, {0.23, 0.4, 8.2}},
                                      {{0.21, 0.39, 8.1}, {0.21, 0.39, 8.1}, {0.22, 0.39, 8.2}}},
                  [EKI_LOOP_GATHER] = {{{1.4, 0.46, 12.6}, {1.9, 0.21, 0}, {2, 0.21, 0}},
                                       {{1.2, 0.45, 12.4}, {2, 0.25, 5.1}, {2, 0.23, 0}}},
                  [EKI_LOOP_STREAM] = {{{1.2, 0.88, 12.4}, {0.98, 0.28, 0.048},
                                        {0.96, 0.27, 0.11}},
                                       {{1.1, 0.91, 11.5}, {0.97, 0.35, 4.6}, {0.91, 0.33, 0.2}}},
                  [EKI_LOOP_STRICT] = {{{7.1, 1.5, 8.2}, {2, 0.22, 0}, {2.4, 0.2, 0.4}},
                                       {{11.9, 1.3, 2.6}, {2.1, 0.23, 5.4}, {2.2, 0.23, 0.27}}},
                  [EKI_LOOP_SEGMENTS] = {{{0.79, 0.87, 8.3}, {0.78, 0.53, 8.1}, {0.78, 0.53, 8.1}},
                                         {{0.86, 0.82, 7.8}, {0.86, 0.51, 8}, {0.86, 0.53, 8.8}}},
                  [EKI_LOOP_SCATTER] = {{{0, 0.54, 7.3}, {0.13, 0.46, 7.5}, {0.12, 0.46, 7.5}},
                                        {{0.076, 0.53, 7.4}, {0.11, 0.47, 8.3}, {0.17, 0.46, 8.4}}},
                  [EKI_LOOP_TILES] = {{{0.69, 0.81, 9.3}, {0.6, 0.33, 0}, {0.58, 0.35, 0}},
                                      {{0.65, 0.81, 9.2}, {0.67, 0.43, 0.25}, {0.57, 0.36, 0.021}}},
                  [EKI_LOOP_LANES] = {{{1.7, 0.65, 5.8}, {0.51, 0.25, 0}, {0.52, 0.24, 0}},
                                      {{1.8, 0.65, 6}, {0.67, 0.32, 0.57}, {0.52, 0.28, 0}}},
                  [EKI_LOOP_CHUNKS] = {{{2.5, 0.49, 0.38}, {0.095, 0.18, 0.28}, {0.068, 0.2, 0.27}},
                                       {{2.2, 0.52, 0.84}, {0.17, 0.16, 0.28}, {0.03, 0.18, 0.36}}},
                  [EKI_LOOP_PIECES] = {{{2.2, 0.48, 0.06}, {0.76, 0.17, 0.22}, {0.77, 0.18, 0.14}},
                                       {{2.3, 0.51, 0.23}, {0.96, 0.16, 0.4}, {0.64, 0.18, 0.39}}},
                  [EKI_LOOP_RUNS] = {{{2.6, 0.5, 11.1}, {4.2, 0.27, 11.2}, {4.3, 0.26, 11.1}},
                                     {{2.3, 0.5, 11.3}, {3.7, 0.26, 10.5}, {4.1, 0.27, 11.3}}},
                  [EKI_LOOP_SLICES] = {{{0.088, 0.87, 0.048}, {0.03, 0.51, 0.078},
                                        {0, 0.51, 0.036}},
                                       {{0.2, 0.9, 0.11}, {0.12, 0.58, 0.14}, {0.075, 0.54, 0.32}}},
                  [EKI_LOOP_DIAGONALS] = {{{0.89, 0.35, 11}, {0.11, 0.046, 1.3},
                                           {0.15, 0.039, 1.8}},
                                          {{1, 0.35, 12}, {0.22, 0.067, 2.6}, {0.21, 0.074, 2.5}}}},
	.block = {{{8.9, 0.61, 0.21}, {8.6, 0.05, 0.22}, {8, 0.27, 0.21}},
                  {{8.5, 0.79, 0.17}, {8.4, 0, 0.2}, {9.3, 0.56, 0.24}}},
	.tile = {2, 3, 4},
	.pattern_row = 1.6,
	.pattern_run = 0.5,
	.narrow_work = {0.64, 0.055},
	ALIKE,
};

static const eki_machine zen5 = {
	.name = "zen5",
	.loads = true,
	.memory_gbps = 40,
	.cache_gbps = 124,
	.core_gbps = 124,
	.core_bytes = 2e6,
	.cache_bytes = 32e6,
	.x_share = 0.3,
	.overlap = 0.3,
	.wake = 265,
	.far = {0.35, 3.9},
	.run_length = 3,
	.call = 26,
	.learned_rows = 16000,
	.speed = {[EKI_LOOP_SERIAL] = {{{0.13, 0.29, 11}, {0.13, 0.29, 11}, {0.13, 0.29, 11}},
                                       {{0.18, 0.28, 8.5}, {0.18, 0.28, 8.5}, {0.17, 0.28, 8.5}}},
                  [EKI_LOOP_ROWS] = {{{0.47, 0.25, 12}, {0.47, 0.25, 11}, {0.36, 0.27, 11}},
                                     {{0.46, 0.24, 11}, {0.45, 0.24, 11}, {0.44, 0.24, 11}}},
                  [EKI_LOOP_MERGE] = {{{0.11, 0.26, 8.1}, {0.099, 0.26, 8}, {0.095, 0.26, 8}},
                                      {{0.1, 0.25, 8.1}, {0.11, 0.25, 7.9}, {0.1, 0.25, 7.9}}},
                  [EKI_LOOP_GATHER] = {{{0.87, 0.34, 13}, {1.5, 0.16, 0}, {1.5, 0.16, 0}},
                                       {{0.8, 0.34, 13}, {1.3, 0.18, 5.5}, {1.5, 0.15, 0.055}}},
                  [EKI_LOOP_STREAM] = {{{0.69, 0.58, 12}, {0.8, 0.2, 0.35}, {0.81, 0.21, 0.28}},
                                       {{0.71, 0.59, 12}, {0.65, 0.26, 4.9}, {0.55, 0.24, 0.26}}},
                  [EKI_LOOP_STRICT] = {{{4.9, 1.3, 9}, {1.6, 0.16, 1.5}, {1.7, 0.15, 1.8}},
                                       {{9.3, 1.1, 4.1}, {1.6, 0.16, 6.4}, {1.5, 0.16, 1.3}}},
                  [EKI_LOOP_SEGMENTS] = {{{0.28, 0.71, 8.8}, {0.23, 0.41, 8.7}, {0.12, 0.42, 8.9}},
                                         {{0.27, 0.67, 8.7}, {0.32, 0.37, 8.9}, {0.3, 0.36, 8.9}}},
                  [EKI_LOOP_SCATTER] = {{{0.024, 0.3, 8.4}, {0.026, 0.3, 8.1}, {0.018, 0.3, 8.1}},
                                        {{0.011, 0.3, 8.1}, {0.0079, 0.3, 8}, {0.016, 0.3, 8.1}}},
                  [EKI_LOOP_TILES] = {{{0.47, 0.59, 9.1}, {0.33, 0.26, 0.59}, {0.31, 0.26, 0.61}},
                                      {{0.48, 0.61, 9.1}, {0.61, 0.33, 0.61}, {0.29, 0.28, 0.7}}},
                  [EKI_LOOP_LANES] = {{{1.3, 0.46, 7.3}, {0.53, 0.2, 0.048}, {0.52, 0.19, 0.23}},
                                      {{1.4, 0.45, 7.6}, {0.61, 0.26, 0.44}, {0.56, 0.2, 0.39}}},
                  [EKI_LOOP_CHUNKS] = {{{1.5, 0.24, 0.066}, {0.047, 0.15, 0.21},
                                        {0.064, 0.14, 0.2}},
                                       {{1.5, 0.24, 0.36}, {0.11, 0.15, 0.31},
                                        {0.034, 0.13, 0.26}}},
                  [EKI_LOOP_PIECES] = {{{1.5, 0.24, 0.22}, {0.55, 0.14, 0.12}, {0.52, 0.14, 0.098}},
                                       {{1.6, 0.23, 0.26}, {0.48, 0.15, 0.27}, {0.5, 0.13, 0.26}}},
                  [EKI_LOOP_RUNS] = {{{1.5, 0.34, 11}, {2.9, 0.18, 10}, {2.9, 0.18, 12}},
                                     {{1.5, 0.33, 12}, {1.9, 0.19, 11}, {3.1, 0.17, 10}}},
                  [EKI_LOOP_SLICES] = {{{0, 0.65, 0}, {0, 0.39, 0.0064}, {0, 0.38, 0.024}},
                                       {{0, 0.66, 0.031}, {0, 0.42, 0.091}, {0, 0.39, 0.12}}},
                  [EKI_LOOP_DIAGONALS] = {{{0.6, 0.041, 7.2}, {0.1, 0.038, 1.2},
                                           {0.11, 0.037, 1.3}},
                                          {{0.68, 0.1, 8.2}, {0.16, 0.066, 1.9},
                                           {0.1, 0.044, 1.2}}}},
	.block = {{{5.4, 0.6, 0.14}, {6.4, 0.04, 0.12}, {5.8, 0.31, 0.11}},
                  {{6.2, 0.48, 0.11}, {6.2, 0, 0.11}, {5.4, 0.63, 0.1}}},
	.tile = {2, 3, 4},
	.pattern_row = 1.1,
	.pattern_run = 0.5,
	.narrow_work = {0.41, 0.043},
	ALIKE,
};

/* The table for the processor's family, with the sizes of the caches that the system names. */
static eki_machine own;

static void find(void)
{
	const int64_t core = eki_cpu_core_cache();
	bool x86 = false, amd = false;

#ifdef EK_HAVE_X86
	__builtin_cpu_init();
	x86 = true;
	amd = __builtin_cpu_is("amd");
#endif
	own = !x86 ? gathering : !amd ? xeon : eki_cpu_version_here().family >= 26 ? zen5 : zen;
	if (core > 0 && (double)core < own.core_bytes) /* a larger one is that of several cores */
		own.core_bytes = (double)core;
	own.cache_bytes = (double)eki_cpu_cache();
}

const eki_machine *eki_machine_family(void)
{
	static _Atomic int state;

	eki_once(&state, find);
	return &own;
}

const eki_machine *eki_machine_fixed(void)
{
	return &gathering;
}
