// SPDX-License-Identifier: MIT
/*
 * Results as text: JSON Lines of results format 1 (docs/results-format.md),
 * and the lines of the paper's own log.
 */
#include <linux/time.h>

#include "cert.h"

static void print_wide(struct seq_file *m, wide value, unsigned int decimals)
{
	char text[WIDE_TEXT];

	seq_puts(m, wide_print(text, value, decimals));
}

static void print_evidence(struct seq_file *m, const struct cert *cert,
			   enum cert_method method,
			   const struct certificate_figure *f)
{
	const struct certificate *c = &cert->results[method].certificate;
	const s64 paper =
		certificate_paper(cert_method_name(method), f->body, f->name);

	if (cert_lacks(method)) {
		seq_puts(m, "\"evidence\":{\"ring\":0}");
		return;
	}
	seq_printf(m,
		   "\"evidence\":{\"ring\":0,\"ensembles\":%u,\"samples\":%u,"
		   "\"quantum_ticks\":%llu,\"migrations\":%llu",
		   cert->ensembles, cert->samples, cert->quantum,
		   cert->migrations);
	if (f->has_all) {
		seq_puts(m, ",\"all_samples\":");
		print_wide(m, f->all, f->decimals);
	}
	if (paper >= 0)
		seq_printf(m, ",\"paper\":%lld", paper);
	seq_printf(m, ",\"verdict\":\"%s\",\"why\":\"%s\"}",
		   certificate_word(c), ensemble_why(c->faults));
}

static void print_row(struct seq_file *m, const struct cert *cert,
		      enum cert_method method,
		      const struct certificate_figure *f)
{
	const char *name = cert_method_name(method);
	const char *lacks = cert_lacks(method);
	struct tm now;

	time64_to_tm(cert->started_at, 0, &now);
	seq_printf(m,
		   "{\"schema\":1,\"benchmark\":\"certify_ring0\","
		   "\"case\":\"method=%s,body=%s,stat=%s\","
		   "\"params\":{\"method\":\"%s\",\"body\":\"%s\","
		   "\"stat\":\"%s\"},",
		   name, f->body, f->name, name, f->body, f->name);
	if (lacks)
		seq_printf(m, "\"status\":\"skipped\",\"reason\":\"%s\",",
			   lacks);
	else if (f->unknown)
		seq_printf(m,
			   "\"status\":\"skipped\",\"reason\":\"up to %u more "
			   "stores did not raise the least time in nine places "
			   "of ten\",",
			   cert->ensembles / 2);
	else
		seq_puts(m, "\"status\":\"ok\",\"reason\":null,");
	seq_printf(m, "\"unit\":\"%s\",\"better\":\"%s\",\"value\":", f->unit,
		   f->higher ? "higher" : "lower");
	if (!f->unknown && !lacks)
		print_wide(m, f->value, f->decimals);
	else
		seq_puts(m, "null");
	seq_printf(m,
		   ",\"ci95\":null,\"n\":%d,\"samples\":%llu,\"iters\":1,"
		   "\"min\":null,\"mean\":null,\"stddev\":null,\"p50\":null,"
		   "\"p90\":null,\"p99\":null,\"p999\":null,\"max\":null,"
		   "\"cold\":null,\"ticks\":null,\"cycles\":null,"
		   "\"timer\":\"%s\",\"tsc_hz\":%llu,\"core_hz\":null,"
		   "\"estimator\":\"derived\",\"cpu\":%d,\"policy\":null,"
		   "\"priority\":null,",
		   !lacks, lacks ? 0 : (u64)cert->ensembles * cert->samples,
		   name, cert->hz, cert->cpu);
	print_evidence(m, cert, method, f);
	seq_printf(m,
		   ",\"tags\":{\"migrated\":%llu},\"grade\":null,"
		   "\"started_at\":\"%04ld-%02d-%02dT%02d:%02d:%02dZ\","
		   "\"duration_s\":null,\"round\":null,\"seed\":0,"
		   "\"resolution\":null,\"expected\":null,\"baseline\":null,"
		   "\"histogram\":null}\n",
		   cert->migrations, now.tm_year + 1900, now.tm_mon + 1,
		   now.tm_mday, now.tm_hour, now.tm_min, now.tm_sec);
}

int cert_rows_show(struct seq_file *m, void *unused)
{
	const struct cert *cert = m->private;
	struct certificate_figure f;
	unsigned int method, i;

	for (method = 0; method < CERT_METHODS; method++) {
		const struct certificate *c =
			&cert->results[method].certificate;

		for (i = 0; certificate_figure(c, i, &f); i++)
			print_row(m, cert, method, &f);
	}
	return 0;
}

/* The order of the paper's printk()s, lines 163 and 171 to 175. */
static void print_series(struct seq_file *m, const struct cert *cert,
			 const struct ensemble_row *rows,
			 const struct ensemble_figures *f)
{
	u32 j;

	for (j = 0; j < cert->ensembles; j++) {
		seq_printf(m, "loop_size:%u >>>> variance(cycles): ", j);
		print_wide(m, rows[j].variance_milli, 3);
		seq_printf(m, "; max_deviation: %llu ;min time: %llu\n",
			   rows[j].max_deviation, rows[j].min);
	}
	seq_printf(m, "total number of spurious min values = %llu\n",
		   f->spurious);
	seq_puts(m, "total variance = ");
	print_wide(m, f->total_variance_milli, 3);
	seq_printf(m, "\nabsolute max deviation = %llu\n", f->max_deviation);
	seq_puts(m, "variance of variances = ");
	print_wide(m, f->var_of_variances_micro, 6);
	seq_puts(m, "\nvariance of minimum values = ");
	print_wide(m, f->var_of_minima_milli, 3);
	seq_puts(m, "\n\n");
}

int cert_log_show(struct seq_file *m, void *unused)
{
	const struct cert *cert = m->private;
	unsigned int method;

	for (method = 0; method < CERT_METHODS; method++) {
		const struct cert_result *r = &cert->results[method];

		if (cert_lacks(method))
			continue;
		seq_printf(m, "# method=%s body=empty\n",
			   cert_method_name(method));
		print_series(m, cert, r->rows[0], &r->certificate.empty);
		seq_printf(m, "# method=%s body=loop\n",
			   cert_method_name(method));
		print_series(m, cert, r->rows[1], &r->certificate.loop);
	}
	return 0;
}
