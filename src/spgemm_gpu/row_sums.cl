/* SPDX-License-Identifier: BSD-3-Clause
 * Adds the products of a row of C, or of those of its columns that are in a window, in the local
 * memory of a group, for spgemm_gpu/hash_rows.cl and hash_far.cl: a line #include
 * "spgemm_gpu/row_sums.cl" in a kernel is replaced by this text (gpu/prelude.c). Compile-time
 * parameters: those of row_table.cl and operands.cl.
 *
 * The group reads the descriptions of EK_WG lists at a time (operands.cl), and then takes EK_WG of
 * their products at a time, whatever lists they come from: a slice. Slots belong to work-items:
 * slot s to number s % EK_WG. A work-item finds the slot of its product, and sets its own bit in
 * the mask of the slot's owner. After a barrier, owners add the products whose bits are set, from
 * the lowest bit on. So the products of an entry are added in the order of the lists, without
 * atomic operations on values, and no slice takes more than two barriers, whatever its columns
 * are. */
#ifndef EK_ROW_SUMS_CL
#define EK_ROW_SUMS_CL

#define COUNT  0                   /* counts the entries of a row */
#define MAKE   1                   /* writes columns and values */
#define VALUES 2                   /* writes values; the columns are known */
#define WORDS  ((EK_WG + 31) / 32) /* of a mask */

/* Local memory of a row. Word w of the mask of work-item t is mask[w * EK_WG + t]. */
typedef struct row_memory {
	EK_LOCAL_PTR int *key; /* the table */
	EK_LOCAL_PTR VAL *sum;
	/* Of each list: the number of products up to its last one, and its first entry in B or D
	 * minus the number of products before it. */
	EK_LOCAL_PTR ek_i64 *ends, *shift;
	EK_LOCAL_PTR VAL *factor;
	EK_LOCAL_PTR VAL *product; /* of a slice, and their slots */
	EK_LOCAL_PTR int *slot;
	EK_LOCAL_PTR int *mask; /* of each work-item */
} row_memory;

/* ---- Lists ----------------------------------------------------------------------------------- */

/* Returns the first entry in [low, high) whose column is not below `base` + `off`. */
EK_FN ek_i64 first_from(const EK_GLOBAL IDX *col, ek_i64 low, ek_i64 high, IDX base, int off)
{
	while (low < high) {
		const ek_i64 middle = low + (high - low) / 2;

		if (col[middle] - base < off)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Narrows a list to the columns of a window, and lowers *next, the first column behind it that a
 * list has, or -1. */
EK_FN void narrow(const EK_GLOBAL IDX *col, ek_list *l, IDX base, int slots, ek_i64 *next)
{
	const ek_i64 end = l->begin + l->n, low = first_from(col, l->begin, end, base, 0);
	const ek_i64 high = first_from(col, low, end, base, slots);

	if (high < end && (*next < 0 || col[high] < *next))
		*next = col[high];
	l->begin = low;
	l->n = high - low;
}

/* Returns the list of product q, which is `low` or a later one. */
EK_FN int list_of(const EK_LOCAL_PTR ek_i64 *ends, int low, ek_i64 q)
{
	int high = EK_WG - 1;

	if (q < ends[low])
		return low;
	low++;
	while (low < high) {
		const int middle = (low + high) / 2;

		if (ends[middle] <= q)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- Slices ---------------------------------------------------------------------------------- */

/* Adds the products of a slice to the slots of this work-item, and clears its mask. */
EK_FN void add_owned(row_memory m)
{
	for (int w = 0; w < WORDS; w++) {
		ek_u32 bits = (ek_u32)m.mask[w * EK_WG + EK_LID()];

		if (bits)
			m.mask[w * EK_WG + EK_LID()] = 0;
		for (; bits; bits &= bits - 1) {
			const int k = 32 * w + EK_POPCOUNT((bits & -bits) - 1);

			m.sum[m.slot[k]] += m.product[k];
		}
	}
}

/* Adds all products of the lists that are described. With `with_d`, the first is that of D. */
EK_FN void add_lists(const int mode, EK_PRODUCT_PARAMETERS, row_memory m, int with_d, IDX base,
                     int slots, int *fresh)
{
	const int lane = EK_LID();
	const ek_i64 all = m.ends[EK_WG - 1];
	int l = 0;

	EK_ROLLED
	for (ek_i64 p = 0; p < all; p += EK_WG) {
		const ek_i64 q = p + lane;

		if (q < all) {
			l = list_of(m.ends, l, q);
			const int of_d = with_d && l == 0;
			const ek_i64 e = m.shift[l] + q;
			const IDX j = of_d ? d_col[e] : b_col[e];
			const int s =
				table_slot(m.key, slots, (int)(j - base), mode != VALUES, fresh);

			if (mode != COUNT) {
				VAL v = 0;

				if (of_d && !EK_IS_ZERO(beta))
					v = EK_MUL(m.factor[l], d_val[e]);
				else if (!of_d && !EK_IS_ZERO(alpha))
					v = EK_MUL(m.factor[l], b_val[e]);
				m.slot[lane] = s;
				m.product[lane] = v;
				EK_LOCAL_OR(m.mask + lane / 32 * EK_WG + s % EK_WG, BIT(lane));
			}
		}
		if (mode != COUNT) {
			SYNC();
			add_owned(m);
			SYNC();
		}
	}
}

/* Adds the first `lists` lists of row i, as far as their columns are in the window that begins at
 * `base`. If `wide` is 0, the window has all columns. Returns the first column behind it that this
 * work-item has seen, or -1. Has barriers. */
EK_FN ek_i64 add_row(const int mode, EK_PRODUCT_PARAMETERS, row_memory m, ek_i64 i, ek_i64 lists,
                     IDX base, int slots, int wide, int *fresh)
{
	ek_i64 next = -1;

	EK_ROLLED
	for (ek_i64 first = 0; first < lists; first += EK_WG) {
		ek_list l;

		l.begin = l.n = 0;
		if (first + EK_LID() < lists) {
			l = ek_list_at(EK_PRODUCT_ARGUMENTS, i, first + EK_LID(), mode != COUNT);
			if (WINDOW && wide)
				narrow(l.of_d ? d_col : b_col, &l, base, slots, &next);
			if (mode != COUNT)
				m.factor[EK_LID()] = l.factor;
		}
		m.shift[EK_LID()] = l.begin - ek_scan_before(l.n, m.ends);
		SYNC();
		add_lists(mode, EK_PRODUCT_ARGUMENTS, m, HAS_D && first == 0, base, slots, fresh);
		SYNC();
	}
	return next;
}

/* Declares the local memory of a group whose table has `size` slots. `sums` is 0 if the table has
 * no sums. The table is in `table`, sums first. */
#define DECLARE_MEMORY(size, sums)                                                     \
	EK_LOCAL_DECLARE(table);                                                       \
	EK_LOCAL_PTR VAL *sum_of = (EK_LOCAL_PTR VAL *)table;                          \
	EK_LOCAL_PTR int *keys = (EK_LOCAL_PTR int *)(sum_of + ((sums) ? (size) : 0)); \
	EK_LOCAL int slot_of[(sums) ? EK_WG : 1];                                      \
	EK_LOCAL int masks[(sums) ? EK_WG * WORDS : 1];                                \
	EK_LOCAL VAL factors[(sums) ? EK_WG : 1], products[(sums) ? EK_WG : 1];        \
	EK_LOCAL ek_i64 ends[EK_WG], shifts[EK_WG];                                    \
	row_memory m;                                                                  \
	m.key = keys;                                                                  \
	m.sum = sum_of;                                                                \
	m.ends = ends;                                                                 \
	m.shift = shifts;                                                              \
	m.factor = factors;                                                            \
	m.slot = slot_of;                                                              \
	m.mask = masks;                                                                \
	m.product = products;                                                          \
	for (int w = 0; (sums) && w < WORDS; w++)                                      \
		masks[w * EK_WG + EK_LID()] = 0

#endif
