/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "text.h"

/* What stands for itself in no LaTeX, and what pdflatex cannot draw as it is.
 * Everything else that is not ASCII becomes a question mark. */
static const struct {
	const char *from, *to;
} table[] = {
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
};

#define ENTRIES (sizeof(table) / sizeof(table[0]))

static size_t put_known(FILE *f, const char *s)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		size_t len = strlen(table[i].from);

		if (!strncmp(s, table[i].from, len)) {
			fputs(table[i].to, f);
			return len;
		}
	}
	return 0;
}

void text_tex(FILE *f, const char *s)
{
	while (s && *s) {
		unsigned char c = (unsigned char)*s;
		size_t len = put_known(f, s);

		if (len) {
			s += len;
			continue;
		}
		if (c == '\t' || c == '\n' || c == '\r')
			fputc(' ', f);
		else if (c >= ' ' && c < 0x7f)
			fputc(c, f);
		else
			fputc('?', f);
		/* The rest of a character of many bytes. */
		for (s++; ((unsigned char)*s & 0xc0) == 0x80; s++)
			;
	}
}
