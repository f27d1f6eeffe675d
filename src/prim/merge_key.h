/* SPDX-License-Identifier: BSD-3-Clause
 * Access to the keys and values of a merge, in every pass of a file with EK_INTS_ONLY. Keys may be
 * floats and values anything, so they are copied, never accessed as what they are not; a copy of
 * constant size is one instruction. */
static inline __attribute__((always_inline)) VAL FN(key_at)(const char *key, int64_t i)
{
	VAL x;

	memcpy(&x, key + i * (int64_t)sizeof x, sizeof x);
	return x;
}

/* The integer that a key is compared as; `flip`, a constant where speed counts, says float. */
static inline __attribute__((always_inline)) VAL FN(key_order)(VAL x, bool flip)
{
	return flip ? x ^ (VAL)((UNS)(x >> (8 * sizeof x - 1)) >> 1) : x;
}

/* Copies the pair at place i to place o. */
static inline __attribute__((always_inline)) void FN(pair_move)(const char *key, const char *value,
                                                                int64_t i, char *to, char *to_value,
                                                                int64_t o, int64_t size)
{
	memcpy(to + o * (int64_t)sizeof(VAL), key + i * (int64_t)sizeof(VAL), sizeof(VAL));
	if (size)
		memcpy(to_value + o * size, value + i * size, (size_t)size);
}
