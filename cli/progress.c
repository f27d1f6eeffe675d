/* SPDX-License-Identifier: BSD-3-Clause
 * The progress bar. A thread draws it five times a second, starting after one second. The work
 * stores how much is done, and the total. If it stores neither, the bar shows the seconds that have
 * passed. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "ek.h"

struct tool_progress {
	char what[64];
	double start;
	bool color, drawn, ended;
	_Atomic int64_t done, total;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
};

static void draw(struct tool_progress *p)
{
	int64_t done = atomic_load(&p->done), total = atomic_load(&p->total);
	double seconds = tool_seconds() - p->start;
	struct winsize size;
	enum { BAR = 30 };
	char bar[BAR + 1];
	int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
	int name = width - (total > 0 ? BAR + 30 : 30); /* characters left for p->what */

	name = name < 1 ? 1 : name;
	if (total > 0) {
		double share = done < total ? (double)done / (double)total : 1;
		int full = (int)(share * BAR);

		for (int k = 0; k < BAR; k++)
			bar[k] = k < full ? '=' : k == full ? '>' : ' ';
		bar[BAR] = 0;
		fprintf(stderr, "\r%.*s %s[%s]%s %3.0f %%  %.0f s left \033[K", name, p->what,
		        p->color ? "\033[36m" : "", bar, p->color ? "\033[0m" : "", 100 * share,
		        share > 0 ? seconds / share - seconds : 0);
	} else if (done > 0) {
		fprintf(stderr, "\r%.*s  %s  %.0f s \033[K", name, p->what,
		        tool_bytes((char[32]){0}, (double)done), seconds);
	} else {
		fprintf(stderr, "\r%.*s  %.0f s \033[K", name, p->what, seconds);
	}
	p->drawn = true;
}

static void *drawer(void *arg)
{
	struct tool_progress *p = arg;
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	pthread_mutex_lock(&p->lock);
	while (!p->ended) {
		if (pthread_cond_timedwait(&p->wake, &p->lock, &t) != ETIMEDOUT)
			continue;
		draw(p);
		t.tv_nsec += 200000000;
		t.tv_sec += t.tv_nsec / 1000000000;
		t.tv_nsec %= 1000000000;
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

struct tool_progress *tool_progress_start(const struct tool_options *options, const char *what)
{
	const char *term = getenv("TERM");
	struct tool_progress *p;

	if (options->quiet || !isatty(STDERR_FILENO) || (term && strcmp(term, "dumb") == 0))
		return NULL;
	p = calloc(1, sizeof *p);
	if (!p)
		return NULL;
	snprintf(p->what, sizeof p->what, "%s", what);
	p->start = tool_seconds();
	p->color = tool_color(stderr);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->wake, NULL);
	if (pthread_create(&p->thread, NULL, drawer, p) != 0) {
		free(p);
		return NULL;
	}
	return p;
}

/* Returns "compiling for ..." if the context has a device: the first plans of a process mostly wait
 * for the compiler of the device. Otherwise returns "preparing". */
const char *tool_preparing(const ek_context *ctx)
{
	static char text[80];
	ek_device_info info = {.size = sizeof info};

	if (ek_context_get_device(ctx, &info) != EK_OK)
		return "preparing";
	snprintf(text, sizeof text, "compiling for %s", info.name);
	return text;
}

int tool_progress_step(void *progress, int64_t done, int64_t total)
{
	struct tool_progress *p = progress;

	if (p) {
		atomic_store(&p->done, done);
		atomic_store(&p->total, total);
	}
	return 0;
}

void tool_progress_name(struct tool_progress *progress, const char *what, const char *part)
{
	if (!progress)
		return;
	pthread_mutex_lock(&progress->lock);
	snprintf(progress->what, sizeof progress->what, "%s: %s", what, part);
	pthread_mutex_unlock(&progress->lock);
}

void tool_progress_end(struct tool_progress *progress)
{
	if (!progress)
		return;
	pthread_mutex_lock(&progress->lock);
	progress->ended = true;
	pthread_cond_signal(&progress->wake);
	pthread_mutex_unlock(&progress->lock);
	pthread_join(progress->thread, NULL);
	if (progress->drawn)
		fprintf(stderr, "\r\033[K");
	free(progress);
}
