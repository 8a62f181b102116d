// SPDX-License-Identifier: MIT
#include "os_load.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "sysfile.h"

static bool read_line(const char *line, struct cpu_times *cpu)
{
	/* Behind the name: user, nice, system, idle, iowait. */
	const int64_t idle = field_number(field_nth(line, 4), -1);
	const int64_t iowait = field_number(field_nth(line, 5), 0);

	/* Without idle there is nothing to compute from. */
	cpu->online = idle >= 0;
	cpu->idle = cpu->online ? (uint64_t)(idle + iowait) : 0;
	return cpu->online;
}

bool cpu_times_parse(const char *text, struct cpu_times *cpus, size_t max)
{
	const char *line = text;
	bool some = false;

	memset(cpus, 0, max * sizeof(*cpus));
	while (line && *line) {
		int64_t cpu = -1;

		/* They come first; what follows is long and not for us. */
		if (strncmp(line, "cpu", 3) != 0)
			break;
		if (isdigit((unsigned char)line[3]))
			cpu = field_number(line + 3, -1);
		if (cpu >= 0 && cpu < (int64_t)max)
			some |= read_line(line, &cpus[cpu]);
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return some;
}

/* idle and iowait are each cut off to a step. */
#define CUT_OFF_FIGURES 2

struct os_load os_load_unknown(enum os_state state)
{
	return (struct os_load) {
		.state = state,
		.load_pct = NAN,
		.resolution_pct = NAN,
	};
}

/* Idle time of this interval, between nothing and all of it; false if the
 * figures contradict the clock. */
static bool fit_idle(struct os_track *track, int64_t idle_ns,
		     int64_t elapsed_ns, int64_t slack_ns, enum os_state *state,
		     int64_t *fitted_ns)
{
	const int64_t sum = idle_ns + track->carry_ns;

	*fitted_ns = sum < 0 ? 0 : sum > elapsed_ns ? elapsed_ns : sum;
	track->carry_ns = sum - *fitted_ns;
	if (track->carry_ns < -slack_ns)
		*state = OS_BACKWARDS;
	else if (track->carry_ns > slack_ns)
		*state = OS_AHEAD;
	else
		return true;
	track->carry_ns = 0;
	return false;
}

struct os_load os_track_update(struct os_track *track,
			       const struct cpu_times *now, uint64_t now_ns,
			       uint64_t tick_ns)
{
	const struct os_track before = *track;
	const int64_t elapsed_ns = (int64_t)(now_ns - before.last_ns);
	const int64_t slack_ns = CUT_OFF_FIGURES * (int64_t)tick_ns;
	struct os_load load = os_load_unknown(OS_OK);
	int64_t idle_ns, steps;

	track->primed = now->online;
	track->last = *now;
	track->last_ns = now_ns;
	if (!now->online)
		return os_load_unknown(OS_OFFLINE);
	if (!before.primed || elapsed_ns <= 0) {
		track->carry_ns = 0;
		return os_load_unknown(OS_NEW);
	}
	steps = (int64_t)(now->idle - before.last.idle);
	if (!fit_idle(track, steps * (int64_t)tick_ns, elapsed_ns, slack_ns,
		      &load.state, &idle_ns))
		return load;
	load.load_pct =
		100 * (double)(elapsed_ns - idle_ns) / (double)elapsed_ns;
	load.resolution_pct = 100 * (double)slack_ns / (double)elapsed_ns;
	return load;
}

const char *os_state_name(enum os_state state)
{
	static const char *const names[] = {
		[OS_OK] = "ok",		  [OS_NEW] = "new",
		[OS_OFFLINE] = "offline", [OS_BACKWARDS] = "backwards",
		[OS_AHEAD] = "ahead",	  [OS_LOST] = "lost",
	};

	return names[state];
}
