/* SPDX-License-Identifier: BSD-3-Clause
 * Commands as texts. A step is known by its command, which people also copy to a shell, so words
 * with characters that may be special to a shell are quoted as it reads them: between single quotes
 * all characters stand for themselves, and outside a backslash takes the next one as it is. Between
 * double quotes a shell would replace some characters, so these quotes are refused. */
#include <string.h>

#include "reproduce.h"

const char *word_quoted(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789%+,-./:=@_";
	const char *text = "'";

	if (*word && !word[strspn(word, plain)])
		return word;
	for (const char *at = word; *at;) {
		const int length = (int)strcspn(at, "'");

		text = keep("%s%.*s%s", text, length, at, at[length] ? "'\\''" : "");
		at += length + (at[length] != 0);
	}
	return keep("%s'", text);
}

/* Moves one word from *from to *to, without its quotes. Returns NULL, or what is wrong. */
static const char *move_word(char **from, char **to)
{
	char *at = *from, *end = *to;
	bool quoted = false;

	for (; *at && (quoted || *at != ' '); at++) {
		if (*at == '"' && !quoted)
			return "a double quote is not read; single quotes are";
		if (*at == '\'')
			quoted = !quoted;
		else if (*at == '\\' && !quoted && at[1])
			*end++ = *++at;
		else
			*end++ = *at;
	}
	*from = at + strspn(at, " ");
	*end++ = 0;
	*to = end;
	return quoted ? "a quote is not closed" : NULL;
}

const char *words_split(char *command, char *word[MOST_WORDS])
{
	char *at = command + strspn(command, " "), *to = command;
	const char *why = NULL;
	int count = 0;

	while (*at && !why) {
		if (count == MOST_WORDS - 1)
			return "too many words";
		word[count++] = to;
		why = move_word(&at, &to);
	}
	word[count] = NULL;
	return why;
}
