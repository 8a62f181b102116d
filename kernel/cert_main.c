// SPDX-License-Identifier: MIT
/*
 * oscost_cert - the white paper's acceptance test in ring 0.
 *
 * insmod measures (it returns when that is done); the results are then in
 * debugfs until rmmod: oscost_cert/results (JSON Lines, format 1) and
 * oscost_cert/log (the paper's lines).  Nothing else is touched.
 *
 * Source: G. Paoloni, Intel white paper 324264-001, 2010.
 */
#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "cert.h"

static unsigned int ensembles = 100;
module_param(ensembles, uint, 0444);
MODULE_PARM_DESC(ensembles, "ensembles for each body, 2 to 1000 (paper: 1000)");

static unsigned int samples = 10000;
module_param(samples, uint, 0444);
MODULE_PARM_DESC(samples,
		 "samples in an ensemble, 10 to 1000000 (paper: 100000)");

static struct cert *cert;
static struct dentry *directory;

DEFINE_SHOW_ATTRIBUTE(cert_rows);
DEFINE_SHOW_ATTRIBUTE(cert_log);

/* Accepts whatever cert_alloc() left behind. */
static void cert_free(struct cert *c)
{
	int i;

	if (!c)
		return;
	for (i = 0; i < CERT_METHODS; i++) {
		kvfree(c->results[i].rows[0]);
		kvfree(c->results[i].rows[1]);
	}
	kvfree(c);
}

static struct cert *cert_alloc(void)
{
	struct cert *c = kvzalloc(sizeof(*c), GFP_KERNEL);
	int i, body;

	if (!c)
		return NULL;
	c->ensembles = ensembles;
	c->samples = samples;
	for (i = 0; i < CERT_METHODS; i++) {
		for (body = 0; body < 2; body++) {
			c->results[i].rows[body] =
				kvcalloc(ensembles, sizeof(struct ensemble_row),
					 GFP_KERNEL);
			if (!c->results[i].rows[body]) {
				cert_free(c);
				return NULL;
			}
		}
	}
	return c;
}

static int measure(void)
{
	u64 *scratch = kvcalloc(ensembles, 2 * sizeof(*scratch), GFP_KERNEL);
	int ret;

	if (!scratch)
		return -ENOMEM;
	cert->started_at = ktime_get_real_seconds();
	cert->quantum = cert_quantum();
	cert->hz = ring0_hz();
	ret = cert_measure(cert, scratch);
	kvfree(scratch);
	return ret;
}

static int publish(void)
{
	directory = debugfs_create_dir("oscost_cert", NULL);
	if (IS_ERR(directory))
		return PTR_ERR(directory);
	debugfs_create_file("results", 0444, directory, cert, &cert_rows_fops);
	debugfs_create_file("log", 0444, directory, cert, &cert_log_fops);
	return 0;
}

static int __init cert_init(void)
{
	int ret;

	if (!ring0_hz()) {
		pr_err("oscost_cert: " RING0_NO_HZ "\n");
		return -EOPNOTSUPP;
	}
	if (ensembles < 2 || ensembles > 1000 || samples < 10 ||
	    samples > 1000000) {
		pr_err("oscost_cert: ensembles 2..1000, samples 10..1000000\n");
		return -EINVAL;
	}
	cert = cert_alloc();
	if (!cert)
		return -ENOMEM;
	ret = measure();
	if (!ret)
		ret = publish();
	if (ret)
		cert_free(cert);
	return ret;
}

static void __exit cert_exit(void)
{
	debugfs_remove_recursive(directory);
	cert_free(cert);
}

module_init(cert_init);
module_exit(cert_exit);
MODULE_LICENSE("Dual MIT/GPL");
MODULE_AUTHOR("oscost");
MODULE_DESCRIPTION("The white paper's test of timing methods, in ring 0");
