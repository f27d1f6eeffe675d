/* SPDX-License-Identifier: BSD-3-Clause
 * The state of the machine, which every record has: what makes the same program on the same
 * processor faster or slower from one day to the next. What the system does not tell is left
 * out. */
#define _GNU_SOURCE /* for getloadavg */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

/* Returns the first line of a file, without its end, or NULL. */
static const char *first_line(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256] = "";

	if (!file)
		return NULL;
	if (!fgets(line, sizeof line, file))
		line[0] = 0;
	fclose(file);
	line[strcspn(line, "\n")] = 0;
	return *line ? keep("%s", line) : NULL;
}

/* Returns the word in brackets, as in "always [madvise] never". */
static const char *chosen_word(const char *line)
{
	const char *from = line ? strchr(line, '[') : NULL, *to = from ? strchr(from, ']') : NULL;

	return to ? keep("%.*s", (int)(to - from - 1), from + 1) : line;
}

/* Returns the value of the first line "key : value" in /proc/cpuinfo. */
static const char *cpuinfo(const char *key)
{
	FILE *file = fopen("/proc/cpuinfo", "r");
	const char *value = NULL;
	char line[256];

	while (file && !value && fgets(line, sizeof line, file)) {
		const char *colon = strchr(line, ':');

		if (colon && strncmp(line, key, strlen(key)) == 0 &&
		    line + strlen(key) + strspn(line + strlen(key), " \t") == colon)
			value = keep("%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
	}
	if (file)
		fclose(file);
	return value;
}

/* Returns the names of the leaks of the processor whose state begins with a word. Microcode against
 * one of them, gather_data_sampling, makes gather instructions several times slower; in a virtual
 * machine it is often not known whether it is there. */
static const char *leaks(const char *word)
{
	static const char folder[] = "/sys/devices/system/cpu/vulnerabilities";
	struct dirent **entry;
	const int count = scandir(folder, &entry, NULL, alphasort);
	const char *names = "";

	for (int k = 0; k < count; k++) {
		const char *line = first_line(keep("%s/%s", folder, entry[k]->d_name));

		if (line && strncmp(line, word, strlen(word)) == 0)
			names = keep("%s %s", names, entry[k]->d_name);
		free(entry[k]);
	}
	if (count >= 0)
		free(entry);
	return *names ? names + 1 : NULL;
}

const char *machine_model(void)
{
	const char *family = cpuinfo("cpu family"), *model = cpuinfo("model");
	const char *maker = cpuinfo("CPU implementer"), *part = cpuinfo("CPU part");

	return family && model ? keep("family %s model %s", family, model)
	       : maker && part ? keep("implementer %s part %s", maker, part)
	                       : NULL;
}

const char *machine_state(void)
{
	const char *bound = getenv("EK_BIND");
	double load;
	const struct {
		const char *name, *value;
	} parts[] = {
		{"processor", machine_model()},
		{"microcode", cpuinfo("microcode")},
		{"governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
		{"huge pages",
	         chosen_word(first_line("/sys/kernel/mm/transparent_hugepage/enabled"))},
		{"mitigated:", leaks("Mitigation")},
		{"vulnerable:", leaks("Vulnerable")},
		{"not known:", leaks("Unknown")},
		{"threads", bound && strcmp(bound, "1") == 0 ? "bound" : NULL},
		{"load", getloadavg(&load, 1) == 1 ? keep("%.2f", load) : NULL},
	};
	const char *text = "";

	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
		if (parts[k].value)
			text = keep("%s%s%s %s", text, *text ? "; " : "", parts[k].name,
			            parts[k].value);
	return *text ? text : NULL;
}
