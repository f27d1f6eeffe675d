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

/* Loads every peer_*.so of `folder` or, if that is NULL, of EK_PEERS, of the build folder that the
 * program lies in, or of the installed libexec folder. Modules that do not load are told of on
 * standard error unless `quiet`. They stay loaded. */
void peers_load(struct peers *peers, const char *folder, bool quiet);

#endif
