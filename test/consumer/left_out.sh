# SPDX-License-Identifier: BSD-3-Clause
# Sourced by tests: left_out WHAT says that this is not tested here, for want of a package. That is a
# failure if CI is set. What an option switched off is not for this function.
left_out() {
	echo "left out: $1"
	[ -z "${CI:-}" ]
}
