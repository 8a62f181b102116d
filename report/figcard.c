/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "figures.h"
#include "sections.h"
#include "text.h"

/* Places count within a panel: 0 has the times, 1 the bandwidths. */
size_t figwrite_card(struct figwriter *w)
{
	const struct plotdata *d = w->d;
	const char *machine = card_machine(w->run),
		   *title = text_cut(machine, 90);
	size_t n = 0;

	fputs("# place value low high below begin end text name row\n",
	      w->data);
	for (size_t panel = 0; panel < 2; panel++) {
		size_t here = 0;

		figwrite_block(w, panel, panel ? "bandwidths" : "times");
		for (size_t i = 0; i < d->n; i++) {
			const struct point *p = &d->points[i];
			const struct result *r = &p->row->all;
			const bool rate = r->unit && !strcmp(r->unit, "B/s");
			const double limit =
				isfinite(p->y) ? NAN : r->resolution;
			const double shown = isfinite(p->y) ? p->y : limit;
			const char *text = tables_value(r);

			if (rate == (panel == 1)) {
				fprintf(w->data, "%zu ", here++);
				figwrite_number(w->data, p->y, ' ');
				figwrite_number(w->data, p->lo, ' ');
				figwrite_number(w->data, p->hi, ' ');
				figwrite_number(w->data, limit, ' ');
				figwrite_number(w->data,
						p->lo > 0 ? p->lo : shown, ' ');
				figwrite_number(w->data, fmax(shown, p->hi),
						' ');
				text_data(w->data, text);
				fputc(' ', w->data);
				text_data(w->data, p->category);
				fputc(' ', w->data);
				figwrite_hover(w, p, '\n');
			}
		}
		if (!here)
			fputs("NaN NaN NaN NaN NaN NaN NaN \"\" \"\" \"\"\n",
			      w->data);
		fprintf(w->settings, "n_%s = %zu\n", panel ? "rates" : "times",
			here);
		n += here;
	}
	fputs("machine = ", w->settings);
	text_gnuplot(w->settings, title);
	fputc('\n', w->settings);
	return n;
}
