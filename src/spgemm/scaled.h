/* SPDX-License-Identifier: BSD-3-Clause
 * A row of a matrix times a factor. Included once in each pass of base/for_each.h; SCALED is the
 * name of the type, which the including file undefines. */
#define SCALED FN(scaled_row)

typedef struct SCALED {
	const IDX *col;
	const VAL *val; /* NULL if values are not read: then they count as 0 */
	int64_t n;
	VAL a;
} SCALED;

/* Returns entries [begin, end) of a CSR store times `a`, without values unless `read`. */
static inline SCALED FN(scaled)(const ek_store *csr, int64_t begin, int64_t end, VAL a, bool read)
{
	return (SCALED){.col = (const IDX *)csr->array[CSR_COL] + begin,
	                .val = read ? (const VAL *)csr->array[CSR_VAL] + begin : NULL,
	                .n = end - begin,
	                .a = a};
}

/* Returns row i of a CSR store times `a`. */
static inline SCALED FN(scaled_of)(const ek_store *csr, int64_t i, VAL a, bool read)
{
	const PTR *ptr = csr->array[CSR_PTR];

	return FN(scaled)(csr, ptr[i], ptr[i + 1], a, read);
}
