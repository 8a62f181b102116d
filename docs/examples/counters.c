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
	counters_csv(stdout, NULL, NULL, NULL);
	for (int lines = 1000; lines <= 100000; lines *= 10) {
		FILE *f = tmpfile();

		counters_start(c);
		for (int i = 0; f && i < lines; i++)
			fprintf(f, "%d\n", i);
		counters_stop(c, &counts);
		if (f)
			fclose(f);
		counters_csv(stdout, "fprintf", &counts, NULL);
	}
	counters_close(c);
	return 0;
}
