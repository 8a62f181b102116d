/* cc counters.c $(pkg-config --cflags --libs oscost-counters) */
#include <oscost-counters.h>
#include <stdio.h>

int main(void)
{
	static const struct counters_target self = { .kind = COUNTERS_SELF };
	struct counters_counts counts;
	struct counters *c;

	if (counters_open(&c, &self, 0))
		return 1;
	for (int lines = 1000; lines <= 100000; lines *= 10) {
		FILE *f = tmpfile();

		counters_start(c);
		for (int i = 0; f && i < lines; i++)
			fprintf(f, "%d\n", i);
		counters_stop(c, &counts);
		if (f)
			fclose(f);
		printf("%d lines: %.0f ns of a CPU, %.0f instructions\n", lines,
		       counts.count[COUNTERS_TASK_CLOCK].value,
		       counts.count[COUNTERS_INSTRUCTIONS].value);
	}
	if (counters_why(c, COUNTERS_INSTRUCTIONS))
		puts(counters_why(c, COUNTERS_INSTRUCTIONS));
	counters_close(c);
	return 0;
}
