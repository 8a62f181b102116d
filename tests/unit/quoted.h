/* SPDX-License-Identifier: MIT */
#ifndef QUOTED_H
#define QUOTED_H

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* quoted() - the JSON of @text, in which ' stands for ", or NULL if it is none.
 */
static inline json_t *quoted(const char *text)
{
	char *json = strdup(text);
	json_t *o;

	for (char *c = json; (c = strchr(c, '\''));)
		*c = '"';
	o = json_loads(json, 0, NULL);
	free(json);
	return o;
}

#endif
