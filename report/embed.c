/* SPDX-License-Identifier: MIT */
#include "text.h"

#define EMBED(name, file)                                              \
	__asm__(".pushsection .rodata\n.globl " #name "\n" #name ":\n" \
		".incbin \"report/" file "\"\n.byte 0\n.popsection")

EMBED(page_css, "page.css");
EMBED(page_js, "page.js");
EMBED(paper_tex, "words/paper.tex");
EMBED(prose_md, "words/prose.md");
EMBED(predictions_ini, "words/predictions.ini");
