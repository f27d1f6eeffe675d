/* SPDX-License-Identifier: BSD-3-Clause
 * Compiled programs on disk: one file for each program and device. The folder is $EK_CACHE, else
 * $XDG_CACHE_HOME/evenkeel, else ~/.cache/evenkeel. A file contains the whole key (driver, device,
 * compiler with its options, and text), a checksum, and the driver's binary. The whole key is
 * compared on loading, so neither two keys with the same hash nor a damaged file gives a wrong
 * program. Files are written under a temporary name and then renamed. If anything fails here, the
 * program is compiled.
 *
 * A binary that is read here runs on the device, so only this user may have written the file.
 * Folders and files that belong to other users, or that others may write to, are not used. A
 * program's file must not be a symbolic link. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "gpu/gpu.h"

#ifndef EK_NO_GPU

#define MAGIC "evenkeel program 2\n"

enum { MOST_PATH = 1024, COMPILER = 512, KEY_HEAD = 1024, NAME = 64 };

typedef struct head {
	char magic[24];
	uint64_t key_bytes, binary_bytes, checksum;
} head;

/* Place of one program on disk, and the head of its key: all of the key except the text. */
typedef struct place {
	int folder; /* file descriptor of the cache folder */
	char name[NAME], key[KEY_HEAD];
} place;

/* Computes the FNV-1a hash of `data`, starting from the hash h. It only has to keep file names
 * apart and to detect damage, since the whole key is compared on loading. */
static uint64_t hash(const void *data, size_t bytes, uint64_t h)
{
	const unsigned char *p = data;

	for (size_t k = 0; k < bytes; k++)
		h = (h ^ p[k]) * 0x100000001b3u;
	return h;
}

static const uint64_t seed = 0xcbf29ce484222325u;

static bool ours_alone(const struct stat *s)
{
	return s->st_uid == geteuid() && !(s->st_mode & (S_IWGRP | S_IWOTH));
}

/* Finds the path of the cache folder. Returns false if the cache is off or there is no valid
 * path. */
static bool folder_path(char path[MOST_PATH])
{
	const char *own = eki_getenv("EK_CACHE"), *base = eki_getenv("XDG_CACHE_HOME"),
		   *home = eki_getenv("HOME");
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
	return n < MOST_PATH && path[0] == '/';
}

/* Opens the cache folder, and creates it if it is missing. Returns its file descriptor, or a
 * negative number if the folder cannot be used. */
static int open_folder(void)
{
	char path[MOST_PATH];
	struct stat s;
	int fd;

	if (!folder_path(path))
		return -1;
	mkdir(path, 0700);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && (fstat(fd, &s) != 0 || !ours_alone(&s))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Finds the folder, the file name and the key of a program. Returns false if the cache cannot be
 * used. Otherwise the caller must close p->folder. */
static bool find_place(eki_device *dev, const char *text, place *p)
{
	char compiler[COMPILER];
	uint64_t h;

	p->folder = open_folder();
	if (p->folder < 0)
		return false;
	if (dev->driver->compiler(dev, compiler, sizeof compiler) != EK_OK ||
	    snprintf(p->key, KEY_HEAD, "%s|%s|%s|%s|%s\n", dev->driver->name, dev->info.text,
	             dev->info.driver, dev->info.arch, compiler) >= KEY_HEAD) {
		close(p->folder);
		return false;
	}
	h = hash(text, strlen(text), hash(p->key, strlen(p->key), seed));
	snprintf(p->name, NAME, "%016llx.program", (unsigned long long)h);
	return true;
}

/* Tells whether the next `bytes` bytes of the file equal those at `key`. */
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

	if (fstat(fileno(f), &s) != 0 || !S_ISREG(s.st_mode) || !ours_alone(&s) ||
	    fread(&h, sizeof h, 1, f) != 1 || memcmp(h.magic, MAGIC, sizeof MAGIC) != 0 ||
	    h.key_bytes != key_bytes + text_bytes || h.binary_bytes == 0 ||
	    (uint64_t)s.st_size != sizeof h + h.key_bytes + h.binary_bytes ||
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

void eki_cache_load(eki_device *dev, const char *text, void **binary, int64_t *bytes)
{
	const int before = errno; /* the caller's errno, restored at the end */
	place p;
	int fd;
	FILE *f;

	if (find_place(dev, text, &p)) {
		fd = openat(p.folder, p.name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		f = fd >= 0 ? fdopen(fd, "rb") : NULL;
		if (f) {
			read_file(dev, f, p.key, text, binary, bytes);
			fclose(f);
		} else if (fd >= 0) {
			close(fd);
		}
		close(p.folder);
	}
	errno = before;
}

static bool write_file(FILE *f, const char *key, const char *text, const void *binary,
                       int64_t bytes)
{
	const head h = {.magic = MAGIC,
	                .key_bytes = strlen(key) + strlen(text),
	                .binary_bytes = (uint64_t)bytes,
	                .checksum = hash(binary, (size_t)bytes, seed)};
	const bool written =
		fwrite(&h, sizeof h, 1, f) == 1 && fwrite(key, strlen(key), 1, f) == 1 &&
		fwrite(text, strlen(text), 1, f) == 1 && fwrite(binary, (size_t)bytes, 1, f) == 1;

	return fclose(f) == 0 && written;
}

/* Writes a program's file under a temporary name, and then renames it. */
static void store(const place *p, const char *text, const void *binary, int64_t bytes)
{
	static _Atomic unsigned serial;
	char part[NAME + 32];
	struct timespec now;
	FILE *f;
	int fd;

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(part, sizeof part, "%s.%lx.%x", p->name, (long)now.tv_nsec,
	         atomic_fetch_add(&serial, 1));
	fd = openat(p->folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	f = fd >= 0 ? fdopen(fd, "wb") : NULL;
	if (!f && fd >= 0)
		close(fd);
	if (fd >= 0 && !(f && write_file(f, p->key, text, binary, bytes) &&
	                 renameat(p->folder, part, p->folder, p->name) == 0))
		unlinkat(p->folder, part, 0);
}

/* Asks for the binary only if there is a place for it: PoCL compiles every kernel once more to make
 * it. */
void eki_cache_store(eki_device *dev, const char *text, void *program)
{
	const int before = errno;
	void *binary = NULL;
	int64_t bytes = 0;
	place p;

	if (find_place(dev, text, &p)) {
		if (dev->driver->save(dev, program, &binary, &bytes) == EK_OK && binary)
			store(&p, text, binary, bytes);
		eki_free(dev->ctx, binary, bytes, 1);
		close(p.folder);
	}
	errno = before;
}
#endif
