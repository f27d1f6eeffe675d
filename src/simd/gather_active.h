/* SPDX-License-Identifier: BSD-3-Clause
 * For passes whose gathers leave out inactive lanes by themselves, that is, all but those of
 * loads.h: they need not know what lies behind the active lanes, and are short enough to be inlined
 * W times. simd/scalar.h says what each operation means. */
#define vgather_inlined(x, c)             vgather(x, c)
#define vgather_within(x, c, m, left)     ((void)(left), vgather_n(x, c, m))
#define vgather_u16_within(x, c, m, left) ((void)(left), vgather_u16_n(x, c, m))
#define EK_ONE_OF_W                       inline
