/* SPDX-License-Identifier: MIT */
#include "mount.h"

#include <stdio.h>
#include <string.h>

void mount_unescape(char *text)
{
	char *to = text;
	unsigned int byte;

	for (const char *at = text; *at; at++)
		if (*at == '\\' && strspn(at + 1, "01234567") >= 3 &&
		    sscanf(at + 1, "%3o", &byte) == 1) {
			*to++ = (char)byte;
			at += 3;
		} else {
			*to++ = *at;
		}
	*to = '\0';
}

/* "36 35 98:0 /root /mount/point options tags - type source options" */
static bool parse(char *line, struct mount *m)
{
	char *tail = strstr(line, " - ");

	if (!tail ||
	    sscanf(line, "%d %*d %u:%u", &m->id, &m->major, &m->minor) != 3)
		return false;
	*tail = '\0';
	tail += 3;
	for (int i = 0; i < 3; i++)
		strsep(&line, " ");
	m->root = strsep(&line, " ");
	m->point = strsep(&line, " ");
	m->type = strsep(&tail, " ");
	m->source = strsep(&tail, " ");
	m->options = tail;
	if (!m->point || !m->options)
		return false;
	mount_unescape(m->root);
	mount_unescape(m->point);
	return true;
}

bool mount_next(char **rest, struct mount *m)
{
	char *line;

	while ((line = strsep(rest, "\n")))
		if (parse(line, m))
			return true;
	return false;
}
