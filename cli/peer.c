/* SPDX-License-Identifier: BSD-3-Clause
 * Loads the modules of the peers. Each is opened with its symbols kept local, so that two libraries
 * that export the same names do not meet. Their OpenMP run time must be the one of this library:
 * two pools of threads in one process disturb each other, since an idle pool spins for a while
 * before it sleeps. bench/peers/install.sh sees to that. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ek.h"
#include "peer.h"

#ifndef EK_LIBEXEC_DIR
#define EK_LIBEXEC_DIR "/usr/local/libexec/evenkeel"
#endif

typedef const ek_peer *const *peer_list_fn(void);

/* Where modules may lie: beside the program as built, beside it as installed, and where CMake
 * installs them. */
static bool find_folder(const char *folder, char path[PATH_MAX])
{
	static const char *const near[] = {"bench/peers", "../bench/peers", "peers",
	                                   "../libexec/evenkeel/peers"};
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	if (!folder)
		folder = getenv("EK_PEERS");
	if (folder)
		return snprintf(path, PATH_MAX, "%s", folder) < PATH_MAX;
	if (length > 0) {
		self[length] = 0;
		*strrchr(self, '/') = 0;
		for (size_t k = 0; k < sizeof near / sizeof *near; k++)
			if (snprintf(path, PATH_MAX, "%s/%s", self, near[k]) < PATH_MAX &&
			    access(path, X_OK) == 0)
				return true;
	}
	snprintf(path, PATH_MAX, "%s/peers", EK_LIBEXEC_DIR);
	return access(path, X_OK) == 0;
}

static void load_module(struct peers *peers, const char *path, bool quiet)
{
	void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	peer_list_fn *list = NULL;
	const ek_peer *const *peer;

	if (!module) {
		if (!quiet)
			fprintf(stderr, "%s: peer left out: %s\n", tool_name, dlerror());
		return;
	}
	*(void **)(void *)&list = dlsym(module, "ek_peer_list");
	peer = list ? list() : NULL;
	if (!peer && !quiet)
		fprintf(stderr, "%s: peer left out: %s does not work here\n", tool_name, path);
	for (; peer && *peer && peers->count < PEERS_MAX; peer++)
		if ((*peer)->abi == EK_PEER_ABI)
			peers->peer[peers->count++] = *peer;
}

static int is_module(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return strncmp(entry->d_name, "peer_", 5) == 0 && dot && strcmp(dot, ".so") == 0;
}

void peers_load(struct peers *peers, const char *folder, bool quiet)
{
	char path[PATH_MAX], file[PATH_MAX];
	struct dirent **entry;
	int count;

	peers->count = 0;
	if (!find_folder(folder, path)) {
		if (!quiet)
			fprintf(stderr, "%s: no peers: none are built (make peers)\n", tool_name);
		return;
	}
	count = scandir(path, &entry, is_module, alphasort);
	for (int k = 0; k < count; k++) {
		if (snprintf(file, sizeof file, "%s/%s", path, entry[k]->d_name) < PATH_MAX)
			load_module(peers, file, quiet);
		free(entry[k]);
	}
	if (count >= 0)
		free(entry);
	if (!peers->count && !quiet)
		fprintf(stderr, "%s: no peers in %s\n", tool_name, path);
}
