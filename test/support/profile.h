/* SPDX-License-Identifier: BSD-3-Clause
 * Texts of profiles, written by another way than the library does, to be spoilt by tests. */
#ifndef TEST_PROFILE_H
#define TEST_PROFILE_H

#include "tune/tune.h"

enum { MOST_TEXT = 1 << 14 };

/* The profile of a device, measured 2026-11-25 by this version: launch 77, device_gbps 5,
 * lane_gather 9 and, of a processor, loop_gbps 3. */
void device_profile(const eki_subject *s, char text[MOST_TEXT]);
/* Replaces the first `from` in a text, which must be there. */
void text_replace(char text[MOST_TEXT], const char *from, const char *to);
void text_write(const char *file, const char *text);

#endif
