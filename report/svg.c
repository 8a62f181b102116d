/* SPDX-License-Identifier: MIT */
#include "svg.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define MAX_DEPTH 64

/* Elements that only draw.  All others are left out with their content. */
static const char *const elements[] = {
	"svg",	  "g",	   "defs",    "path",		"rect",
	"circle", "line",  "ellipse", "polygon",	"polyline",
	"text",	  "tspan", "use",     "symbol",		"clipPath",
	"title",  "desc",  "pattern", "linearGradient", "stop",
	"marker", NULL,
};

static const char *const attributes[] = {
	"id",
	"class",
	"x",
	"y",
	"x1",
	"y1",
	"x2",
	"y2",
	"cx",
	"cy",
	"r",
	"rx",
	"ry",
	"dx",
	"dy",
	"d",
	"points",
	"width",
	"height",
	"viewBox",
	"transform",
	"fill",
	"fill-rule",
	"fill-opacity",
	"stroke",
	"stroke-width",
	"stroke-linecap",
	"stroke-linejoin",
	"stroke-miterlimit",
	"stroke-dasharray",
	"stroke-dashoffset",
	"stroke-opacity",
	"opacity",
	"color",
	"font-family",
	"font-size",
	"font-weight",
	"font-style",
	"text-anchor",
	"clip-path",
	"clip-rule",
	"overflow",
	"style",
	"offset",
	"stop-color",
	"stop-opacity",
	"patternUnits",
	"gradientUnits",
	"markerWidth",
	"markerHeight",
	"refX",
	"refY",
	"orient",
	"preserveAspectRatio",
	"xlink:href",
	"href",
	NULL,
};

struct svg {
	FILE *f;
	const char *at, *prefix, *label;
	char open[MAX_DEPTH][24]; /* names of the elements that are open */
	int depth;
	int hidden; /* depth at which a forbidden element began, or -1 */
};

static bool is_in(const char *const *list, const char *s, size_t len)
{
	for (; *list; list++)
		if (strlen(*list) == len && !strncmp(*list, s, len))
			return true;
	return false;
}

static bool name_char(char c)
{
	return isalnum((unsigned char)c) || strchr("_-.:", c);
}

static size_t name_length(const char *s)
{
	size_t n = 0;

	while (s[n] && name_char(s[n]))
		n++;
	return n;
}

/* A value that refers to nothing but ids of this picture.  No drawing needs an
 * entity in it, which could spell what is looked for here. */
static bool is_harmless(const char *v, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (strchr("<>\\@&", v[i]))
			return false;
		if (!strncasecmp(v + i, "url(", 4) && v[i + 4] != '#')
			return false;
		if (!strncasecmp(v + i, "expression", 10) ||
		    !strncasecmp(v + i, "javascript", 10) ||
		    !strncasecmp(v + i, "import", 6))
			return false;
	}
	return true;
}

static void put_value(const struct svg *s, const char *v, size_t len,
		      bool is_id)
{
	if (is_id)
		fputs(s->prefix, s->f);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)v[i];

		if (c == '"')
			fputs("&quot;", s->f);
		else
			fputc(c < 0x20 ? ' ' : c, s->f);
		if (c == '#' && i >= 4 && !strncasecmp(v + i - 4, "url(", 4))
			fputs(s->prefix, s->f);
	}
}

/* Ids and classes share one prefix: a class could pick up the page's style. */
static void put_attribute(const struct svg *s, const char *name, size_t nlen,
			  const char *v, size_t vlen)
{
	bool is_link = nlen >= 4 && !strncmp(name + nlen - 4, "href", 4);
	bool is_id = (nlen == 2 && !strncmp(name, "id", 2)) ||
		     (nlen == 5 && !strncmp(name, "class", 5));

	if (!is_in(attributes, name, nlen) || !is_harmless(v, vlen))
		return;
	if (is_link && (!vlen || *v != '#'))
		return;
	fputc(' ', s->f);
	if (is_link) {
		fprintf(s->f, "href=\"#%s", s->prefix);
		put_value(s, v + 1, vlen - 1, false);
	} else {
		fwrite(name, 1, nlen, s->f);
		fputs("=\"", s->f);
		put_value(s, v, vlen, is_id);
	}
	fputc('"', s->f);
}

/* The outermost element's width becomes the most that it is scaled to; its
 * height and style are the page's business. */
static void put_root_attribute(const struct svg *s, const char *name,
			       size_t nlen, const char *v, size_t vlen)
{
	double width = strtod(v, NULL);

	if (nlen == 5 && !strncmp(name, "width", 5) && width > 0 && width < 1e5)
		fprintf(s->f, " style=\"max-width:%.0fpx\"", 1.35 * width);
	else if (nlen == 7 && !strncmp(name, "viewBox", 7))
		put_attribute(s, name, nlen, v, vlen);
}

/* The attributes of a tag up to its '>'. */
static int read_attributes(struct svg *s, bool show, bool root, bool *closed)
{
	*closed = false;
	for (;;) {
		const char *name, *v, *end;
		size_t nlen;
		char quote;

		s->at += strspn(s->at, " \t\r\n");
		if (*s->at == '/' && s->at[1] == '>') {
			*closed = true;
			s->at += 2;
			return 0;
		}
		if (*s->at == '>') {
			s->at++;
			return 0;
		}
		name = s->at;
		nlen = name_length(name);
		v = name + nlen;
		v += strspn(v, " \t\r\n");
		if (!nlen || *v++ != '=')
			return -EINVAL;
		v += strspn(v, " \t\r\n");
		quote = *v++;
		if (quote != '"' && quote != '\'')
			return -EINVAL;
		end = strchr(v, quote);
		if (!end)
			return -EINVAL;
		if (show && root)
			put_root_attribute(s, name, nlen, v, (size_t)(end - v));
		else if (show)
			put_attribute(s, name, nlen, v, (size_t)(end - v));
		s->at = end + 1;
	}
}

static int open_tag(struct svg *s)
{
	size_t len = name_length(++s->at);
	const char *name = s->at;
	bool show, closed, root = !s->depth;

	if (!len || len >= sizeof(s->open[0]) || s->depth == MAX_DEPTH)
		return -EINVAL;
	if (s->hidden < 0 && !is_in(elements, name, len))
		s->hidden = s->depth;
	show = s->hidden < 0;
	if (show)
		fprintf(s->f, "<%.*s", (int)len, name);
	if (show && root) {
		fputs(" role=\"img\" aria-label=\"", s->f);
		text_html(s->f, s->label);
		fputc('"', s->f);
	}
	s->at += len;
	if (read_attributes(s, show, root, &closed))
		return -EINVAL;
	if (show)
		fputs(closed ? "/>" : ">", s->f);
	if (!closed) {
		snprintf(s->open[s->depth], sizeof(s->open[0]), "%.*s",
			 (int)len, name);
		s->depth++;
	} else if (s->hidden == s->depth) {
		s->hidden = -1;
	}
	return 0;
}

static int close_tag(struct svg *s)
{
	size_t len = name_length(s->at += 2);

	if (!s->depth || strlen(s->open[s->depth - 1]) != len ||
	    strncmp(s->open[s->depth - 1], s->at, len) != 0)
		return -EINVAL;
	s->depth--;
	if (s->hidden < 0)
		fprintf(s->f, "</%.*s>", (int)len, s->at);
	else if (s->hidden == s->depth)
		s->hidden = -1;
	s->at += len;
	s->at += strspn(s->at, " \t\r\n");
	return *s->at++ == '>' ? 0 : -EINVAL;
}

static int skip_to(struct svg *s, const char *end)
{
	const char *found = strstr(s->at, end);

	if (!found)
		return -EINVAL;
	s->at = found + strlen(end);
	return 0;
}

/* Entities are kept (&amp; stays), a bare '>' is harmless. */
static void put_content(struct svg *s)
{
	size_t len = strcspn(s->at, "<");

	if (s->hidden < 0 && s->depth)
		for (size_t i = 0; i < len; i++)
			fputc(s->at[i] == '>' ? ' ' : s->at[i], s->f);
	s->at += len;
}

static int next_piece(struct svg *s)
{
	if (*s->at != '<') {
		put_content(s);
		return 0;
	}
	if (!strncmp(s->at, "<!--", 4))
		return skip_to(s, "-->");
	if (!strncmp(s->at, "<![CDATA[", 9))
		return skip_to(s, "]]>");
	if (s->at[1] == '?' || s->at[1] == '!')
		return skip_to(s, ">");
	if (s->at[1] == '/')
		return close_tag(s);
	return open_tag(s);
}

/* Up to the end of the outermost element, which must be <svg>. */
static int copy(struct svg *s)
{
	bool begun = false;

	while (*s->at) {
		int err;

		if (!begun && *s->at == '<' && !strncmp(s->at, "<svg", 4))
			begun = true;
		else if (!begun && *s->at == '<' && name_char(s->at[1]))
			return -EINVAL;
		err = next_piece(s);
		if (err)
			return err;
		if (begun && !s->depth)
			return 0;
	}
	return -EINVAL;
}

int svg_inline(FILE *f, const char *svg, const char *prefix, const char *label)
{
	struct svg s = {
		.at = svg, .prefix = prefix, .label = label, .hidden = -1
	};
	char *out = NULL;
	size_t len;
	int err;

	s.f = open_memstream(&out, &len);
	if (!s.f)
		return -EINVAL;
	err = copy(&s);
	fclose(s.f);
	if (!err)
		fwrite(out, 1, len, f);
	free(out);
	return err;
}
