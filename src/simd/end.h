/* SPDX-License-Identifier: BSD-3-Clause
 * Ends a pass of core/for_each.h: nothing of it stays defined. */
#undef EK_SUFFIX
#undef VAL
#undef PTR
#undef IDX
#undef EK_VAL_F64
#undef EK_IDX_64
#undef EK_INDEX_OF_PASS
#undef W
#undef vec
#undef vmask
#undef vmask_n
#undef vzero
#undef vset1
#undef vload
#undef vload_n
#undef vstore
#undef vstore_n
#undef vgather
#undef vgather_n
#undef vadd
#undef vmul
#undef vfma
#undef vfused
#undef vfused_n
#undef vsum
#undef vsum_rows
