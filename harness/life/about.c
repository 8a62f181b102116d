/* SPDX-License-Identifier: MIT */
#include "about.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Labels of the parts; what comes before the first one is the text. */
static const struct {
	const char *label, *key;
} parts[] = {
	{ "Measures:", "measures" },
	{ "Includes:", "includes" },
	{ "After:", "after" },
	{ "Needs:", "needs" },
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

char *about_summary(const char *about)
{
	const char *dash = strstr(about, " - ");
	const char *end;

	if (!dash)
		return strdup("");
	dash += 3;
	/* The question may go on over lines; an empty line ends it. */
	end = strstr(dash, "\n\n");
	end = end ? end : dash + strlen(dash);
	return strndup(dash, (size_t)(end - dash));
}

static int part_at(const char *line)
{
	for (size_t i = 0; i < PARTS; i++)
		if (!strncmp(line, parts[i].label, strlen(parts[i].label)))
			return (int)i;
	return -1;
}

/* Line feeds and runs of blanks become one blank; an empty line stays as a
 * break between paragraphs. */
static void unfold(char *text)
{
	char *out = text;
	bool start = true;

	for (char *in = text; *in;) {
		size_t feeds = 0;

		if (!isspace((unsigned char)*in)) {
			*out++ = *in++;
			start = false;
			continue;
		}
		while (isspace((unsigned char)*in))
			feeds += *in++ == '\n';
		if (start || !*in)
			continue;
		if (feeds > 1)
			*out++ = '\n';
		*out++ = feeds > 1 ? '\n' : ' ';
	}
	*out = '\0';
}

static int set_text(json_t *o, const char *key, const char *from,
		    const char *to)
{
	char *text = strndup(from, (size_t)(to - from));
	int err;

	if (!text)
		return -1;
	unfold(text);
	err = json_object_set_new(o, key,
				  *text ? json_string(text) : json_null());
	free(text);
	return err;
}

json_t *about_json(const char *name, const char *about)
{
	json_t *o = json_pack("{s:s,s:n,s:n,s:n,s:n,s:n,s:n}", "name", name,
			      "summary", "text", "measures", "includes",
			      "after", "needs");
	char *summary = about_summary(about);
	const char *body = strstr(about, "\n\n");
	const char *start = body ? body : "", *line = start;
	const char *key = "text";

	if (!o || !summary)
		goto fail;
	if (set_text(o, "summary", summary, summary + strlen(summary)))
		goto fail;
	free(summary);
	summary = NULL;
	while (*line) {
		const char *next = strchr(line, '\n');
		int part = part_at(line);

		if (part >= 0) {
			if (set_text(o, key, start, line))
				goto fail;
			key = parts[part].key;
			start = line + strlen(parts[part].label);
		}
		line = next ? next + 1 : line + strlen(line);
	}
	if (*start && set_text(o, key, start, line))
		goto fail;
	return o;

fail:
	free(summary);
	json_decref(o);
	return NULL;
}
