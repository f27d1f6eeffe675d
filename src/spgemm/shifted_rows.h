/* SPDX-License-Identifier: BSD-3-Clause
 * Values of rows of C that repeat the row before, shifted by one column, as on grids
 * (spgemm/numeric.c): W rows at a time, a lane for each. Included once in each pass of
 * base/for_each.h.
 *
 * If each of W rows of A has the columns of the row before plus 1, and the rows of B that they need
 * are shifted likewise (b_pattern.c), then the products of all W rows go to the same places of
 * their rows of C. For each product of the first row, its place is found once, and kept as long as
 * rows go on like this. Values of A and B are transposed to vectors of the same product in all
 * rows, so a product of W rows takes one multiplication and one addition of vectors, and their sums
 * are transposed back into C. No column of B or C is read. */
#define GROUP FN(group)

/* Rows of C that are computed at a time. */
typedef struct GROUP {
	_Alignas(64) VAL sum[SHIFTED_COLS * W]; /* W lanes for each place */
	uint8_t place[SHIFTED_PRODUCTS];        /* of each product in its row of C */
	int64_t next;                           /* row after the last group; -1: no places */
	int64_t n;                              /* entries of each row of C */
} GROUP;

/* Tells whether `count` bits from bit `at` on are 1; count < 64. */
static inline bool FN(bits_set)(const uint64_t *bits, int64_t at, int count)
{
	const int shift = (int)(at % 64);
	uint64_t word = bits[at / 64] >> shift;

	if (shift + count > 64)
		word |= bits[at / 64 + 1] << (64 - shift);
	return (~word & (((uint64_t)1 << count) - 1)) == 0;
}

/* Tells whether rows [begin + 1, end) of A are each the row before plus 1, and so are the rows of B
 * that they need. */
static inline bool FN(are_shifted)(const LISTS *l, int64_t begin, int64_t end)
{
	const PTR *ptr = l->a_ptr, from = ptr[begin], n = ptr[begin + 1] - from;
	const int64_t all = n * (end - begin - 1);
	const IDX *col = l->a_col + from;
	IDX differ = 0;

	if (n == 0 || ptr[begin + 2] - ptr[begin + 1] != n || col[n] != col[0] + 1)
		return false;
	for (int64_t i = begin + 2; i < end; i++)
		if (ptr[i + 1] - ptr[i] != n)
			return false;
	for (int64_t k = 0; k < all; k++)
		differ |= col[k + n] ^ (col[k] + 1);
	for (PTR k = 0; k < n && differ == 0; k++)
		differ = !FN(bits_set)(l->b->shifted, (int64_t)col[k] + 1, (int)(end - begin - 1));
	return differ == 0;
}

/* Finds the place of each product of row i in the n columns of C. The window, which has all of
 * them, holds the places meanwhile. Returns false if there are too many products or columns. */
static bool FN(find_places)(const LISTS *l, GROUP *g, int64_t i, const IDX *col, int64_t n,
                            uintptr_t zero)
{
	const PTR *b_ptr = l->b_ptr;
	uint8_t *place = g->place;
	int64_t products = 0;

	for (PTR k = l->a_ptr[i]; k < l->a_ptr[i + 1]; k++)
		products += b_ptr[l->a_col[k] + 1] - b_ptr[l->a_col[k]];
	if (products > SHIFTED_PRODUCTS || n > SHIFTED_COLS)
		return false;
	for (int64_t e = 0; e < n; e++)
		*FN(sum_of)(zero, col[e]) = (VAL)e;
	for (PTR k = l->a_ptr[i]; k < l->a_ptr[i + 1]; k++)
		for (PTR e = b_ptr[l->a_col[k]]; e < b_ptr[l->a_col[k] + 1]; e++)
			*place++ = (uint8_t)*FN(sum_of)(zero, l->b_col[e]);
	for (int64_t e = 0; e < n; e++)
		*FN(sum_of)(zero, col[e]) = 0;
	g->n = n;
	return true;
}

/* Adds W rows of B, the first of which has entries [begin, begin + n), times `a`. Returns the place
 * of the next product. */
static inline __attribute__((always_inline)) const uint8_t *
FN(group_list)(GROUP *g, const uint8_t *place, const VAL *val, int64_t n, vec a)
{
	for (int64_t e = 0; e < n; e += W) {
		const int m = n - e < W ? (int)(n - e) : W;
		vec b[W];

		vtranspose(val + e, n, m, b);
		for (int q = 0; q < W; q++) {
			if (q >= m)
				break;
			VAL *sum = g->sum + W * place[q];

			vstore(sum, vadd(vload(sum), vmul(a, b[q])));
		}
		place += m;
	}
	return place;
}

/* Computes rows [i, i + W), which are a group with known places, into val. */
static void FN(group_rows)(const LISTS *l, GROUP *g, int64_t i, VAL *val)
{
	const PTR begin = l->a_ptr[i], lists = l->a_ptr[i + 1] - begin;
	const int64_t n = g->n;
	const uint8_t *place = g->place;

	for (int64_t e = 0; e < W * eki_groups(n, W); e++)
		vstore(g->sum + W * e, vzero());
	for (PTR k = 0; k < lists; k += W) {
		const int m = lists - k < W ? (int)(lists - k) : W;
		vec a[W];

		vtranspose(l->a_val + begin + k, lists, m, a);
		for (int q = 0; q < m; q++) {
			const IDX row = l->a_col[begin + k + q];
			const PTR from = l->b_ptr[row];

			place = FN(group_list)(g, place, l->b_val + from, l->b_ptr[row + 1] - from,
			                       vmul(vset1(l->alpha), a[q]));
		}
	}
	for (int64_t e = 0; e < n; e += W) {
		const vmask lanes = vmask_n(n - e < W ? n - e : W);
		vec row[W];

		vtranspose(g->sum + W * e, W, W, row);
		for (int r = 0; r < W; r++)
			vstore_n(val + r * n + e, row[r], lanes);
	}
}

/* Computes W rows from row i < end on if they are alike; the n > 0 columns of the first are `col`.
 * Returns whether it did. */
static inline bool FN(shifted_rows)(const LISTS *l, const eki_window *s, GROUP *g, int64_t i,
                                    int64_t end, const IDX *col, int64_t n, VAL *val)
{
	const bool known = g->next == i;
	const IDX base = col[0] & ~(IDX)63;

	g->next = -1;
	if (end - i < W || !FN(are_shifted)(l, known ? i - 1 : i, i + W))
		return false;
	if (!known) {
		if (col[n - 1] - base >= s->width)
			return false;
		FN(clear)(s, col[n - 1] - base + 1);
		if (!FN(find_places)(l, g, i, col, n, FN(zero_of)(s->sum, base)))
			return false;
	}
	FN(group_rows)(l, g, i, val);
	g->next = i + W;
	return true;
}
