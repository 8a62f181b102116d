/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"
#include "tap.h"

/* What is left of @svg in a page; "" if it is refused. */
static char *inlined(const char *svg)
{
	char *got = NULL;
	size_t len;
	FILE *f = open_memstream(&got, &len);
	int err = svg_inline(f, svg, "p-", "a \"label\"");

	fclose(f);
	if (err)
		got[0] = '\0';
	return got;
}

static int becomes(const char *svg, const char *want)
{
	char *got = inlined(svg);
	int same = !strcmp(got, want);

	if (!same)
		printf("# got %s\n", got);
	free(got);
	return same;
}

#define ROOT "<svg role=\"img\" aria-label=\"a &quot;label&quot;\""

static void draws(void)
{
	OK(becomes("<?xml version='1.0'?>\n<!DOCTYPE svg>\n<svg width='10' "
		   "height='5' viewBox='0 0 10 5'><!-- x --><rect x='1'/>"
		   "</svg>\n",
		   ROOT " style=\"max-width:14px\" viewBox=\"0 0 10 5\">"
			"<rect x=\"1\"/></svg>"),
	   "a picture is kept, without its head and size");
	OK(becomes("<svg><g id='a' clip-path='url(#b)'><use xlink:href='#c'/>"
		   "</g></svg>",
		   ROOT "><g id=\"p-a\" clip-path=\"url(#p-b)\">"
			"<use href=\"#p-c\"/></g></svg>"),
	   "ids and what refers to them get the prefix");
	OK(becomes("<svg><text>a &lt; b</text></svg>",
		   ROOT "><text>a &lt; b</text></svg>"),
	   "text keeps its entities");
}

static void refuses(void)
{
	OK(becomes("<svg><script>alert(1)</script><g/></svg>",
		   ROOT "><g/></svg>"),
	   "a script is left out with its content");
	OK(becomes("<svg onload='x()'><g onclick='y()' id='i'/></svg>",
		   ROOT "><g id=\"p-i\"/></svg>"),
	   "event attributes are left out");
	OK(becomes("<svg><foreignObject><g><b/></g></foreignObject></svg>",
		   ROOT "></svg>"),
	   "foreign elements are left out with all inside");
	OK(becomes("<svg><use href='http://x/y#z'/><g fill='url(http://x)'/>"
		   "</svg>",
		   ROOT "><use/><g/></svg>"),
	   "links to elsewhere are left out");
	OK(becomes("<svg><g style='a:url( \"http://x\")' fill='\\75rl(x)'/>"
		   "</svg>",
		   ROOT "><g/></svg>"),
	   "hidden links, too");
	OK(becomes("<svg><g fill='u&#114;l(http://x)' stroke='&#x75;rl(x)'/>"
		   "</svg>",
		   ROOT "><g/></svg>"),
	   "and those that are spelt by entities");
	OK(becomes("<svg><g></svg>", ""), "elements that do not nest");
	OK(becomes("<svg><g", ""), "a file that was cut short");
	OK(becomes("<html><svg></svg></html>", ""), "another root");
	OK(becomes("no picture", ""), "no picture at all");
	OK(becomes("", ""), "an empty file");
}

int main(void)
{
	draws();
	refuses();
	OK(becomes("<svg></svg><script>x</script>", ROOT "></svg>"),
	   "what follows the picture is left out");
	return tap_done();
}
