/* SPDX-License-Identifier: BSD-3-Clause
 * Undefines the macros that prim/lanes.h defines for a pass. */
#undef EK_EACH_PAIR
#undef GREATEST
#undef INLINE
#undef NET_GREATER
#undef NET_GREATER_IN
#undef NET_MAX
#undef NET_MIX
#undef NET_ORDER
#undef NET_OTHER
#undef NET_PERMUTE
#undef NET_SWAP
#undef NET_TAKE
#undef NET_UPPER
