/* SPDX-License-Identifier: MIT */
#include "text.h"

#include <fnmatch.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "err.h"

FILE *text_create(const char *path)
{
	unlink(path); /* it may be a link to somewhere else, or a FIFO */
	return fopen(path, "wxe");
}

const char *text_plural(size_t n, const char *noun)
{
	return text_format("%zu %s%s", n, noun, n == 1 ? "" : "s");
}

const char *text_join(const char *list, const char *sep, const char *more)
{
	return list ? text_format("%s%s%s", list, sep, more) : more;
}

const char *text_fill(const char *text,
		      const char *(*value)(const char *name, const void *arg),
		      const void *arg)
{
	const char *out = "";

	while (*text) {
		const size_t plain = strcspn(text, "{");
		const size_t len = text[plain] ? strcspn(text + plain, "}") : 0;
		const char *words = "";

		if (len)
			words = value(text_format("%.*s", (int)len - 1,
						  text + plain + 1),
				      arg);
		out = text_format("%s%.*s%s", out, (int)plain, text, words);
		text += plain + len;
		text += *text == '}';
	}
	return out;
}

const char *text_split(const char **rest, char sep)
{
	const char *begin = *rest, *end = begin ? strchrnul(begin, sep) : NULL;

	if (!begin)
		return NULL;
	*rest = *end ? end + 1 : NULL;
	return text_format("%.*s", (int)(end - begin), begin);
}

const char *text_cut(const char *text, size_t max)
{
	const char *end = text;

	if (units_width(text) <= max)
		return text;
	for (size_t n = 0; *end && n < max - 1; n++)
		do
			end++;
		while (((unsigned char)*end & 0xc0) == 0x80);
	return text_format("%.*s…", (int)(end - text), text);
}

bool text_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

bool text_glob(const char *globs, const char *s)
{
	const char *glob;

	while ((glob = text_split(&globs, ' ')))
		if (*glob && !fnmatch(glob, s, 0))
			return true;
	return false;
}

/*
 * The next character of @s as bytes: *@len of them.  Control characters, also
 * the two-byte C1 set, come back as a question mark: a terminal obeys them.
 */
static const char *next_char(const char *s, size_t *len)
{
	unsigned char c = (unsigned char)s[0], d = (unsigned char)s[1];

	*len = 1;
	if (c == '\t' || c == '\n' || c == '\r')
		return " ";
	if (c < 0x20 || c == 0x7f)
		return "?";
	if (c == 0xc2 && d >= 0x80 && d < 0xa0) {
		*len = 2;
		return "?";
	}
	return NULL;
}

/* A character that would be more than text, and the text that stands for it. */
struct sign {
	const char *from, *to;
};

/* Write @s with the last of @signs, {NULL}, behind them; where only ASCII can
 * be drawn, other characters are question marks. */
static void put_escaped(FILE *f, const char *s, const struct sign *signs,
			bool ascii)
{
	while (s && *s) {
		const struct sign *sign = signs;
		size_t len;
		const char *put = next_char(s, &len);

		while (!put && sign->from &&
		       strncmp(s, sign->from, strlen(sign->from)) != 0)
			sign++;
		if (!put && sign->from) {
			put = sign->to;
			len = strlen(sign->from);
		} else if (!put && ascii && (*s & 0x80)) {
			put = "?";
			while ((s[len] & 0xc0) == 0x80)
				len++;
		}
		if (put)
			fputs(put, f);
		else
			fputc(*s, f);
		s += len;
	}
}

void text_plain(FILE *f, const char *s)
{
	static const struct sign none = { NULL, NULL };

	put_escaped(f, s, &none, false);
}

void text_html(FILE *f, const char *s)
{
	static const struct sign signs[] = {
		{ "&", "&amp;" },   { "<", "&lt;" },  { ">", "&gt;" },
		{ "\"", "&quot;" }, { "'", "&#39;" }, { NULL, NULL }
	};

	put_escaped(f, s, signs, false);
}

void text_md(FILE *f, const char *s)
{
	static const struct sign signs[] = { { "&", "&amp;" }, { "<", "&lt;" },
					     { ">", "&gt;" },  { "|", "\\|" },
					     { "\\", "\\\\" }, { "*", "\\*" },
					     { "_", "\\_" },   { "`", "\\`" },
					     { "[", "\\[" },   { "]", "\\]" },
					     { "#", "\\#" },   { "~", "\\~" },
					     { "!", "\\!" },   { NULL, NULL } };

	put_escaped(f, s, signs, false);
}

void text_gnuplot(FILE *f, const char *s)
{
	/* Between single quotes gnuplot substitutes nothing, but it finds the
	 * end of a command before it looks at doubled quotes: so none is left
	 * inside, nor a backquote or a backslash. */
	static const struct sign signs[] = { { "'", "’" },
					     { "\"", "”" },
					     { "`", "’" },
					     { "\\", "/" },
					     { NULL, NULL } };

	fputc('\'', f);
	put_escaped(f, s, signs, false);
	fputc('\'', f);
}

void text_data(FILE *f, const char *s)
{
	static const struct sign signs[] = {
		{ "\"", "?" }, { "`", "?" }, { "\\", "?" }, { NULL, NULL }
	};

	fputc('"', f);
	put_escaped(f, s, signs, false);
	fputc('"', f);
}

/* Characters that LaTeX does not print as they are, and those that pdflatex
 * cannot draw.  Everything else that is not ASCII becomes a question mark. */
static const struct sign tex_signs[] = {
	{ "\\", "\\textbackslash{}" },
	{ "{", "\\{" },
	{ "}", "\\}" },
	{ "$", "\\$" },
	{ "&", "\\&" },
	{ "#", "\\#" },
	{ "%", "\\%" },
	{ "_", "\\_\\allowbreak{}" },
	{ ",", ",\\allowbreak{}" },
	{ "~", "\\textasciitilde{}" },
	{ "^", "\\textasciicircum{}" },
	{ "<", "\\textless{}" },
	{ ">", "\\textgreater{}" },
	{ "|", "\\textbar{}" },
	{ "\"", "{''}" },
	{ "[", "{[}" }, /* not the option of a new line */
	{ "]", "{]}" },
	{ "*", "{*}" },
	{ "-", "{-}" }, /* no ligatures: --option stays as it is */
	{ "'", "{'}" },
	{ "`", "{`}" },
	{ "µ", "\\ensuremath{\\mu}" },
	{ "μ", "\\ensuremath{\\mu}" },
	{ "±", "\\ensuremath{\\pm}" },
	{ "×", "\\ensuremath{\\times}" },
	{ "−", "\\ensuremath{-}" },
	{ "≤", "\\ensuremath{\\le}" },
	{ "≥", "\\ensuremath{\\ge}" },
	{ "→", "\\ensuremath{\\to}" },
	{ "←", "\\ensuremath{\\gets}" },
	{ "²", "\\ensuremath{^2}" },
	{ "–", "--" },
	{ "—", "---" },
	{ "…", "\\ldots{}" },
	{ "’", "'" },
	{ "‘", "`" },
	{ "”", "''" },
	{ "“", "``" },
	{ "\302\240", "~" },
	{ NULL, NULL },
};

void text_tex(FILE *f, const char *s)
{
	put_escaped(f, s, tex_signs, true);
}
