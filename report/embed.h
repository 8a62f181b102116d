/* SPDX-License-Identifier: MIT */
#ifndef EMBED_H
#define EMBED_H

/* Texts that are in the program: files of report/ and report/words/. */
extern const char page_css[], page_js[], paper_tex[], prose_md[],
	predictions_ini[];

#endif
