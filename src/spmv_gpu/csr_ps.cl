/* SPDX-License-Identifier: BSD-3-Clause
 * SpMV on CSR in two launches, products and sums (csr_ps.c): ps_products and ps_sums, or
 * ps_multiply and ps_sums_published. Compile-time parameters: EK_WG, work-items of a group; EACH,
 * entries of a work-item; CAPACITY, products that fit into local memory. */
EK_KERNEL(ps_products, EK_WG)
(ek_i64 nnz, const EK_GLOBAL IDX *EK_RESTRICT col_idx, const EK_GLOBAL VAL *EK_RESTRICT val,
 const EK_GLOBAL VAL *EK_RESTRICT x, EK_GLOBAL VAL *product)
{
	const ek_i64 first = EK_GROUP() * (EK_WG * EACH) + EK_LID();

	for (int e = 0; e < EACH; e++) {
		const ek_i64 k = first + e * EK_WG;

		if (k < nnz)
			product[k] = EK_MUL(val[k], x[col_idx[k]]);
	}
}

EK_KERNEL(ps_sums, EK_WG)
(ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL VAL *EK_RESTRICT product,
 VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL scratch[CAPACITY];
	const ek_i64 first = EK_GROUP() * EK_WG, i = first + EK_LID();
	const ek_i64 stop = row_ptr[rows - first > EK_WG ? first + EK_WG : rows];
	const ek_i64 end = i < rows ? row_ptr[i + 1] : 0;
	ek_i64 k = i < rows ? row_ptr[i] : 0;
	VAL sum = 0;

	for (ek_i64 base = row_ptr[first]; base < stop; base += CAPACITY) {
		const ek_i64 here = stop - base < CAPACITY ? stop : base + CAPACITY;

		EK_BARRIER(); /* others may still read the previous products */
		for (ek_i64 l = base + EK_LID(); l < here; l += EK_WG)
			scratch[l - base] = product[l];
		EK_BARRIER();
		for (; k < end && k < here; k++)
			sum += scratch[k - base];
	}
	if (i < rows)
		ek_finish(sum, alpha, beta, y + i);
}

/* Does what ps_products does for an x that is expanded: it has an element for each entry. */
EK_KERNEL(ps_multiply, EK_WG)
(ek_i64 nnz, const EK_GLOBAL VAL *EK_RESTRICT val, const EK_GLOBAL VAL *EK_RESTRICT x,
 EK_GLOBAL VAL *product)
{
	const ek_i64 first = EK_GROUP() * (EK_WG * EACH) + EK_LID();

	for (int e = 0; e < EACH; e++) {
		const ek_i64 k = first + e * EK_WG;

		if (k < nnz)
			product[k] = EK_MUL(val[k], x[k]);
	}
}

/* Does what ps_sums does, but fills local memory once, and reads the other products of the group
 * from global memory. */
EK_KERNEL(ps_sums_published, EK_WG)
(ek_i64 rows, const EK_GLOBAL PTR *EK_RESTRICT row_ptr, const EK_GLOBAL VAL *EK_RESTRICT product,
 VAL alpha, VAL beta, EK_GLOBAL VAL *y)
{
	EK_LOCAL VAL scratch[CAPACITY];
	const ek_i64 first = EK_GROUP() * EK_WG, i = first + EK_LID();
	const ek_i64 base = row_ptr[first];
	const ek_i64 stop = row_ptr[rows - first > EK_WG ? first + EK_WG : rows];
	const ek_i64 here = stop - base < CAPACITY ? stop : base + CAPACITY;
	const ek_i64 end = i < rows ? row_ptr[i + 1] : 0;
	ek_i64 k = i < rows ? row_ptr[i] : 0;
	VAL sum = 0;

	for (ek_i64 l = base + EK_LID(); l < here; l += EK_WG)
		scratch[l - base] = product[l];
	EK_BARRIER();
	for (; k < end && k < here; k++)
		sum += scratch[k - base];
	for (; k < end; k++)
		sum += product[k];
	if (i < rows)
		ek_finish(sum, alpha, beta, y + i);
}
