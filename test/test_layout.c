/* SPDX-License-Identifier: BSD-3-Clause
 * Compares the table of public structs (ek_layout_next) with the text of ek.h: no struct or member
 * may be missing or in the wrong place, kinds must match the declarations, and members must not
 * overlap. */
#include <ctype.h>
#include <stdbool.h>

#include "support/support.h"

static char header[1 << 17];

/* Reads ek.h into `header`, without its comments. */
static int setup(void **state)
{
	FILE *f = fopen(EK_SOURCE_DIR "/include/evenkeel/ek.h", "r");
	size_t used = 0;
	int c, before = 0;
	bool comment = false;

	(void)state;
	if (!f)
		return 1;
	while ((c = getc(f)) != EOF && used < sizeof header - 1) {
		if (!comment && before == '/' && c == '*') {
			comment = true;
			used--;
		} else if (comment && before == '*' && c == '/') {
			comment = false;
			c = ' ';
		} else if (!comment) {
			header[used++] = (char)c;
		}
		before = c;
	}
	fclose(f);
	return used == 0 || comment;
}

/* Returns the kind of the member that `declarator` declares. `declaration` is the whole
 * declaration, such as "int64_t rows, cols", and `declarator` is the part of it for this member. */
static const char *kind_of(const char *declaration, const char *declarator)
{
	static const struct {
		const char *word, *kind;
	} kinds[] = {{"size_t", "uint"}, {"unsigned", "uint"}, {"uint", "uint"}, {"double", "real"},
	             {"int", "int"},     {"ek_", "enum"},      {"char", "text"}};

	if (strchr(declarator, '*'))
		return "pointer";
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		if (strncmp(declaration, kinds[k].word, strlen(kinds[k].word)) == 0)
			return kinds[k].kind;
	fail_msg("\"%s\" is of no known kind", declaration);
	return NULL;
}

/* Checks that `row` describes the member that `declarator` declares, and that the member begins at
 * *end or, because of alignment, less than 8 bytes later. Moves *end to the end of the member. */
static void expect_member(const ek_layout *row, const char *type, const char *declaration,
                          char *declarator, int64_t *end)
{
	const char *kind = kind_of(declaration, declarator), *bracket = strchr(declarator, '[');
	char *name = strstr(declarator, "(*"), *last;

	if (name) {
		name += 2;
	} else { /* the name is the last word, or the last before a bracket */
		last = declarator + strcspn(declarator, "[");
		while (last > declarator && !isalnum((unsigned char)last[-1]))
			last--;
		*last = 0;
		for (name = last;
		     name > declarator && (isalnum((unsigned char)name[-1]) || name[-1] == '_');)
			name--;
	}
	name[strcspn(name, ")")] = 0;
	if (!row || strcmp(row->type, type) != 0 || strcmp(row->member, name) != 0)
		fail_msg("%s.%s has no row in its place of src/about/layout.def, but %s.%s", type,
		         name, row ? row->type : "", row ? row->member : "");
	assert_string_equal(row->kind, kind);
	assert_true(bracket ? row->count > 1 : row->count == 1);
	assert_true(row->size > 0 && row->size % row->count == 0);
	assert_true(row->offset >= *end && row->offset < *end + 8);
	*end = row->offset + row->size;
}

/* Checks each member of a declaration such as "int64_t rows, cols". Returns the row that describes
 * the last member. */
static const ek_layout *expect_declaration(const ek_layout *row, const char *type, char *text,
                                           int64_t *end)
{
	char whole[200];
	const bool function = strchr(text, '(');

	snprintf(whole, sizeof whole, "%s", text);
	for (char *part = text, *next; part; part = next) {
		next = function ? NULL : strchr(part, ',');
		if (next)
			*next++ = 0;
		row = ek_layout_next(row);
		expect_member(row, type, whole, part, end);
	}
	return row;
}

/* Checks the members of a struct up to its closing brace, and moves *text to that brace. Returns
 * the row that describes the last member. */
static const ek_layout *expect_struct(const ek_layout *row, const char *type, char **text)
{
	int64_t end = 0, size;

	row = ek_layout_next(row);
	if (!row || strcmp(row->type, type) != 0 || *row->member)
		fail_msg("%s has no row in its place of src/about/layout.def", type);
	assert_string_equal(row->kind, "struct");
	assert_true(row->offset == 0 && row->count == 1);
	size = row->size;
	for (;;) {
		char one[200];
		size_t length;

		*text += strspn(*text, " \t\n");
		if (**text == '}')
			break;
		if (strncmp(*text, "const ", 6) == 0)
			*text += 6;
		length = strcspn(*text, ";");
		assert_true(length < sizeof one);
		snprintf(one, sizeof one, "%.*s", (int)length, *text);
		*text += length + 1;
		row = expect_declaration(row, type, one, &end);
	}
	assert_true(size >= end && size < end + 8);
	return row;
}

static void test_header(void **state)
{
	const ek_layout *row = NULL;
	int structs = 0;
	char *text = header, type[64];

	(void)state;
	while ((text = strstr(text, "typedef struct "))) {
		text += strlen("typedef struct ");
		assert_int_equal(sscanf(text, "%63s", type), 1);
		text += strlen(type);
		text += strspn(text, " ");
		if (*text++ != '{')
			continue; /* an opaque type */
		row = expect_struct(row, type, &text);
		structs++;
	}
	assert_true(structs > 10);
	assert_null(ek_layout_next(row));
}

/* Checks that a member `size` is the first, so that the library can read it before it knows which
 * version of the struct the caller has. */
static void test_size_first(void **state)
{
	int handed_out = 0;

	(void)state;
	for (const ek_layout *row = NULL; (row = ek_layout_next(row));) {
		if (*row->member)
			continue;
		const ek_layout *first = ek_layout_next(row);

		if (strcmp(first->member, "size") == 0)
			assert_true(first->offset == 0 && first->size == sizeof(size_t));
		else
			handed_out++;
	}
	/* The structs without `size` are ek_layout, ek_profile_number, ek_twin and
	 * ek_format_param. */
	assert_int_equal(handed_out, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_size_first),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
