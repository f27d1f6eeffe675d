/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that return strings which live as long as the program, so that callers need no buffers
 * (text.c). */
#ifndef EK_BENCH_TEXT_H
#define EK_BENCH_TEXT_H

#include <stdint.h>

/* Returns a formatted string. */
__attribute__((format(printf, 1, 2))) const char *keep(const char *format, ...);
/* Returns `memory`, or ends the program if that is NULL. */
void *need(void *memory, const char *what);
/* Return a number such as "1,234,567", a number of bytes such as "12.3 MiB", a number of things
 * such as "1 thread" or "2 threads", and a size such as "2^25", "96x2^16" or "1000". */
const char *text_count(double n);
const char *text_bytes(double n);
const char *text_many(double n, const char *what);
const char *text_size(int64_t n);
/* Returns NULL if that many bytes of memory are free, else a text such as "about 3 GiB are needed,
 * and 2 GiB are free". The caller gives the words before and after the first number. */
const char *text_lack(double bytes, const char *before, const char *after);

#endif
