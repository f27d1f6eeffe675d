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

static bool load_module(const char *path, const char *symbol, bool quiet, modules_add *add,
                        void *user)
{
	void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *list = module ? dlsym(module, symbol) : NULL;

	if (!list) {
		if (!quiet)
			fprintf(stderr, "%s: peer left out: %s\n", tool_name, dlerror());
		return false;
	}
	if (add(user, list))
		return true;
	if (!quiet)
		fprintf(stderr, "%s: peer left out: %s does not work here\n", tool_name, path);
	return false;
}

void modules_load(const char *prefix, const char *symbol, const char *folder, bool quiet,
                  modules_add *add, void *user)
{
	char path[PATH_MAX], file[PATH_MAX];
	struct dirent **entry;
	int count, loaded = 0;

	if (!find_folder(folder, path)) {
		if (!quiet)
			fprintf(stderr, "%s: no peers: none are built (make peers)\n", tool_name);
		return;
	}
	count = scandir(path, &entry, NULL, alphasort);
	for (int k = 0; k < count; k++) {
		const char *name = entry[k]->d_name, *dot = strrchr(name, '.');

		if (strncmp(name, prefix, strlen(prefix)) == 0 && dot && strcmp(dot, ".so") == 0 &&
		    snprintf(file, sizeof file, "%s/%s", path, name) < PATH_MAX)
			loaded += load_module(file, symbol, quiet, add, user);
		free(entry[k]);
	}
	if (count >= 0)
		free(entry);
	if (!loaded && !quiet)
		fprintf(stderr, "%s: no peers in %s\n", tool_name, path);
}

static bool add_peers(void *user, void *list)
{
	struct peers *peers = user;
	peer_list_fn *fn = NULL;
	const ek_peer *const *peer;

	*(void **)(void *)&fn = list;
	peer = fn();
	if (!peer)
		return false;
	for (; *peer && peers->count < PEERS_MAX; peer++)
		if ((*peer)->abi == EK_PEER_ABI)
			peers->peer[peers->count++] = *peer;
	return true;
}

void peers_load(struct peers *peers, const char *folder, bool quiet)
{
	peers->count = 0;
	modules_load("peer_", "ek_peer_list", folder, quiet, add_peers, peers);
}
