/* SPDX-License-Identifier: BSD-3-Clause
 * The description of a processor and its device: the numbers in cost functions that depend on the
 * hardware. Costs and times are in nanoseconds on one core. Part of base/base.h. */
#ifndef EK_MACHINE_H
#define EK_MACHINE_H

/* Kinds of inner loops that methods have. */
typedef enum eki_loop {
	EKI_LOOP_SERIAL,    /* entry after entry into one sum, as the oracle does */
	EKI_LOOP_ROWS,      /* row after row, vectorised by the compiler; one call for each part */
	EKI_LOOP_MERGE,     /* rows and entries in the order of the merge path */
	EKI_LOOP_GATHER,    /* gathers of x, for W rows at a time */
	EKI_LOOP_STREAM,    /* products into a buffer, then row sums from the buffer */
	EKI_LOOP_STRICT,    /* sums in one fixed order, for reproducible results */
	EKI_LOOP_SEGMENTS,  /* products to memory, then a segmented sum */
	EKI_LOOP_SCATTER,   /* op T: products added to y by column */
	EKI_LOOP_TILES,     /* tiles of CSR5 */
	EKI_LOOP_LANES,     /* ELLPACK: one lane for each row; padding counts as entries */
	EKI_LOOP_CHUNKS,    /* SELL: one lane for each row; a list has the row numbers */
	EKI_LOOP_PIECES,    /* BRC: one lane for each piece of a row */
	EKI_LOOP_RUNS,      /* COO: runs of consecutive entries in the same row */
	EKI_LOOP_SLICES,    /* SCOO: products added to sums that stay in the cache */
	EKI_LOOP_DIAGONALS, /* DIA: no gathers; padding counts as entries */
	EKI_LOOPS
} eki_loop;

/* Costs of a loop: for each row, for each entry, and extra for each row whose length, or number of
 * vectors where a loop goes by vectors, the branch predictor misses. With EKI_LOOP_DIAGONALS, which
 * has no such rows, `miss` is the cost of the ends of a loop over a diagonal. */
typedef struct eki_speed {
	double row, entry, miss;
} eki_speed;

/* Costs of blocked formats: for each row of blocks, for each block, and for each step within a
 * block (spmv/block.c). A step handles as many values as a vector has, and counts half more if
 * they lie in two cache lines (eki_block_cost). */
typedef struct eki_block_speed {
	double row, block, step;
} eki_block_speed;

/* Costs of methods with tiles. If entries name their rows: for each entry. Otherwise, in addition
 * to the work of the vectors: for each row, and for each segment of a row after the first. */
typedef struct eki_tile_speed {
	double entry, row, segment;
} eki_tile_speed;

/* Costs of a product with a panel (group of columns) of a dense block: for each row, for each
 * entry, and for each SIMD vector of sums that an entry updates. */
typedef struct eki_panel_speed {
	double row, entry, vector;
} eki_panel_speed;

/* Speeds of primitives on arrays (prim/). Members in _gbps are gigabytes of input that one core
 * handles in a second; the others are nanoseconds on one core. */
typedef struct eki_array_speed {
	/* Sets: for each entry of both sets; for each entry of the smaller set that is searched for
	 * in the larger; for each halving in such a search (intersection, union); for each entry
	 * that a union copies. */
	double set_entry, search_entry, search_step[2], copy_entry;
	double select_gbps, select_list; /* k-selection, and extra for each list */
	double merge_entry[2];           /* merge path: integers, floating point */
	double merge_simd[EK_NLEVEL][2];   /* merge with SIMD: 32 bits, 64 bits */
	double set_simd[EK_NLEVEL][2];     /* union and intersection with SIMD, likewise */
	double segscan_gbps, segscan_call;
	/* Segmented sums: by blocks, [0] with pointers and [1] with flags, 4 and 8 bytes; the share
	 * of that speed without AVX-512; by lanes, and extra for each segment. */
	double segsum_gbps[2][2], segsum_narrow, lanes_gbps, lanes_segment[2];
	double sort_level[EK_NLEVEL]; /* for each entry and each level of a merge sort */
} eki_array_speed;

/* Costs of operations on sparse vectors (vec/). "For each entry" means each entry of both vectors.
 * In pairs, [0] is for common entries and [1] for unions. */
typedef struct eki_vector_speed {
	double serial_entry[2]; /* the plain loop, for each entry */
	/* Four lanes: for each entry, and extra for each call. */
	double lanes_entry[2], lanes_call;
	/* Searches for the entries of the smaller vector: for each of them, for each halving, and
	 * for each entry of the larger one that is copied. */
	double gallop_entry[2], gallop_step[2], copy_entry;
	/* Addition in registers: for each entry ([1] if indices or values have 64 bits), and for
	 * each call. */
	double simd_entry[EK_NLEVEL][2], simd_call;
	double method_call; /* for each call of a published addition, which allocates memory */
	double gather_simd; /* gathers, over what products suggest (vec/gather_simd.c) */
	double spa_entry, spa_index; /* SPA: for each entry, and for each index of a tile */
	/* For each entry: one level of a heap; expansion and compression; one step of a bitonic
	 * sort; merging. merge_search: for each entry of y that is searched for in x. */
	double heap_level, esc_entry, esc_level[EK_NLEVEL], merge_entry, merge_search;
} eki_vector_speed;

/* Costs of products with sparse vectors (spmspv/): for each entry of x whose column is looked up;
 * for each product that is added to a sum in a core's cache (near) or outside it (far); for each
 * product that goes through buckets; for each entry of x that is written to a dense vector.
 * `partial` is the factor by which products by rows take longer if x lacks entries. */
typedef struct eki_product_speed {
	double column, near, far, bucket, spread, partial;
} eki_product_speed;

typedef struct eki_machine {
	const char *name;
	bool loads; /* loads of the single lanes are faster than gather instructions */
	/* Bandwidths of one thread in GB/s: from memory, from the last-level cache and from the
	 * core's own cache. */
	double memory_gbps, cache_gbps, core_gbps;
	double core_bytes, cache_bytes; /* sizes of the core's own and of the last-level cache */
	/* Share of the last-level cache that a vector with random accesses has, while the matrix
	 * streams through it and other cores use it. */
	double x_share;
	/* Bandwidths of all threads together, from memory and from the last-level cache. 0 if they
	 * are not known: each thread then adds its own bandwidth. */
	double memory_all_gbps, cache_all_gbps;
	/* Of the times for moving data and for computing, which overlap only in part: the share of
	 * the shorter time that is added to the longer one. */
	double overlap;
	double wake; /* time to start and join threads */
	/* Costs of a random access to the last-level cache, and what one to memory takes more
	 * (eki_far). */
	double far[2];
	double call; /* overhead of a run that splits the work */
	/* Number of rows whose lengths the branch predictor remembers from run to run. Beyond that
	 * number it predicts only lengths that follow a pattern. If it is 0, every row whose length
	 * differs from the previous row's counts as a miss. */
	double learned_rows;
	/* mixed_rows and far_rows: additional costs of a row in loops that gather x. mixed_rows is
	 * for matrices in which short and long rows alternate. far_rows is for short rows whose
	 * entries of x are not in the cache. `spread`: share by which differing row lengths slow
	 * down plain loops. */
	double mixed_rows, far_rows, spread;
	eki_speed speed[EKI_LOOPS][EK_NVALUE][EK_NLEVEL];
	eki_block_speed block[EK_NVALUE][EK_NLEVEL];
	eki_panel_speed panel[EK_NLEVEL];
	double copy; /* cost of copying one vector entry from or to memory with a stride */
	/* Mean length of runs of consecutive columns, cut at multiples of 8, from which SpGEMM adds
	 * runs as vectors of 8 columns. It is shorter if rows have the columns of the row before,
	 * and longer for half vectors (spgemm/b_pattern.c). */
	double run_length;
	double strip; /* cost of clearing, writing or adding one value of a strip */
	/* Costs of preparation. A transposition costs transpose_entry for each entry plus
	 * transpose_column for each column. The other three are the costs, for each entry, of
	 * making tiles, of copying columns to 16 bits and of looking for patterns. */
	double transpose_entry, transpose_column, tiles_entry, narrow_entry, patterns_entry;
	/* Cost of a row whose sum is written out of order, over that of one in order (SELL). */
	double sorted_row;
	double list_row; /* cost of a row in the pass that lists the nonempty rows */
	/* Costs of a transposition for each entry, besides moving its bytes: scattering it to its
	 * place, and extra if that place is in no cache; sorting it through buckets. */
	double scatter_entry, scatter_far, radix_entry;
	eki_tile_speed tile; /* methods with tiles (spmv/csr_forward.c) */
	/* pattern_row: additional cost of a row that is not in a group of kind RUN, and
	 * pattern_run: share of its work that a row in one takes (spmv/csr_patterns.c). */
	double pattern_row, pattern_run;
	/* Additional costs of a row and of an entry where columns have 16 bits
	 * (spmv/csr_forward.c). */
	double narrow_work[2];
	/* Cost of launching a kernel on a device, and bandwidth of the device in GB/s. Element [1]
	 * is for a processor that serves as the device, [0] for any other device. loop_gbps: for
	 * such a processor, the bandwidth of kernels that have no barriers, which become plain
	 * loops. */
	double launch[2], device_gbps[2], loop_gbps;
	/* Times that one lane of a device takes for each entry when it handles entries one after
	 * the other: lane_gather if it reads x by column index, lane_sum if it adds up products. */
	double lane_gather, lane_sum;
	eki_array_speed array;
	eki_vector_speed vector;
	eki_product_speed product;
} eki_machine;

/* Returns the table for processors of this family. */
const eki_machine *eki_machine_family(void);
/* Returns one fixed description, for choices that must not depend on the processor. */
const eki_machine *eki_machine_fixed(void);

/* ---- Defined in tune/, which measures ------------------------------------------------------- */

enum { EKI_PROCESSOR = 128 };
/* Writes the name of this kind of processor (tune/profile.c). */
void eki_processor_name(char name[EKI_PROCESSOR]);
/* Returns the description of this machine: the profile that `ek tune` has stored, or the table for
 * the processor's family. The file is read once in each process. Any thread may call it. */
const eki_machine *eki_machine_here(void);
/* Says why a stored profile is not in force. Returns NULL if one is, or if there is none. */
const char *eki_profile_refused(void);
/* Returns the description of this machine with the context's device: the numbers of the device are
 * those of the profile that `ek tune` has stored for it, if there is one (tune/profile_device.c).
 * Its file is read once in each process. Any thread may call it. */
const eki_machine *eki_machine_of(const ek_context *ctx);
/* Says why a stored profile of the context's device is not in force. Returns NULL if one is, or if
 * there is none. */
const char *eki_device_profile_refused(const ek_context *ctx);
/* Tells whether loads of the single lanes are faster than gather instructions of a level: as the
 * profile says, else by a measurement of up to two milliseconds, once in each process. */
bool eki_loads_here(ek_isa level);

#endif
