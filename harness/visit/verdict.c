/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "err.h"

/* The first message wins, of the case at hand or of the program. */
__attribute__((format(printf, 4, 0))) static void
write_reason(struct bench *b, int err, bool skip, const char *fmt, va_list ap)
{
	char *why =
		b->now.current ? b->now.current->verdict.why : b->verdict.why;
	const size_t size = sizeof(b->verdict.why);
	size_t len;

	if (why[0])
		return;
	vsnprintf(why, size, fmt, ap);
	len = strlen(why);
	if (err)
		snprintf(why + len, size - len, ": %s", strerror(err));
	if (b->now.current)
		b->now.current->verdict.state =
			skip ? CASE_SKIPPED : CASE_FAILED;
	else
		b->verdict.skip_all = skip;
}

/* A feature or permission that is missing here is no defect. */
static bool is_limit(const struct bench *b, int err)
{
	static const int limits[] = { EPERM,	   EACCES,	EROFS,
				      ENOSYS,	   ENODEV,	EOPNOTSUPP,
				      ENOMEM,	   ENOSPC,	EDQUOT,
				      EFBIG,	   EMFILE,	ENFILE,
				      ENETDOWN,	   ENETUNREACH, EADDRNOTAVAIL,
				      EAFNOSUPPORT };

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (err == limits[i])
			return true;
	return err && err == b->unpinned;
}

int bench_fail(struct bench *b, int err, const char *fmt, ...)
{
	WITH_ARGS(write_reason(b, err, is_limit(b, err), fmt, ap));
	return err > 0 ? -err : -EIO;
}

int bench_skip(struct bench *b, const char *fmt, ...)
{
	WITH_ARGS(write_reason(b, 0, true, fmt, ap));
	return -ENOTSUP;
}

void verdict_skip(struct case_run *run, const char *fmt, ...)
{
	run->verdict.state = CASE_SKIPPED;
	run->verdict.dropped = true;
	WITH_ARGS(
		vsnprintf(run->verdict.why, sizeof(run->verdict.why), fmt, ap));
}

int verdict_give_up(struct bench *b, int code, const char *fmt, ...)
{
	if (!b->verdict.why[0])
		WITH_ARGS(vsnprintf(b->verdict.why, sizeof(b->verdict.why), fmt,
				    ap));
	return code;
}

void verdict_unselect(struct case_run *run)
{
	run->verdict.state = CASE_UNSELECTED;
}

void verdict_end_all(struct bench *b, bool skipped)
{
	EACH_RUN (b, run) {
		if (run->verdict.state != CASE_ASKED)
			continue;
		verdict_skip(run, "%s", b->verdict.why);
		if (!skipped)
			run->verdict.state = CASE_FAILED;
	}
}
