/* SPDX-License-Identifier: BSD-3-Clause
 * Compiled programs on disk: one file for each program and device, in $EK_CACHE, else
 * $XDG_CACHE_HOME/evenkeel, else ~/.cache/evenkeel. A file holds the whole key (driver, device and
 * text), which is compared, a checksum, and what the driver gave; so neither a chance collision of
 * names nor a damaged file gives a wrong program. Files are written beside their place and renamed.
 * Whatever goes wrong here, the program is compiled instead. Folders and files of other users are
 * not read. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

#define MAGIC "evenkeel program 1\n"

enum { MOST_PATH = 1024, KEY_HEAD = 512 };

typedef struct head {
	char magic[24];
	uint64_t key_bytes, binary_bytes, checksum;
} head;

/* FNV-1a; the whole key is compared, so this only has to spread names and find damage. */
static uint64_t hash(const void *data, size_t bytes, uint64_t h)
{
	const unsigned char *p = data;

	for (size_t k = 0; k < bytes; k++)
		h = (h ^ p[k]) * 0x100000001b3u;
	return h;
}

static const uint64_t seed = 0xcbf29ce484222325u;

/* NULL-terminated path of the folder, made if it is missing. */
static bool folder(char path[MOST_PATH])
{
	const char *own = eki_getenv("EK_CACHE"), *base = eki_getenv("XDG_CACHE_HOME"),
		   *home = eki_getenv("HOME");
	struct stat s;
	int n;

	if (own && strcmp(own, "off") == 0)
		return false;
	if (own) {
		n = snprintf(path, MOST_PATH, "%s", own);
	} else if (base) {
		n = snprintf(path, MOST_PATH, "%s/evenkeel", base);
	} else if (home) {
		n = snprintf(path, MOST_PATH, "%s/.cache", home);
		if (n < MOST_PATH)
			mkdir(path, 0700);
		n = snprintf(path, MOST_PATH, "%s/.cache/evenkeel", home);
	} else {
		return false;
	}
	if (n >= MOST_PATH || path[0] != '/')
		return false;
	mkdir(path, 0700);
	return stat(path, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == geteuid();
}

static void key_head(const eki_device *dev, char text[KEY_HEAD])
{
	snprintf(text, KEY_HEAD, "%s|%s|%s|%s\n", dev->driver->name, dev->info.text,
	         dev->info.driver, dev->info.arch);
}

static bool file_of(const eki_device *dev, const char *text, char path[MOST_PATH],
                    char key[KEY_HEAD])
{
	char dir[MOST_PATH];
	uint64_t h;

	if (!folder(dir))
		return false;
	key_head(dev, key);
	h = hash(text, strlen(text), hash(key, strlen(key), seed));
	return snprintf(path, MOST_PATH, "%s/%016llx.program", dir, (unsigned long long)h) <
	       MOST_PATH;
}

/* key[0 .. bytes) is what the file has next. */
static bool same(FILE *f, const char *key, size_t bytes)
{
	char piece[4096];

	for (size_t at = 0, n; at < bytes; at += n) {
		n = bytes - at < sizeof piece ? bytes - at : sizeof piece;
		if (fread(piece, 1, n, f) != n || memcmp(piece, key + at, n) != 0)
			return false;
	}
	return true;
}

static void read_file(const eki_device *dev, FILE *f, const char *key, const char *text,
                      void **binary, int64_t *bytes)
{
	const size_t key_bytes = strlen(key), text_bytes = strlen(text);
	struct stat s;
	void *block;
	head h;

	if (fstat(fileno(f), &s) != 0 || s.st_uid != geteuid() || fread(&h, sizeof h, 1, f) != 1 ||
	    memcmp(h.magic, MAGIC, sizeof MAGIC) != 0 || h.key_bytes != key_bytes + text_bytes ||
	    h.binary_bytes == 0 || (uint64_t)s.st_size != sizeof h + h.key_bytes + h.binary_bytes ||
	    !same(f, key, key_bytes) || !same(f, text, text_bytes) ||
	    eki_alloc(dev->ctx, (int64_t)h.binary_bytes, 1, &block) != EK_OK)
		return;
	if (fread(block, 1, h.binary_bytes, f) == h.binary_bytes &&
	    hash(block, h.binary_bytes, seed) == h.checksum) {
		*binary = block;
		*bytes = (int64_t)h.binary_bytes;
	} else {
		eki_free(dev->ctx, block, (int64_t)h.binary_bytes, 1);
	}
}

void eki_cache_load(const eki_device *dev, const char *text, void **binary, int64_t *bytes)
{
	const int before = errno; /* the caller's */
	char path[MOST_PATH], key[KEY_HEAD];
	FILE *f;

	if (file_of(dev, text, path, key) && (f = fopen(path, "rb"))) {
		read_file(dev, f, key, text, binary, bytes);
		fclose(f);
	}
	errno = before;
}

void eki_cache_store(const eki_device *dev, const char *text, const void *binary, int64_t bytes)
{
	const int before = errno;
	char path[MOST_PATH], key[KEY_HEAD], part[MOST_PATH + 16];
	head h = {.magic = MAGIC,
	          .binary_bytes = (uint64_t)bytes,
	          .checksum = hash(binary, (size_t)bytes, seed)};
	int fd = -1;
	FILE *f = NULL;

	if (!file_of(dev, text, path, key))
		goto done;
	h.key_bytes = strlen(key) + strlen(text);
	snprintf(part, sizeof part, "%s.XXXXXX", path);
	fd = mkstemp(part);
	f = fd >= 0 ? fdopen(fd, "wb") : NULL;
	if (!f) {
		if (fd >= 0)
			close(fd);
		goto done;
	}
	const bool written =
		fwrite(&h, sizeof h, 1, f) == 1 && fwrite(key, strlen(key), 1, f) == 1 &&
		fwrite(text, strlen(text), 1, f) == 1 && fwrite(binary, (size_t)bytes, 1, f) == 1;

	if (fclose(f) != 0 || !written || rename(part, path) != 0)
		unlink(part);
done:
	errno = before;
}
#endif
