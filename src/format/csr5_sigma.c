/* SPDX-License-Identifier: BSD-3-Clause
 * Chooses sigma, the tile height of CSR5, by the mean length k of the rows. Sigma is r if k <= r, k
 * if r < k <= s, s if s < k <= t, and u if k is larger. r must be at most s, and any t below s has
 * the effect of t = s. The best bounds r, s, t and u depend on the machine. The environment
 * variable EK_CSR5_SIGMA sets them: first the four for doubles, then the four for floats. `ek tune
 * --tiles` measures them, on a device with --device. The defaults are those of a device, if it
 * makes the tiles, or were measured that way on processors with AVX-512, where the rule is about
 * one percent slower than the best height for each row length. Since each tile has a fixed cost,
 * high tiles are best as long as rows do not span whole tiles.
 *
 * Liu 2015, section 6.3.2, measures these bounds for GPUs and uses sigma = 16 (AVX2) and 12 (Xeon
 * Phi) on CPUs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/csr5.h"
#include "format/csr5_sigma.h"

/* Reads eight numbers, separated by commas, from `text`. Returns EK_EINVAL if the text is malformed
 * or a number is out of range. */
static ek_status read_bounds(const char *text, int64_t bound[EK_NVALUE][CSR5_BOUNDS])
{
	const int before = errno; /* strtoll changes errno if a number is too large */
	const char *at = text;
	bool good = true;

	for (int k = 0; k < EK_NVALUE * CSR5_BOUNDS && good; k++) {
		int64_t *own =
			bound[k < CSR5_BOUNDS ? EK_F64 - 1 : EK_F32 - 1]; /* doubles come first */
		const int which = k % CSR5_BOUNDS;
		char *end;
		const long long n = strtoll(at, &end, 10);

		good = end > at && n >= 1 && (which == CSR5_T || n <= CSR5_MAX_SIGMA) &&
		       (which != CSR5_S || n >= own[CSR5_R]) &&
		       *end == (k + 1 < EK_NVALUE * CSR5_BOUNDS ? ',' : '\0');
		own[which] = n;
		at = end + 1;
	}
	errno = before;
	if (!good)
		return eki_fail(EK_EINVAL,
		                "environment variable EK_CSR5_SIGMA is \"%s\"; r,s,t,u,r,s,t,u is "
		                "expected, for doubles and for floats, r, s and u from 1 to %d and "
		                "r <= s (ek tune --tiles measures them)",
		                text, CSR5_MAX_SIGMA);
	return EK_OK;
}

int64_t csr5_sigma_of(const int64_t b[CSR5_BOUNDS], const ek_store *csr)
{
	const int64_t k = csr->rows ? (csr->nnz + csr->rows / 2) / csr->rows : 0;

	return k <= b[CSR5_R]   ? b[CSR5_R]
	       : k <= b[CSR5_S] ? k
	       : k <= b[CSR5_T] ? b[CSR5_S]
	                        : b[CSR5_U];
}

ek_status csr5_bounds(ek_value value, const int64_t usual[CSR5_BOUNDS], int64_t bound[CSR5_BOUNDS])
{
	static const int64_t processor[CSR5_BOUNDS] = {32, 32, 64, 16};
	const char *text = eki_getenv("EK_CSR5_SIGMA");
	int64_t read[EK_NVALUE][CSR5_BOUNDS];

	if (text)
		EK_RETURN_IF(read_bounds(text, read));
	memcpy(bound,
	       text    ? read[value - 1]
	       : usual ? usual
	               : processor,
	       CSR5_BOUNDS * sizeof *bound);
	return EK_OK;
}

ek_status eki_csr5_environment(void)
{
	int64_t bound[CSR5_BOUNDS];

	return csr5_bounds(EK_F64, NULL, bound);
}
