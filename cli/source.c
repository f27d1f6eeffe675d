/* SPDX-License-Identifier: BSD-3-Clause
 * Makes contexts, and matrices from any source: a file, standard input, a generator, a twin. A name
 * is looked up in this order: file, generator, twin, any other matrix in the folder EK_MATRICES.
 * For a twin, the real matrix in that folder comes before the generated one. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ek.h"

/* Tells whether any method that runs on a device can multiply by op(A) with EK_REPRO_STRICT. */
static bool reproducible_on_device(ek_op op)
{
	for (const ek_method *m = NULL; (m = ek_method_next(m));)
		if (tool_method_on_device(ek_method_name(m)) &&
		    ek_method_supports(m, op, EK_REPRO_STRICT))
			return true;
	return false;
}

/* Prints a warning of the library, for example that numbers in a file were rounded. */
static void warning(void *user, ek_log_level level, const char *text)
{
	(void)level;
	tool_remark(user, "%s", text);
}

ek_context *tool_context(const struct tool_options *options, int *code)
{
	ek_options o = {.size = sizeof o,
	                .log = warning,
	                .log_user = (void *)(uintptr_t)options,
	                .threads = options->threads,
	                .isa_limit = options->isa_limit,
	                .device = options->device,
	                .device_memory = options->device_memory};
	ek_context *ctx = NULL;
	ek_status status;

	*code = tool_json_open(options);
	if (*code != TOOL_OK)
		return NULL;
	status = ek_context_create(&o, &ctx);
	if (status == EK_EDEVICE)
		*code = tool_fail(
			TOOL_UNSUPPORTED, "%s%s: %s", options->device ? "--device " : "EK_DEVICE=",
			options->device ? options->device : getenv("EK_DEVICE"), ek_error_text());
	else
		*code = tool_check(status);
	if (*code != TOOL_OK)
		return NULL;
	if ((tool_method_on_device(options->method) || tool_method_on_both(options->method)) &&
	    !tool_on_device(ctx)) {
		*code = tool_fail(
			TOOL_UNSUPPORTED,
			"--method %s: runs on a device; --device names one (ek list devices)",
			options->method);
		ek_context_destroy(ctx);
		return NULL;
	}
	if (options->memory_given && !tool_on_device(ctx))
		tool_usage("--device-memory is for a device; --device names one (ek list devices)");
	if (options->reproducible == EK_REPRO_STRICT && tool_on_device(ctx) &&
	    !reproducible_on_device(options->op))
		tool_remark(options, "--reproducible: no method on a device is, so the processor "
		                     "makes the products");
	if (options->isa_limit && EK_ISA_LIMIT(ek_context_isa(ctx)) != options->isa_limit) {
		*code = tool_fail(TOOL_UNSUPPORTED,
		                  "--isa %s: this machine (or EK_ISA) allows at most %s",
		                  ek_isa_name((ek_isa)(options->isa_limit - 1)),
		                  ek_isa_name(ek_context_isa(ctx)));
		ek_context_destroy(ctx);
		return NULL;
	}
	return ctx;
}

/* ---- Names ----------------------------------------------------------------------------------- */

static const ek_twin *find_twin(const char *name)
{
	const ek_twin *t = NULL;

	while ((t = ek_twin_next(t)) && strcmp(t->name, name) != 0)
		;
	return t;
}

static const ek_generator *find_generator(const char *text)
{
	size_t len = strcspn(text, ":");
	const ek_generator *g = NULL;

	while ((g = ek_generator_next(g)))
		if (strlen(ek_generator_name(g)) == len &&
		    strncmp(ek_generator_name(g), text, len) == 0)
			break;
	return g;
}

/* Tells whether `path`, the value of EK_MATRICES, is a folder. Reports once if it is not. */
static bool is_folder(const char *path)
{
	static bool said;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return true;
	if (!said)
		tool_fail(TOOL_OK, "EK_MATRICES=%s is not a folder and does not count", path);
	said = true;
	return false;
}

bool tool_real_path(const char *name, char *path, size_t size)
{
	static const char *const endings[] = {".mtx.gz", ".mtx", ".tar.gz"};
	const char *folder = getenv("EK_MATRICES");
	struct stat st;

	if (!folder || !folder[0] || strchr(name, '/') || !is_folder(folder))
		return false;
	for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
		char file[4096];
		int len = snprintf(file, sizeof file, "%s/%s%s", folder, name, endings[k]);

		if (len < 0 || (size_t)len >= sizeof file || (size_t)len >= size)
			continue;
		if (stat(file, &st) == 0 && S_ISREG(st.st_mode)) {
			memcpy(path, file, (size_t)len + 1);
			return true;
		}
	}
	return false;
}

/* Returns X if `text` is "twin:name=X" or "twin:X", or if it is "X" and X is the name of a twin.
 * Otherwise returns NULL. */
static const char *twin_name(const char *text)
{
	if (strncmp(text, "twin:", 5) == 0) {
		text += 5;
		if (strncmp(text, "name=", 5) == 0)
			text += 5;
		return strchr(text, ',') ? NULL : text;
	}
	return find_twin(text) ? text : NULL;
}

enum { GENERATORS = 1, TWINS = 2, PROPOSAL = 128 };
/* Writes a text such as "; did you mean powerlaw?" that proposes the name nearest to `text`, or ""
 * if none is near. `of` says whether to search generators, twins or both. */
static const char *proposal(char out[PROPOSAL], const char *text, int of)
{
	const char *near = NULL;
	char head[128];

	snprintf(head, sizeof head, "%.*s", (int)strcspn(text, ":,"), text);
	for (const ek_generator *g = NULL; of & GENERATORS && (g = ek_generator_next(g));)
		near = tool_nearer(head, near, ek_generator_name(g));
	for (const ek_twin *t = NULL; of & TWINS && (t = ek_twin_next(t));)
		near = tool_nearer(head, near, t->name);
	out[0] = 0;
	if (near)
		snprintf(out, PROPOSAL, "; did you mean %s?", near);
	return out;
}

static int no_such_matrix(const char *text)
{
	char near[PROPOSAL];

	return tool_fail(TOOL_INPUT, "%s: there is no such file, generator or twin (ek list)%s",
	                 text, proposal(near, text, GENERATORS | TWINS));
}

/* Finds out whether generating failed because `spec` names an unknown twin. If so, reports this on
 * one line, as the library's own message would list all twins. Otherwise returns TOOL_OK. */
static int check_twin(const char *spec)
{
	const char *name = strncmp(spec, "twin:", 5) == 0 ? strstr(spec, "name=") : NULL;
	char word[128], near[PROPOSAL];

	if (!name)
		return TOOL_OK;
	snprintf(word, sizeof word, "%.*s", (int)strcspn(name + 5, ","), name + 5);
	if (find_twin(word))
		return TOOL_OK;
	return tool_fail(TOOL_USAGE, "%s: there is no such twin (ek list twins)%s", word,
	                 proposal(near, word, TWINS));
}

/* ---- Reading and generating ------------------------------------------------------------------ */

ek_read_options tool_read_options(const struct tool_options *options)
{
	return (ek_read_options){.size = sizeof(ek_read_options),
	                         .allow_nan = options->allow_nan,
	                         .mirror = options->mirror,
	                         .duplicates = options->duplicates,
	                         .max_bytes = options->max_bytes,
	                         .max_ratio = options->max_ratio,
	                         .max_dim = options->max_dim};
}

static int read_file(ek_context *ctx, const struct tool_options *options,
                     struct tool_source *source, const char *kind, ek_matrix **A)
{
	ek_read_options o = tool_read_options(options);
	struct tool_progress *progress;
	char what[300];

	source->kind = kind;
	snprintf(what, sizeof what, "reading %s", source->name);
	o.progress = tool_progress_step;
	o.progress_user = progress = tool_progress_start(options, what);
	ek_status status = ek_matrix_read(ctx, source->path, options->value, options->index, &o, A);

	tool_progress_end(progress);
	return tool_input(status);
}

static int generate(ek_context *ctx, const struct tool_options *options, struct tool_source *source,
                    const char *kind, ek_matrix **A)
{
	const ek_generator *g = find_generator(source->path);
	bool seeds = g && strstr(ek_generator_example(g), "seed=");
	size_t len = strlen(source->path);
	int code;

	source->kind = kind;
	if (options->seed >= 0 && seeds && !strstr(source->path, "seed="))
		snprintf(source->path + len, sizeof source->path - len, "%sseed=%lld",
		         strchr(source->path, ':') ? "," : ":", (long long)options->seed);
	else if (options->seed >= 0 && !seeds)
		tool_remark(options, "--seed: %s draws no random numbers", source->name);
	struct tool_progress *progress = tool_progress_start(options, "generating");
	ek_status status =
		ek_matrix_generate(ctx, source->path, tool_value(options), tool_index(options), A);

	tool_progress_end(progress);
	code = status == EK_EINVAL ? check_twin(source->path) : TOOL_OK;
	return code ? code : tool_check(status);
}

static int take_twin(ek_context *ctx, const struct tool_options *options, const char *name,
                     struct tool_source *source, ek_matrix **A)
{
	snprintf(source->name, sizeof source->name, "%s", name);
	if (tool_real_path(name, source->path, sizeof source->path)) {
		tool_remark(options, "%s: the real matrix, from %s", name, source->path);
		return read_file(ctx, options, source, "real", A);
	}
	snprintf(source->path, sizeof source->path, "twin:name=%s", name);
	return generate(ctx, options, source, "twin", A);
}

/* Copies the name of the file at `path`, without folder and known endings. */
static void short_name(const char *path, char *name, size_t size)
{
	static const char *const endings[] = {".gz", ".xz", ".zst", ".tar", ".mtx", ".ekm"};
	const char *slash = strrchr(path, '/');

	snprintf(name, size, "%s", slash && slash[1] ? slash + 1 : path);
	for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
		size_t len = strlen(name), end = strlen(endings[k]);

		if (len > end && strcmp(name + len - end, endings[k]) == 0)
			name[len - end] = 0;
	}
}

static bool looks_like_file(const char *text)
{
	struct stat st;

	return strcmp(text, "-") == 0 || strchr(text, '/') || strstr(text, ".mtx") ||
	       strstr(text, ".ekm") || strstr(text, ".tar") || stat(text, &st) == 0;
}

static int find(ek_context *ctx, const struct tool_options *options, const char *text,
                struct tool_source *source, ek_matrix **A)
{
	snprintf(source->path, sizeof source->path, "%s", text);
	if (strlen(text) >= sizeof source->path)
		return tool_fail(TOOL_USAGE,
		                 "the name of a matrix has %zu characters, at most %zu "
		                 "are accepted",
		                 strlen(text), sizeof source->path - 1);
	if (looks_like_file(text)) {
		short_name(strcmp(text, "-") == 0 ? "standard input" : text, source->name,
		           sizeof source->name);
		return read_file(ctx, options, source, "file", A);
	}
	const char *twin = strncmp(text, "twin:", 5) == 0 ? twin_name(text) : NULL;

	if (!twin && find_generator(text)) {
		snprintf(source->name, sizeof source->name, "%s", text);
		return generate(ctx, options, source, "generated", A);
	}
	if (twin || (twin = twin_name(text)))
		return take_twin(ctx, options, twin, source, A);
	if (tool_real_path(text, source->path, sizeof source->path)) {
		snprintf(source->name, sizeof source->name, "%s", text);
		return read_file(ctx, options, source, "real", A);
	}
	return no_such_matrix(text);
}

int tool_matrix(ek_context *ctx, const struct tool_options *options, const char *text,
                struct tool_source *source, ek_matrix **A)
{
	struct tool_source here;

	source = source ? source : &here;
	*source = (struct tool_source){0};
	double start = tool_seconds();
	int code = find(ctx, options, text, source, A);

	source->seconds = tool_seconds() - start;
	return code;
}

int tool_generate(ek_context *ctx, const struct tool_options *options, const char *spec,
                  struct tool_source *source, ek_matrix **A)
{
	double start = tool_seconds();
	char near[PROPOSAL];

	if (!find_generator(spec))
		return tool_fail(TOOL_USAGE,
		                 "%.*s: there is no such generator (ek list generators)%s",
		                 (int)strcspn(spec, ":"), spec, proposal(near, spec, GENERATORS));
	*source = (struct tool_source){0};
	snprintf(source->path, sizeof source->path, "%s", spec);
	snprintf(source->name, sizeof source->name, "%s", spec);
	int code = generate(ctx, options, source, "generated", A);

	source->seconds = tool_seconds() - start;
	return code;
}

int tool_write(const struct tool_options *options, const ek_matrix *A, const char *path,
               const char *form)
{
	struct tool_progress *progress = tool_progress_start(options, "writing");

	tool_will_write(path);
	ek_status status = ek_matrix_write(A, path, form);

	tool_will_write("-");
	tool_progress_end(progress);
	return tool_check(status);
}

json_t *tool_record(const struct tool_source *source, const ek_matrix *A)
{
	ek_matrix_info info = {.size = sizeof info};
	json_t *record = json_object();
	char format[TOOL_FORMAT];

	ek_matrix_get_info(A, &info);
	json_object_set_new(record, "matrix", json_string(source->name));
	json_object_set_new(record, "kind", json_string(source->kind));
	json_object_set_new(record, "path", json_string(source->path));
	json_object_set_new(record, "rows", json_integer(info.rows));
	json_object_set_new(record, "cols", json_integer(info.cols));
	json_object_set_new(record, "nnz", json_integer(info.nnz));
	json_object_set_new(record, "value", json_string(ek_value_name(info.value)));
	json_object_set_new(record, "index", json_string(ek_index_name(info.index)));
	tool_format_text(&info, format);
	tool_json_format(record, format);
	return record;
}
