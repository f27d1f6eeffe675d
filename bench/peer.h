/* SPDX-License-Identifier: BSD-3-Clause
 * Peers at run time: how their modules are found and loaded (peer.c). */
#ifndef EK_TOOL_PEER_H
#define EK_TOOL_PEER_H

#include <stdbool.h>

#include "peers/peer.h"

/* Stores in `path` the first existing one of the paths `near`, which are relative to the folder of
 * the program and end with NULL. Returns false if none exists. */
enum { PATH_BYTES = 4096 };
bool path_beside(const char *const *near, char path[PATH_BYTES]);

#define PEERS_MAX 32

struct peers {
	const ek_peer *peer[PEERS_MAX];
	int count;
};

/* Loads every module peer_*.so in `folder`. If that is NULL, the folder is the value of EK_PEERS,
 * or is in the build folder of the program, or is the installed libexec folder. Adds the peers that
 * have the operation and run on a device or, if `device` is false, on the processor. Unless
 * `quiet`, reports on standard error modules that cannot be loaded, and whether no peers were
 * found. Modules stay loaded. */
void peers_load(struct peers *peers, ek_operation operation, bool device, const char *folder,
                bool quiet);

#endif
