/* SPDX-License-Identifier: BSD-3-Clause
 * Peers at run time: finding and loading their modules (peer.c). */
#ifndef EK_TOOL_PEER_H
#define EK_TOOL_PEER_H

#include "../bench/peers/peer.h"

#define PEERS_MAX 32

struct peers {
	const ek_peer *peer[PEERS_MAX];
	int count;
};

/* Gets the function that lists the peers of a module; false if there are none for this machine. */
typedef bool modules_add(void *user, void *list);

/* Loads every module PREFIX*.so of `folder` or, if that is NULL, of EK_PEERS, of the build folder
 * that the program lies in, or of the installed libexec folder. Modules that do not load are told
 * of on standard error unless `quiet`. They stay loaded. `symbol` is the name of the function. */
void modules_load(const char *prefix, const char *symbol, const char *folder, bool quiet,
                  modules_add *add, void *user);
/* The peers of products, peer_*.so. */
void peers_load(struct peers *peers, const char *folder, bool quiet);

#endif
