/* SPDX-License-Identifier: BSD-3-Clause
 * Ends a pass of core/for_each.h: nothing of it stays defined. */
#undef EK_SUFFIX
#undef VAL
#undef PTR
#undef IDX
#undef EK_VAL_F64
#undef EK_IDX_64
#undef W
#undef vec
#undef vzero
#undef vload
#undef vgather
#undef vload_n
#undef vgather_n
#undef vfma
#undef vmul
#undef vadd
#undef vsum
