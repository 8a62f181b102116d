/* SPDX-License-Identifier: MIT */
/* A cache line goes there and back as often as it is sent. */
#include <pthread.h>

#include "distance.h"
#include "tap.h"

static _Atomic uint64_t line;
static uint64_t answers;

static void *answer(void *arg)
{
	answers = distance_answer(&line);
	return arg;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, answer, NULL);
	OK(distance_trips(&line, 1) && line == 2, "there and back");
	OK(distance_trips(&line, 99) && line == 200, "and again");
	line = DISTANCE_LAST;
	pthread_join(thread, NULL);
	OK(answers == 100, "each was answered once");
	return tap_done();
}
