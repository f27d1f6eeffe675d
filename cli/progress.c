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
	int64_t seen; /* what was done when it was drawn last, and after how many seconds it was */
	double moved;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	pthread_t thread;
};

/* Writes what follows the bar: the share that is done, and the time that is left, if there is a
 * share from which to tell. It is told from the moment when that share was reached: where steps are
 * long, the time would else grow until the next one is done. */
static void after_bar(char text[48], const struct tool_progress *p, double share, double seconds)
{
	const int length = snprintf(text, 48, " %3.0f %%", 100 * share);
	const double left = share > 0 ? p->moved / share - seconds : -1;

	if (left >= 0)
		snprintf(text + length, 48 - (size_t)length, "  %.0f s left", left);
}

/* Draws p->what with a bar. On a narrow terminal the bar gets shorter before the text is cut. */
static void draw_share(const struct tool_progress *p, int width, double share, double seconds)
{
	enum { LEAST = 8, MOST = 30 };
	char bar[MOST + 1], after[48];

	after_bar(after, p, share, seconds);
	const int rest = width - 4 - (int)strlen(after); /* for name and bar */
	const int letters = (int)strlen(p->what);
	const int length = rest - letters > MOST    ? MOST
	                   : rest - letters < LEAST ? LEAST
	                                            : rest - letters;
	const int full = (int)(share * length), name = rest - length;

	for (int k = 0; k < length; k++)
		bar[k] = k < full ? '=' : k == full ? '>' : ' ';
	bar[length] = 0;
	fprintf(stderr, "\r%.*s %s[%s]%s%s \033[K", name < 1 ? 1 : name, p->what,
	        p->color ? "\033[36m" : "", bar, p->color ? "\033[0m" : "", after);
}

static void draw(struct tool_progress *p)
{
	int64_t done = atomic_load(&p->done), total = atomic_load(&p->total);
	double seconds = tool_seconds() - p->start;
	struct winsize size;
	int width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
	int name = width < 31 ? 1 : width - 30; /* characters left for p->what */

	if (done != p->seen) {
		p->seen = done;
		p->moved = seconds;
	}
	if (total > 0)
		draw_share(p, width, done < total ? (double)done / (double)total : 1, seconds);
	else if (done > 0)
		fprintf(stderr, "\r%.*s  %s  %.0f s \033[K", name, p->what,
		        tool_bytes((char[32]){0}, (double)done), seconds);
	else
		fprintf(stderr, "\r%.*s  %.0f s \033[K", name, p->what, seconds);
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
