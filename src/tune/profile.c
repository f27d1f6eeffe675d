/* SPDX-License-Identifier: BSD-3-Clause
 * The machine that is in force in this process: the stored profile, if there is one for this
 * version and this processor, else the table for the processor's family. The file is read when the
 * first context is made, and never again, so that all plans of a process are chosen with the same
 * numbers. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

#include "tune/tune.h"

/* ---- The processor --------------------------------------------------------------------------- */

#if defined(__x86_64__) && defined(__GNUC__)
/* Appends the four registers as text. */
static void append(char *text, size_t *used, const unsigned *reg, int registers)
{
	memcpy(text + *used, reg, (size_t)registers * sizeof *reg);
	*used += (size_t)registers * sizeof *reg;
}

void eki_processor_name(char name[EKI_PROCESSOR])
{
	char vendor[13] = "", brand[49] = "";
	const eki_cpu_version version = eki_cpu_version_here();
	unsigned r[4] = {0};
	size_t used = 0;

	if (__get_cpuid(0, &r[0], &r[1], &r[2], &r[3])) {
		const unsigned order[3] = {r[1], r[3], r[2]};

		append(vendor, &used, order, 3);
	}
	used = 0;
	for (unsigned leaf = 0x80000002; leaf <= 0x80000004; leaf++)
		if (__get_cpuid(leaf, &r[0], &r[1], &r[2], &r[3]))
			append(brand, &used, r, 4);
	used = strlen(brand);
	while (used > 0 && brand[used - 1] == ' ')
		brand[--used] = 0;
	snprintf(name, EKI_PROCESSOR, "%s %u %u %u %s", vendor, version.family, version.model,
	         version.stepping, brand + strspn(brand, " "));
}
#else
/* Joins what /proc/cpuinfo says about the first processor. */
void eki_processor_name(char name[EKI_PROCESSOR])
{
	static const char *const keys[] = {
		"CPU implementer", "CPU part", "CPU revision", "cpu",        "revision",
		"uarch",           "isa",      "model name",   "Model Name", "machine"};
	const int saved = errno;
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];
	bool seen[sizeof keys / sizeof *keys] = {false};
	int used = snprintf(name, EKI_PROCESSOR, "%d-bit", (int)sizeof(void *) * 8);

	while (f && fgets(line, sizeof line, f)) {
		const char *value = strchr(line, ':');

		for (size_t k = 0; value && k < sizeof keys / sizeof *keys; k++) {
			const size_t n = strlen(keys[k]);

			if (seen[k] || strncmp(line, keys[k], n) != 0 || !strchr("\t :", line[n]))
				continue;
			seen[k] = true;
			if (used < EKI_PROCESSOR)
				used += snprintf(name + used, (size_t)(EKI_PROCESSOR - used),
				                 " %.*s", (int)strcspn(value + 2, "\n"), value + 2);
		}
	}
	if (f)
		fclose(f);
	errno = saved;
}
#endif

/* ---- Which profile --------------------------------------------------------------------------- */

bool eki_profile_path(char path[EKI_PROFILE_PATH], bool *given, bool make)
{
	const char *own = eki_getenv("EK_PROFILE"), *base = eki_getenv("XDG_CACHE_HOME"),
		   *home = eki_getenv("HOME");
	const int saved = errno;
	int n;

	*given = own != NULL;
	if (own) {
		n = snprintf(path, EKI_PROFILE_PATH, "%s", own);
		return strcmp(own, "none") != 0 && n < EKI_PROFILE_PATH;
	}
	if (!base && !home)
		return false;
	n = snprintf(path, EKI_PROFILE_PATH, "%s%s", base ? base : home, base ? "" : "/.cache");
	if (n >= EKI_PROFILE_PATH - 32 || path[0] != '/')
		return false;
	if (make)
		mkdir(path, 0700);
	strcat(path, "/evenkeel");
	if (make)
		mkdir(path, 0700);
	strcat(path, "/profile");
	/* A folder that cannot be made shows when the file is opened. */
	errno = saved;
	return true;
}

static struct {
	_Atomic int state; /* of eki_once */
	const eki_machine *machine;
	eki_profile profile;
	char why[EKI_PROFILE_WHY];
	bool refused;
} here;

static void find(void)
{
	char path[EKI_PROFILE_PATH];
	bool given, missing = false;
	eki_subject processor;

	here.machine = eki_machine_family();
	if (!eki_profile_path(path, &given, false))
		return;
	eki_subject_processor(&processor);
	if (eki_profile_read(&processor, path, &here.profile, &missing, here.why)) {
		here.profile.machine.name = here.profile.name;
		here.machine = &here.profile.machine;
	} else {
		here.refused = given || !missing;
	}
}

const eki_machine *eki_machine_here(void)
{
	eki_once(&here.state, find);
	return here.machine;
}

const char *eki_profile_refused(void)
{
	eki_machine_here();
	return here.refused ? here.why : NULL;
}
