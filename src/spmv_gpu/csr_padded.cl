/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR with padded rows, with one work-item for each row (csr_padded.c). Rows have whole
 * packs of PAD entries; pack_ptr has the first pack of each row. A pack of values and one of
 * columns are structs that are aligned to 16 bytes, so that compilers may load as much at a time.
 * Compile-time parameters: EK_WG, work-items of a group; PAD, entries of a pack. */
#ifdef __CUDACC__
#define PACK(name, type) struct alignas(16) name { type v[PAD]; }
PACK(pack_val, VAL);
PACK(pack_col, IDX);
#else
#define PACK(name, type) typedef struct __attribute__((aligned(16))) { type v[PAD]; } name
PACK(pack_val, VAL);
PACK(pack_col, IDX);
#endif

/* Fills the packs of each row from the arrays of CSR. Padding has the value 0 and the last column
 * of its row. */
EK_KERNEL(csr_pad, EK_WG)
(ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL IDX *EK_RESTRICT col_idx,
 const EK_GLOBAL VAL *EK_RESTRICT val, const EK_GLOBAL PTR *EK_RESTRICT pack_ptr,
 EK_GLOBAL IDX *EK_RESTRICT to_col, EK_GLOBAL VAL *EK_RESTRICT to_val)
{
	const ek_i64 i = EK_GROUP() * EK_WG + EK_LID();

	if (i < rows) {
		const ek_i64 first = row_ptr[i], n = row_ptr[i + 1] - first;
		const ek_i64 to = (ek_i64)pack_ptr[i] * PAD;
		const ek_i64 places = (ek_i64)pack_ptr[i + 1] * PAD - to;

		for (ek_i64 k = 0; k < places; k++) {
			to_col[to + k] = col_idx[first + (k < n ? k : n - 1)];
			to_val[to + k] = k < n ? val[first + k] : (VAL)0;
		}
	}
}

EK_KERNEL(csr_padded, EK_WG)
(ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL PTR *EK_RESTRICT pack_ptr,
 const EK_GLOBAL pack_col *EK_RESTRICT col_idx, const EK_GLOBAL pack_val *EK_RESTRICT val,
 VAL alpha, const EK_GLOBAL VAL *EK_RESTRICT x, VAL beta, EK_GLOBAL VAL *y)
{
	const ek_i64 i = EK_GROUP() * EK_WG + EK_LID();

	if (i < rows) {
		const ek_i64 begin = pack_ptr[i], end = pack_ptr[i + 1];
		VAL sum = 0;

		for (ek_i64 k = begin; k < end; k++) {
			const pack_val a = val[k];
			const pack_col c = col_idx[k];

			for (int j = 0; j < PAD; j++)
				sum += EK_MUL(a.v[j], x[c.v[j]]);
		}
		if (!EK_IS_FINITE(sum)) { /* 0 times Inf, of padding, is NaN */
			const ek_i64 n = row_ptr[i + 1] - row_ptr[i];

			sum = 0;
			for (ek_i64 k = 0; k < n; k++)
				sum += EK_MUL(val[begin + k / PAD].v[k % PAD],
				              x[col_idx[begin + k / PAD].v[k % PAD]]);
		}
		ek_finish(sum, alpha, beta, y + i);
	}
}
