/* SPDX-License-Identifier: MIT */
#include "leaks.h"
#include "rank.h"
#include "tests.h"
#include "uniform.h"

/* Closed forms there are for one, two and four degrees of freedom. */
TEST(student)
{
	const double angle = 3 / sqrt(4 + 9.0);

	OK_NEAR(student_tails(0, 5), 1, 1e-15, "all is farther than 0");
	OK_NEAR(student_tails(1, 1), 0.5, 1e-14, "the quartile of Cauchy's");
	OK_NEAR(student_tails(1e8, 1) / (2 / (M_PI * 1e8)), 1, 1e-10,
		"and far out");
	OK_NEAR(student_tails(2, 2), 1 - 2 / sqrt(6), 1e-14,
		"two degrees of freedom");
	OK_NEAR(student_tails(-1e6, 2) * 1e12, 1, 1e-10, "and far out");
	OK_NEAR(student_tails(3, 4), 1 - angle * (1 + (1 - angle * angle) / 2),
		1e-14, "four");
	/* As printed in tables of quantiles. */
	OK_NEAR(student_tails(2.2621571628, 9), 0.05, 1e-11, "nine");
	OK_NEAR(student_tails(1.644853626951, 1e7), 0.1, 1e-7,
		"of very many: the normal distribution");
	OK(student_tails(INFINITY, 9) == 0, "nothing is farther than that");
}

TEST(by_hand)
{
	/* Cut off are two at each end: means of 5.5 and 7.5; what stands for
	 * them leaves squares of 42.5, so errors of 42.5 / (6 * 5). */
	static const double x[] = { 5, 1, 2, 3, 4, 6, 7, 8, 9, 10 };
	static const double y[] = { 12, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	static const double near[] = { 1, 1.01, 1.02, 1.03, 1.01, 1.02, 1.01 };
	static const double far[] = { 1.1, 1.11, 1.12, 1.1, 1.11, 1.12, 0.9 };
	static const double same[] = { 7, 7, 7, 7 }, more[] = { 8, 8, 8, 8 };

	OK_NEAR(trimmed_test(x, 10, y, 10),
		student_tails(2 / sqrt(2 * 42.5 / 30), 10), 1e-12, "by hand");
	OK_NEAR(trimmed_test(y, 10, x, 10), trimmed_test(x, 10, y, 10), 1e-15,
		"the same from the other side");
	OK(trimmed_test(near, 7, far, 7) < 1e-5,
	   "one value far off among seven does not hide the rest");
	OK_NEAR(trimmed_test(same, 4, more, 4), 2.0 / 70, 1e-12,
		"without any scatter: how many are greater");
	OK(trimmed_test(same, 4, same, 4) == 1, "the same is the same");
}

/* Times as a shared machine gives them: one in @rarity is a tenth longer. */
static double draw(double rarity)
{
	const double z = uniform() + uniform() + uniform() + uniform() - 2;

	return 1 + 0.01 * z + (uniform() < 1 / rarity ? 0.1 * uniform() : 0);
}

static void alarms(double rarity, size_t n, int least)
{
	double x[10], y[10];
	int wrong = 0, found = 0;

	for (int i = 0; i < 20000; i++) {
		for (size_t k = 0; k < n; k++) {
			x[k] = draw(rarity);
			y[k] = draw(rarity);
		}
		wrong += trimmed_test(x, n, y, n) < 0.001;
		for (size_t k = 0; k < n; k++)
			y[k] += 0.05;
		found += trimmed_test(x, n, y, n) < 0.001;
	}
	printf("# 1 of %.0f, %zu rounds: %d wrong, %d found\n", rarity, n,
	       wrong, found);
	OK(wrong < 40, "at a level of 0.1 %: 20 of 20000 false alarms");
	OK(found > least, "and 5 %% more is found");
}

TEST(shared_machine)
{
	alarms(1e9, 10, 19990);
	alarms(10, 10, 18000);
	alarms(10, 7, 16000);
}
