/* SPDX-License-Identifier: BSD-3-Clause
 * Loads the modules of the peers, and enters peers in a measurement. Each module is opened with its
 * symbols kept local, so that two libraries that export the same names do not collide. All peers
 * must use one OpenMP run time, which bench/peers/install.sh arranges: two of them would have twice
 * as many threads, which disturb each other. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"

#ifndef EK_LIBEXEC_DIR
#define EK_LIBEXEC_DIR "/usr/local/libexec/evenkeel"
#endif

bool path_beside(const char *const *near, char path[PATH_BYTES])
{
	char self[PATH_BYTES];
	const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	if (length <= 0)
		return false;
	self[length] = 0;
	*strrchr(self, '/') = 0;
	for (; *near; near++)
		if (snprintf(path, PATH_BYTES, "%s/%s", self, *near) < PATH_BYTES &&
		    access(path, R_OK) == 0)
			return true;
	return false;
}

/* Finds the folder of the modules: `folder`, the variable EK_PEERS, a folder near the program as it
 * was built or installed, or the folder where CMake installs modules. */
static bool find_folder(const char *folder, char path[PATH_BYTES])
{
	static const char *const near[] = {"bench/peers", "../bench/peers", "peers",
	                                   "../libexec/evenkeel/peers", NULL};

	if (!folder)
		folder = getenv("EK_PEERS");
	if (folder)
		return snprintf(path, PATH_BYTES, "%s", folder) < PATH_BYTES;
	if (path_beside(near, path))
		return true;
	snprintf(path, PATH_BYTES, "%s/peers", EK_LIBEXEC_DIR);
	return access(path, X_OK) == 0;
}

/* ---- Loading --------------------------------------------------------------------------------- */

/* Returns the operation whose peers are wanted. */
static ek_operation wanted(const struct bench *b)
{
	return b->op->peers ? b->op->peers : b->op->operation;
}

/* Tells whether --method names a method of the processor. */
static bool names_processor(const struct bench *b)
{
	const char *names = methods_named(b);
	char name[TOOL_METHOD];

	while (names && tool_method_next_of(b->op->operation, &names, name))
		if (!tool_chooses(name) && !tool_method_on_device(name) &&
		    !tool_method_on_both(name))
			return true;
	return false;
}

/* Tells whether a peer is of the side that is measured. On a device peers of the processor take
 * part beside methods of the processor, which only --method brings there, and as these: with data
 * of the host and the processor's clock. */
static bool peer_here(const struct bench *b, const ek_peer *peer)
{
	return tool_on_device(b->ctx) ? peer->device || names_processor(b) : !peer->device;
}

/* Adds the peers of a module. Returns false, and says why, if the module cannot be used here. */
static bool load_module(struct bench *b, const char *path)
{
	struct peers *peers = &b->peers;
	void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const ek_peer *const *(*list)(void) = NULL;
	const ek_peer *const *peer = NULL;

	if (module)
		*(void **)(void *)&list = dlsym(module, "ek_peer_list");
	if (list)
		peer = list();
	else
		tool_remark(&b->o.common, "peer left out: %s", dlerror());
	if (list && !peer)
		tool_remark(&b->o.common, "peer left out: %s does not work here", path);
	for (const ek_peer *const *p = peer; p && *p; p++)
		if ((*p)->abi == EK_PEER_ABI && (*p)->operations & EK_PEER_OF(wanted(b)) &&
		    peer_here(b, *p) && peers->count < PEERS_MAX)
			peers->peer[peers->count++] = *p;
	return peer;
}

void peers_load(struct bench *b)
{
	const struct tool_options *common = &b->o.common;
	char path[PATH_BYTES], file[PATH_BYTES];
	struct dirent **entry;
	int count, loaded = 0;

	if (!find_folder(b->o.peer_folder, path)) {
		tool_remark(common, "no peers: none are built (make peers)");
		return;
	}
	count = scandir(path, &entry, NULL, alphasort);
	for (int k = 0; k < count; k++) {
		const char *name = entry[k]->d_name, *dot = strrchr(name, '.');

		if (strncmp(name, "peer_", 5) == 0 && dot && strcmp(dot, ".so") == 0 &&
		    snprintf(file, sizeof file, "%s/%s", path, name) < PATH_BYTES)
			loaded += load_module(b, file);
		free(entry[k]);
	}
	if (count >= 0)
		free(entry);
	if (!loaded)
		tool_remark(common, "no peers in %s", path);
	else if (!b->peers.count)
		tool_remark(common, "no peers: none of those that are built does %s on %s",
		            ek_operation_name(wanted(b)),
		            tool_on_device(b->ctx) ? "devices" : "the processor");
}

/* ---- Entrants -------------------------------------------------------------------------------- */

struct guest {
	const ek_peer *peer;
	const ek_peer_problem *problem;
	void *state;
};

static bool run_calls(struct entrant *e, int64_t calls)
{
	const struct guest *g = e->own;
	const struct operation *op = e->field->bench->op;

	if (!op->next)
		return g->peer->run(g->state, calls) == 0;
	for (; calls > 0; calls--) {
		op->next(e->field->problem);
		if (g->peer->run(g->state, 1) != 0)
			return false;
	}
	return true;
}

static void run(void *entrant, int64_t calls)
{
	struct entrant *e = entrant;

	e->record.failed |= !run_calls(e, calls);
}

static double clocked(void *entrant, int64_t calls)
{
	const struct guest *g = ((struct entrant *)entrant)->own;

	run(entrant, calls);
	return g->peer->elapsed(g->state);
}

/* Notes that the times of a peer with a clock of the device are by that clock. */
static void take_clock(struct entrant *e)
{
	spread_ms(e->record.v, V_DEVICE_MS, e);
	e->record.v[V_DEVICE_GFLOPS] = e->record.v[V_GFLOPS];
}

static bool move(struct entrant *e, bool back)
{
	const struct guest *g = e->own;
	int (*const copy)(void *) = back ? g->peer->fetch : g->peer->load;

	return !copy || copy(g->state) == 0;
}

static bool prepare(struct entrant *e, void **spare)
{
	const struct guest *g = e->own;

	return g->peer->prepare(g->problem, spare) == 0;
}

static void drop(struct entrant *e, void *spare)
{
	((const struct guest *)e->own)->peer->release(spare);
}

static void release(void *own)
{
	const struct guest *g = own;

	if (g->state)
		g->peer->release(g->state);
}

static void enter(struct field *f, const ek_peer *peer, const ek_peer_problem *problem)
{
	struct entrant *e = entrant_add(f, RECORD_PEER, "peer.", peer->name, sizeof(struct guest));
	struct guest *g = e->own;

	g->peer = peer;
	g->problem = problem;
	e->prepare = prepare;
	e->drop = drop;
	e->calls.run = run;
	e->calls.clocked = peer->elapsed ? clocked : NULL;
	e->after = peer->elapsed ? take_clock : NULL;
	e->move = move;
	e->why = peer->error;
	e->release = release;
	e->record.device = peer->device ? f->bench->device.name : e->record.device;
	e->record.version = peer->version();
	e->again = peer->again;
	const double start = tool_seconds();

	if (peer->prepare(problem, &g->state) != 0) {
		e->record.failed = true;
		e->record.why = keep("%s", peer->error());
		g->state = NULL;
		return;
	}
	e->record.v[V_PREPARE_MS] = e->record.v[V_FIRST_MS] = 1e3 * (tool_seconds() - start);
	entrant_check(e);
	entrant_check(e); /* again, after a first run */
}

void enter_peers(struct field *f, const ek_peer_problem *problem)
{
	for (int k = 0; k < f->bench->peers.count; k++)
		if (f->bench->peers.peer[k]->supports(problem))
			enter(f, f->bench->peers.peer[k], problem);
}

/* Returns the number of the CUDA device that is measured, or -1. */
static int device_number(const struct bench *b)
{
	return b->device.size && strncmp(b->device.name, "cuda:", 5) == 0 ? atoi(b->device.name + 5)
	                                                                  : -1;
}

ek_peer_problem peer_problem(const struct bench *b, const ek_matrix *A, bool transposed)
{
	static const char *const name[] = {"row_ptr", "col_idx", "val"};
	ek_matrix_info info = {.size = sizeof info};
	const void *array[3];

	/* A is in CSR (suite.c), so neither call can fail. */
	ek_matrix_get_info(A, &info);
	for (int k = 0; k < 3; k++) {
		ek_view view = {.size = sizeof view};

		ek_matrix_array(A, name[k], &view);
		array[k] = view.data;
	}
	return (ek_peer_problem){.operation = wanted(b),
	                         .type = info.value,
	                         .threads = ek_context_threads(b->ctx),
	                         .device = device_number(b),
	                         .rows = info.rows,
	                         .cols = info.cols,
	                         .nnz = info.nnz,
	                         .row_ptr = array[0],
	                         .col_idx = array[1],
	                         .val = array[2],
	                         .value_bytes = (int)ek_value_size(info.value),
	                         .ptr_bytes = info.index == EK_I32 ? 4 : 8,
	                         .idx_bytes = info.index == EK_I64 ? 8 : 4,
	                         .transposed = transposed,
	                         .alpha = 1};
}
